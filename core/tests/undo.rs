//! What undo promises: it brings back exactly what was there before, and refuses where that would take others' work away.

mod store;

use proptest::prelude::*;
use serde_json::{Value, json};
use store::Store;
use store::random::{UNDOING, WORDS, act, ops, write};

/// What the graph says, and what search finds.
fn says(store: &mut Store) -> (Value, (String, Vec<u8>)) {
    let digest = store.done("store", "digest", json!({}))["digest"].clone();
    (digest, store.postings(&WORDS))
}

fn undo(store: &mut Store) -> Value {
    store.done("store", "undo_write", json!({}))
}

fn redo(store: &mut Store) -> Value {
    store.done("store", "redo_write", json!({}))
}

const CASES: u32 = 5;

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undo_of_the_last_write_is_as_though_it_had_not_been(ops in ops(30)) {
        let mut store = Store::new("one");
        for op in ops {
            let (before, events) = (says(&mut store), store.rows("event").len());
            act(&mut store, op);
            if store.rows("event").len() == events || op.0 >= UNDOING {
                continue;
            }
            let after = says(&mut store);
            undo(&mut store);
            prop_assert_eq!(says(&mut store), before);
            redo(&mut store);
            prop_assert_eq!(says(&mut store), after);
        }
    }

    #[test]
    fn a_whole_history_goes_back_and_forth(ops in ops(40)) {
        let mut store = Store::new("one");
        let mut states = vec![says(&mut store)];
        for op in ops.into_iter().filter(|op| op.0 < UNDOING) {
            let events = store.rows("event").len();
            act(&mut store, op);
            if store.rows("event").len() > events {
                states.push(says(&mut store));
            }
        }
        for way in 0..2 {
            for state in states.iter().rev().skip(1) {
                undo(&mut store);
                prop_assert_eq!(&says(&mut store), state);
            }
            prop_assert_eq!(store.call("store", "undo_write", json!({})).expect_err("all is undone").status, 404);
            for state in states.iter().skip(1) {
                redo(&mut store);
                prop_assert_eq!(&says(&mut store), state, "way {}", way);
            }
            prop_assert_eq!(store.call("store", "redo_write", json!({})).expect_err("all is there").status, 404);
        }
    }

    #[test]
    fn undo_says_before_what_it_does_and_refuses_whole(ops in ops(40)) {
        let mut store = Store::new("one");
        write(&mut store, &ops);
        for event in store.rows("event") {
            let before = (says(&mut store), store.rows("event").len());
            let args = |dry_run: bool| json!({"event": event["id"], "dry_run": dry_run});
            let dry = store.call("store", "undo_write", args(true));
            prop_assert_eq!(&(says(&mut store), store.rows("event").len()), &before);
            let done = store.call("store", "undo_write", args(false));
            match (dry, done) {
                (Ok(dry), Ok(done)) => {
                    prop_assert_eq!(&dry["changes"], &done["changes"]);
                    store.done("store", "undo_write", json!({"event": done["event"]}));
                    prop_assert_eq!(&says(&mut store), &before.0);
                }
                (Err(dry), Err(done)) => {
                    prop_assert_eq!(&dry, &done);
                    prop_assert_eq!(done.status, 409);
                    prop_assert_eq!(&(says(&mut store), store.rows("event").len()), &before);
                }
                (dry, done) => prop_assert!(false, "{:?} and {:?}", dry, done),
            }
        }
    }
}
