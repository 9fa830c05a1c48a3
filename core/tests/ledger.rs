//! The ledger's promises, over random histories: the tables are the fold of the events; stores that hold the same
//! events hold the same graph, whatever the order and the batches in which they came; nothing that was written is lost.

mod store;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use store::Store;
use store::random::{WORDS, act, ops, write};

/// Moves what `to` lacks, `batch` events at a time, at most `most` batches.
fn sync(from: &mut Store, to: &mut Store, batch: u32, most: usize) {
    let known = to.done("store", "read_events", json!({"limit": 1}))["replicas"].clone();
    let mut cursor = Value::Null;
    for _ in 0..most {
        let page = from.done(
            "store",
            "read_events",
            json!({"known": known, "limit": batch, "cursor": cursor}),
        );
        to.done("store", "merge_events", json!({"events": page["events"]}));
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            return;
        }
    }
}

fn digest(store: &mut Store) -> Value {
    store.done("store", "digest", json!({}))["digest"].clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))), ..ProptestConfig::default() })]

    #[test]
    fn the_tables_are_the_fold_of_the_ledger(ops in ops(60), batch in 1_u32..40) {
        let mut first = Store::new("first");
        write(&mut first, &ops);
        let mut copy = Store::new("copy");
        sync(&mut first, &mut copy, batch, usize::MAX);
        for table in Store::FOLDED {
            prop_assert_eq!(first.rows(table), copy.rows(table), "table {}", table);
        }
        prop_assert_eq!(first.rows("event"), copy.rows("event"));
        prop_assert_eq!(first.postings(&WORDS), copy.postings(&WORDS));
        prop_assert_eq!(digest(&mut first), digest(&mut copy));
    }

    #[test]
    fn stores_that_hold_the_same_events_hold_the_same_graph(
        rounds in prop::collection::vec((0_usize..3, ops(12), 0_usize..3, 1_u32..9, 1_usize..4), 1..12),
        order in any::<u64>(),
        batch in 1_u32..30,
    ) {
        let mut stores = [Store::new("a"), Store::new("b"), Store::new("c")];
        for (writer, ops, reader, batch, most) in &rounds {
            write(&mut stores[*writer], ops);
            if writer != reader {
                let [from, to] = stores.get_disjoint_mut([*writer, *reader]).expect("two stores");
                sync(from, to, *batch, *most);
            }
        }
        // Twice around in either direction, so that everything has come to everybody.
        for step in 0..6_usize {
            let to = (step + 1 + usize::from(order % 2 == 0)) % 3;
            let [from, to] = stores.get_disjoint_mut([step % 3, to]).expect("two stores");
            sync(from, to, batch, usize::MAX);
        }
        for (from, to) in [(0, 1), (1, 2), (2, 0), (0, 1)] {
            let [from, to] = stores.get_disjoint_mut([from, to]).expect("two stores");
            sync(from, to, batch, usize::MAX);
        }
        // One that hears it all at once, each replica's events apart from the others'.
        let mut late = Store::new("late");
        shuffled(&mut stores[0], &mut late, order);
        let expected = (stores[0].named_rows(), digest(&mut stores[0]), stores[0].conflicts());
        for store in stores.iter_mut().skip(1).chain([&mut late]) {
            prop_assert_eq!(&store.named_rows(), &expected.0);
            prop_assert_eq!(&digest(store), &expected.1);
            prop_assert_eq!(&store.conflicts(), &expected.2);
            prop_assert!(store.unheard().is_empty());
        }
        // The losing writes are in the ledger still.
        for conflict in &expected.2 {
            for loser in conflict.losers() {
                let event = stores[1].event(&loser).expect("the losing event");
                prop_assert!(event["fields"].get(&conflict.field).is_some());
            }
        }
        // What came before changes nothing.
        let before = stores[1].all_rows();
        let events = stores[0].done("store", "read_events", json!({"limit": 100_000}))["events"].clone();
        let again = stores[1].done("store", "merge_events", json!({"events": events}));
        prop_assert_eq!(&again["merged"], &json!(0));
        prop_assert_eq!(before, stores[1].all_rows());
    }
}

/// Merges each replica's events in their order, but the replicas in any: effects may come before their causes.
fn shuffled(from: &mut Store, to: &mut Store, order: u64) {
    let events = from.done("store", "read_events", json!({"limit": 100_000}))["events"].clone();
    let mut queues: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for event in events.as_array().expect("events") {
        queues
            .entry(event["replica"].as_str().expect("a replica").to_owned())
            .or_default()
            .push(event.clone());
    }
    let mut queues: Vec<Vec<Value>> = queues.into_values().collect();
    let mut state = order | 1;
    while queues.iter().any(|queue| !queue.is_empty()) {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let count = queues.len();
        let queue = &mut queues[(state >> 33) as usize % count];
        let some = queue.len().min((state >> 17) as usize % 7);
        let part: Vec<Value> = queue.drain(..some).rev().collect();
        to.done("store", "merge_events", json!({"events": part}));
    }
}

#[test]
fn the_random_writes_are_done_and_not_only_refused() {
    let mut store = Store::new("all");
    for what in (0..22).filter(|what| *what != 8).chain([8, 22, 23, 24]) {
        for n in 0..6 {
            act(&mut store, (what, n, n.wrapping_mul(5).wrapping_add(1), n));
        }
    }
    let kinds: BTreeSet<String> = store
        .rows("event")
        .iter()
        .map(|row| row["kind"].as_str().expect("a kind").to_owned())
        .collect();
    for kind in [
        "node.added",
        "node.changed",
        "node.deleted",
        "edge.added",
        "edge.removed",
        "theme.created",
        "tag.added",
        "tag.removed",
        "document.attached",
        "session.started",
        "session.joined",
        "session.ended",
        "node.restored",
    ] {
        assert!(kinds.contains(kind), "{kind} is not in {kinds:?}");
    }
}
