//! Care: a store that went through anything is found clean; damage is found, mended, and nothing is lost by it.

mod store;

use deciduous_boundary::{Cell, Change};
use proptest::prelude::*;
use serde_json::{Value, json};
use store::Store;
use store::random::{ops, write};

/// All findings, call by call.
fn findings(store: &mut Store) -> Vec<Value> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let output = store.done("store", "check_store", json!({ "cursor": cursor }));
        found.extend(output["findings"].as_array().expect("a list").clone());
        match output["cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => return found,
        }
    }
}

fn kinds(store: &mut Store) -> Vec<String> {
    let found = findings(store);
    let mut kinds: Vec<String> = found
        .iter()
        .map(|finding| finding["kind"].as_str().expect("a kind").to_owned())
        .collect();
    kinds.dedup();
    kinds
}

/// What a mending did, summed up.
fn mend(store: &mut Store) -> Value {
    let (mut sums, mut cursor) = (json!({}), String::new());
    loop {
        let output = store.done("store", "mend_store", json!({ "cursor": cursor }));
        for name in ["rows", "events", "placeholders", "counters", "left"] {
            let sum = sums[name].as_u64().unwrap_or(0) + output[name].as_u64().expect("a number");
            sums[name] = sum.into();
        }
        match output["cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => return sums,
        }
    }
}

fn digest(store: &mut Store) -> Value {
    store.done("store", "digest", json!({}))["digest"].clone()
}

/// A row as it is stored, to be changed and put back.
fn cells(store: &Store, table: &str, is: impl Fn(&store::Row) -> bool) -> Vec<Cell> {
    let schema = deciduous_core::schema();
    let declared = schema.tables.iter().find(|declared| declared.name == table);
    let columns = &declared.expect("a table").columns;
    let row = store.rows(table).into_iter().find(is).expect("a row");
    let cell = |name: &String| serde_json::from_value(row[name].clone()).expect("a cell");
    columns.iter().map(|column| cell(&column.name)).collect()
}

/// Writes into a table behind the ledger's back.
fn damage(store: &mut Store, table: &str, is: impl Fn(&store::Row) -> bool, set: &[(&str, Cell)]) {
    let schema = deciduous_core::schema();
    let declared = schema.tables.iter().find(|declared| declared.name == table);
    let columns = &declared.expect("a table").columns;
    let mut row = cells(store, table, is);
    for (name, cell) in set {
        let place = columns.iter().position(|column| column.name == *name);
        row[place.expect("a column")] = cell.clone();
    }
    store.put(Change::Put {
        table: table.to_owned(),
        row,
    });
}

fn sample() -> Store {
    let mut store = Store::new("one");
    for (kind, title) in [("goal", "One"), ("option", "Two"), ("decision", "Three")] {
        store.done(
            "local",
            "add_node",
            json!({"node_type": kind, "title": title, "branch": ""}),
        );
    }
    for (from, to) in [(1, 2), (2, 3)] {
        store.done("local", "link_nodes", json!({"from_id": from, "to_id": to}));
    }
    store.done("local", "create_theme", json!({"name": "auth"}));
    store.done("local", "tag_node", json!({"node_id": 2, "theme": "auth"}));
    store.done(
        "local",
        "update_status",
        json!({"node_id": 1, "status": "active"}),
    );
    store
}

const CASES: u32 = 8;

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_written_and_merged_is_clean(here in ops(40), there in ops(40), more in ops(20)) {
        let (mut one, mut two) = (Store::new("one"), Store::new("two"));
        write(&mut one, &here);
        write(&mut two, &there);
        for (from, to) in [(0, 1), (1, 0)] {
            let both = [&mut one, &mut two];
            let events = both[from].done("store", "read_events", json!({"limit": 100_000}))["events"].clone();
            both[to].done("store", "merge_events", json!({"events": events}));
        }
        write(&mut one, &more);
        for store in [&mut one, &mut two] {
            prop_assert_eq!(findings(store), Vec::<Value>::new());
            let (before, rows) = (digest(store), store.all_rows());
            prop_assert_eq!(mend(store), json!({"rows": 0, "events": 0, "placeholders": 0, "counters": 0, "left": 0}));
            prop_assert_eq!(digest(store), before);
            prop_assert_eq!(store.all_rows(), rows);
        }
    }
}

#[test]
fn a_row_that_says_otherwise_is_made_again_from_its_events() {
    let mut store = sample();
    let (before, rows) = (digest(&mut store), store.all_rows());
    damage(
        &mut store,
        "node",
        |row| row["id"] == 1,
        &[("title", "Won".into())],
    );
    damage(
        &mut store,
        "edge",
        |row| row["from_id"] == 1,
        &[("weight", Cell::Real(7.0))],
    );
    damage(
        &mut store,
        "node_theme",
        |_| true,
        &[("deleted_at", Cell::Int(5))],
    );
    assert_eq!(findings(&mut store).len(), 3);
    assert_eq!(kinds(&mut store), ["fold"]);
    assert_eq!(mend(&mut store)["rows"], 3);
    assert_eq!(findings(&mut store), Vec::<Value>::new());
    assert_eq!(digest(&mut store), before);
    assert_eq!(store.all_rows(), rows);
}

#[test]
fn counters_that_lag_are_raised() {
    let mut store = sample();
    let rows = store.all_rows();
    let low: Vec<(&str, Cell)> = [
        "seq",
        "lamport",
        "ordinal",
        "next_node",
        "next_edge",
        "next_theme",
    ]
    .map(|name| (name, Cell::Int(1)))
    .to_vec();
    damage(&mut store, "workspace", |_| true, &low);
    assert_eq!(kinds(&mut store), ["counter"]);
    mend(&mut store);
    assert_eq!(findings(&mut store), Vec::<Value>::new());
    assert_eq!(store.all_rows(), rows);
}

#[test]
fn where_a_chain_is_broken_what_the_rows_say_is_kept() {
    let mut store = sample();
    let before = digest(&mut store);
    // Somebody wrote over an event: its text does not follow any more.
    damage(
        &mut store,
        "event",
        |row| row["seq"] == 1,
        &[(
            "fields",
            r#"{"node_type":"goal","status":"pending","title":"Forged"}"#.into(),
        )],
    );
    let found = findings(&mut store);
    assert_eq!(kinds(&mut store), ["chain", "fold"]);
    assert_eq!(found[0]["mendable"], false);
    let mended = mend(&mut store);
    assert_eq!((&mended["rows"], &mended["events"]), (&json!(0), &json!(1)));
    assert_eq!(kinds(&mut store), ["chain"]);
    assert_eq!(digest(&mut store), before);
}

#[test]
fn what_no_event_knows_is_written_down_and_joins_something() {
    let mut store = sample();
    // As somebody adds a node, an edge to it and an edge to nothing with SQL.
    let added = [
        ("id", Cell::Int(9)),
        ("change_id", "by hand".into()),
        ("title", "Nine".into()),
        ("last_event", Cell::Null),
    ];
    damage(&mut store, "node", |row| row["id"] == 3, &added);
    for (to, id) in [(9, 90), (77, 91)] {
        let edge = [
            ("to_id", Cell::Int(to)),
            ("id", Cell::Int(id)),
            ("last_event", Cell::Null),
        ];
        damage(&mut store, "edge", |row| row["from_id"] == 2, &edge);
    }
    let found = kinds(&mut store);
    for kind in ["unrecorded", "dangling", "counter"] {
        assert!(found.contains(&kind.to_owned()), "{kind}: {found:?}");
    }
    let mended = mend(&mut store);
    assert_eq!(
        (&mended["events"], &mended["placeholders"], &mended["left"]),
        (&json!(3), &json!(1), &json!(0))
    );
    assert_eq!(findings(&mut store), Vec::<Value>::new());
    assert_eq!(
        store.done("local", "show_node", json!({"node_id": 9}))["title"],
        "Nine"
    );
    assert_eq!(store.done("local", "list_edges", json!({}))["total"], 3);
    // All of it goes to another store.
    let mut other = Store::new("two");
    let events = store.done("store", "read_events", json!({}))["events"].clone();
    other.done("store", "merge_events", json!({"events": events}));
    assert_eq!(digest(&mut other), digest(&mut store));
    assert_eq!(findings(&mut other), Vec::<Value>::new());
}

#[test]
fn what_no_event_may_say_is_left_and_told() {
    let mut store = sample();
    damage(
        &mut store,
        "node",
        |row| row["id"] == 3,
        &[
            ("id", Cell::Int(4)),
            ("change_id", "x".into()),
            ("node_type", "thing".into()),
            ("last_event", Cell::Null),
        ],
    );
    let found = findings(&mut store);
    let finding = found
        .iter()
        .find(|one| one["kind"] == "unrecorded")
        .expect("found");
    assert_eq!(finding["mendable"], false);
    assert!(
        finding["what"].as_str().expect("text").contains("`thing`"),
        "{finding}"
    );
    assert_eq!(mend(&mut store)["left"], 1);
    assert_eq!(kinds(&mut store), ["unrecorded"]);
}

#[test]
fn an_identity_that_was_written_over_comes_back() {
    let mut store = sample();
    let (before, rows) = (digest(&mut store), store.all_rows());
    damage(
        &mut store,
        "node",
        |row| row["id"] == 2,
        &[("change_id", "0192f0c1-0000-7000-8000-000000000000".into())],
    );
    assert!(!findings(&mut store).is_empty());
    mend(&mut store);
    assert_eq!(digest(&mut store), before);
    let seen = |rows: &[(String, Vec<store::Row>)]| {
        let node = rows
            .iter()
            .find(|(table, _)| table == "node")
            .expect("nodes");
        node.1.clone()
    };
    assert_eq!(seen(&store.all_rows()), seen(&rows));
}
