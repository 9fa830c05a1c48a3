//! Segments: whatever the order in which files come, stores that have the same files say the same.

mod store;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::Store;

/// A small generator, so that a failure can be told by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }
}

/// A folder of files, by name.
type Files = BTreeMap<String, String>;

fn named(files: &Files) -> Value {
    files.keys().map(|name| json!({"name": name})).collect()
}

fn write(store: &mut Store, files: &mut Files) -> usize {
    let before = files.len();
    loop {
        let written = store.done("store", "write_segment", json!({"segments": named(files)}));
        let Some(name) = written["name"].as_str() else {
            return files.len() - before;
        };
        files.insert(
            name.to_owned(),
            written["text"].as_str().expect("text").to_owned(),
        );
    }
}

/// Takes in what is not known, in an order of its own; what waits is tried again. Answers what still does.
fn fold(store: &mut Store, files: &Files, dice: &mut Dice) -> Vec<String> {
    let plan = store.done("store", "plan_segments", json!({"segments": named(files)}));
    let mut names: Vec<String> = serde_json::from_value(plan["read"].clone()).expect("names");
    while !names.is_empty() {
        for place in (1..names.len()).rev() {
            names.swap(place, dice.roll(place + 1));
        }
        let size = 1 + dice.roll(3);
        let mut waiting = Vec::new();
        for batch in names.chunks(size) {
            let segments: Value = batch
                .iter()
                .map(|name| json!({"name": name, "text": files[name]}))
                .collect();
            let folded = store.done("store", "fold_segments", json!({"segments": segments}));
            for item in folded["segments"].as_array().expect("items") {
                if item["state"] != "folded" {
                    waiting.push(item["name"].as_str().expect("a name").to_owned());
                }
            }
        }
        if waiting.len() == names.len() {
            break;
        }
        names = waiting;
    }
    names
}

/// As [`fold`], where nothing is missing.
fn fold_all(store: &mut Store, files: &Files, dice: &mut Dice) {
    let waiting = fold(store, files, dice);
    assert!(waiting.is_empty(), "{waiting:?} wait for ever");
}

fn scribble(store: &mut Store, dice: &mut Dice, titles: &mut usize) {
    let count = store.done("local", "get_graph", json!({}))["total_nodes"]
        .as_u64()
        .unwrap_or(0);
    for _ in 0..1 + dice.roll(4) {
        *titles += 1;
        let some = 1 + dice.roll(usize::try_from(count).unwrap_or(0) + 1);
        // Some of these are refused: the node is deleted, or was never there.
        let _ = match dice.roll(6) {
            0 => store.call(
                "local",
                "update_status",
                json!({"node_id": some, "status": "active"}),
            ),
            1 => store.call(
                "all",
                "update_node",
                json!({"node_id": some, "title": format!("title {titles}")}),
            ),
            2 => store.call(
                "local",
                "link_nodes",
                json!({"from_id": some, "to_id": 1 + dice.roll(some)}),
            ),
            3 if dice.roll(3) == 0 => store.call("local", "delete_node", json!({"node_id": some})),
            _ => store.call(
                "local",
                "add_node",
                json!({"node_type": "goal", "title": format!("node {titles}"), "branch": ""}),
            ),
        };
    }
}

fn state(store: &mut Store) -> (Value, String) {
    let digest = store.done("store", "digest", json!({}))["digest"].clone();
    let (mut text, mut cursor) = (String::new(), json!(""));
    while !cursor.is_null() {
        let piece = store.done("store", "write_graph_file", json!({"cursor": cursor}));
        text.push_str(piece["text"].as_str().expect("text"));
        cursor = piece["cursor"].clone();
    }
    (digest, text)
}

/// What a doctor finds.
fn findings(store: &mut Store) -> Vec<Value> {
    let (mut found, mut cursor) = (Vec::new(), json!(""));
    while !cursor.is_null() {
        let checked = store.done("store", "check_store", json!({"cursor": cursor}));
        found.extend(checked["findings"].as_array().expect("findings").clone());
        cursor = checked["cursor"].clone();
    }
    found
}

#[test]
fn whatever_the_order_of_files_and_the_copies_made_stores_agree() {
    for seed in 0..12 {
        let mut dice = Dice(seed);
        let mut titles = 0;
        let mut files = Files::new();
        let mut stores = vec![Store::new("a"), Store::new("b")];
        for round in 0..8 {
            for store in &mut stores {
                scribble(store, &mut dice, &mut titles);
                if dice.roll(2) == 0 {
                    // Some wait for a file that is lost.
                    fold(store, &files, &mut dice);
                }
                if dice.roll(3) > 0 {
                    write(store, &mut files);
                }
            }
            // Somebody copies a store, and both are written to.
            if round == 2 || round == 4 {
                let place = dice.roll(stores.len());
                let copy = stores[place].copied(["c", "d"][usize::from(round == 4)]);
                stores.push(copy);
            }
            // A file is lost.
            if dice.roll(3) == 0 && !files.is_empty() {
                let name = files
                    .keys()
                    .nth(dice.roll(files.len()))
                    .expect("one")
                    .clone();
                files.remove(&name);
            }
        }
        // Everybody writes what is not there, and takes in all.
        for store in &mut stores {
            write(store, &mut files);
        }
        for store in &mut stores {
            fold_all(store, &files, &mut dice);
        }
        let states: Vec<_> = stores.iter_mut().map(state).collect();
        assert!(
            states.windows(2).all(|pair| pair[0] == pair[1]),
            "seed {seed}"
        );
        // A store that begins with these files, and files that each of them writes alone.
        let mut late = Store::new("late");
        fold_all(&mut late, &files, &mut dice);
        assert_eq!(state(&mut late), states[0], "seed {seed}");
        for store in &mut stores {
            let status = store.done("local", "events_status", json!({"verify": true}));
            assert_eq!(
                (&status["verified"], &status["breaks"]),
                (&json!(true), &json!([])),
                "seed {seed}: {status}"
            );
            assert_eq!(findings(store), Vec::<Value>::new(), "seed {seed}");
            let mut alone = Files::new();
            write(store, &mut alone);
            let mut again = Store::new("again");
            fold_all(&mut again, &alone, &mut dice);
            assert_eq!(state(&mut again), states[0], "seed {seed}");
            assert_eq!(
                write(store, &mut alone),
                0,
                "seed {seed}: nothing is left to write"
            );
        }
    }
}
