//! What a merge refuses, and what it says of concurrent edits.

mod store;

use serde_json::{Value, json};
use store::Store;

fn goal(store: &mut Store, title: &str) -> Value {
    store.done(
        "local",
        "add_node",
        json!({"node_type": "goal", "title": title, "branch": ""}),
    )
}

fn events(store: &mut Store) -> Vec<Value> {
    let page = store.done("store", "read_events", json!({}));
    page["events"].as_array().expect("events").clone()
}

fn merge(store: &mut Store, events: &[Value]) -> Result<Value, (u16, String)> {
    let before = store.all_rows();
    store
        .call("store", "merge_events", json!({"events": events}))
        .map_err(|refused| {
            assert_eq!(store.all_rows(), before, "a refused merge changes nothing");
            (refused.status, refused.message)
        })
}

fn sync(from: &mut Store, to: &mut Store) -> Value {
    let events = events(from);
    merge(to, &events).expect("a merge")
}

#[test]
fn a_field_written_by_two_who_did_not_know_of_each_other_is_a_conflict_until_it_is_written_again() {
    let (mut a, mut b) = (Store::new("a"), Store::new("b"));
    let id = goal(&mut a, "shared")["change_id"].clone();
    sync(&mut a, &mut b);
    a.done(
        "all",
        "update_node",
        json!({"node_id": id, "title": "from a", "confidence": 5}),
    );
    b.done(
        "all",
        "update_node",
        json!({"node_id": id, "title": "from b", "description": "why"}),
    );
    let merged = sync(&mut a, &mut b);
    assert_eq!(merged["open_conflicts"], 1);
    assert_eq!(merged["conflicts"][0]["field"], "title");
    assert_eq!(
        merged["conflicts"][0]["subject"],
        json!(format!("node/{}", id.as_str().expect("an id")))
    );
    sync(&mut b, &mut a);
    assert_eq!(a.conflicts(), b.conflicts());
    let pulse = a.done("local", "get_pulse", json!({}));
    assert_eq!(
        (&pulse["concurrent_edits"], &pulse["conflicts"][0]["field"]),
        (&json!(1), &json!("title"))
    );
    let told = &pulse["conflicts"][0];
    let title = a.done("local", "show_node", json!({"node_id": id}))["title"].clone();
    assert_eq!(
        (&told["node_id"], &told["stands"]["value"]),
        (&json!(1), &title)
    );
    let other = if title == "from a" { "b" } else { "a" };
    assert_eq!(told["lost"][0]["by"], other);
    assert_eq!(told["lost"][0]["value"], format!("from {other}"));
    let seen = |store: &mut Store| store.done("local", "show_node", json!({"node_id": id}));
    assert_eq!(seen(&mut a), seen(&mut b));
    assert_eq!(
        (&seen(&mut a)["confidence"], &seen(&mut a)["description"]),
        (&json!(5), &json!("why"))
    );
    // Another field does not settle it, the field itself does, and everywhere.
    b.done(
        "all",
        "update_node",
        json!({"node_id": id, "description": "because"}),
    );
    assert_eq!(b.conflicts().len(), 1);
    b.done(
        "all",
        "update_node",
        json!({"node_id": id, "title": "agreed"}),
    );
    assert_eq!(b.conflicts().len(), 0);
    let merged = sync(&mut b, &mut a);
    assert_eq!(
        (&merged["open_conflicts"], &merged["total_conflicts"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(a.conflicts(), []);
}

#[test]
fn an_edge_whose_node_has_not_come_is_kept_and_not_shown() {
    let (mut a, mut b, mut c) = (Store::new("a"), Store::new("b"), Store::new("c"));
    goal(&mut a, "from a");
    sync(&mut a, &mut b);
    b.done(
        "local",
        "add_node",
        json!({"node_type": "option", "title": "from b", "branch": ""}),
    );
    b.done("local", "link_nodes", json!({"from_id": 1, "to_id": 2}));
    let (of_b, of_a): (Vec<Value>, Vec<Value>) = events(&mut b)
        .into_iter()
        .partition(|event| event["actor"] == "b");
    merge(&mut c, &of_b).expect("b's events alone");
    let graph = c.done("local", "get_graph", json!({}));
    assert_eq!(
        (&graph["total_nodes"], &graph["total_edges"]),
        (&json!(1), &json!(0))
    );
    let ghost = c.unheard().first().expect("a node only heard of")["id"].clone();
    let refused = c
        .call("local", "show_node", json!({"node_id": ghost}))
        .expect_err("it has not come");
    assert_eq!(refused.status, 404);
    merge(&mut c, &of_a).expect("a's events");
    let graph = c.done("local", "get_graph", json!({}));
    assert_eq!(
        (&graph["total_nodes"], &graph["total_edges"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(
        c.done("local", "show_node", json!({"node_id": ghost}))["title"],
        "from a"
    );
}

#[test]
fn gaps_broken_chains_newer_versions_and_strange_fields_are_refused_whole() {
    let mut a = Store::new("a");
    for title in ["one", "two", "three", "four"] {
        goal(&mut a, title);
    }
    let events = events(&mut a);
    let mut b = Store::new("b");
    goal(&mut b, "own");
    let refused = |store: &mut Store, events: &[Value], status: u16, words: &str| {
        let (said, message) = merge(store, events).expect_err(words);
        assert_eq!(said, status, "{message}");
        assert!(message.contains(words), "{message}");
    };
    refused(&mut b, &events[1..], 422, "event 1 is missing");
    let with = |place: usize, change: &dyn Fn(&mut Value)| {
        let mut changed = events.clone();
        change(&mut changed[place]);
        changed
    };
    refused(
        &mut b,
        &with(2, &|event| event["fields"]["title"] = json!("forged")),
        422,
        "breaks at its event 3",
    );
    refused(
        &mut b,
        &with(3, &|event| event["version"] = json!(2)),
        422,
        "version 2",
    );
    refused(
        &mut b,
        &with(3, &|event| event["later"] = json!(2)),
        422,
        "unknown field `later`",
    );
    refused(
        &mut b,
        &with(0, &|event| event["fields"]["id"] = json!(9)),
        422,
        "sets `id`",
    );
    refused(
        &mut b,
        &with(0, &|event| event["fields"]["status"] = json!("odd")),
        422,
        "`odd`",
    );
    refused(
        &mut b,
        &with(0, &|event| event["subject"] = json!("node/x")),
        422,
        "node/x",
    );
    refused(
        &mut b,
        &with(0, &|event| event["lamport"] = json!(i64::MAX)),
        422,
        "out of range",
    );
    merge(&mut b, &events[..2]).expect("the first two");
    refused(&mut b, &events[3..], 422, "event 3 is missing");
    merge(&mut b, &events[2..]).expect("the rest, and no more");
    let held = with(3, &|event| event["hash"] = json!("x"));
    refused(&mut b, &held, 409, "held with other content");
    assert_eq!(merge(&mut b, &events).expect("again")["merged"], 0);
}

fn digest(store: &mut Store) -> Value {
    store.done("store", "digest", json!({}))["digest"].clone()
}

#[test]
fn a_copy_that_was_written_to_is_folded_too_and_goes_on_under_a_name_of_its_own() {
    let mut a = Store::new("a");
    let shared = goal(&mut a, "shared")["change_id"].clone();
    let mut copy = a.copied("c");
    for title in ["one", "two"] {
        goal(&mut a, title);
    }
    a.done(
        "all",
        "update_node",
        json!({"node_id": shared, "title": "from a"}),
    );
    goal(&mut copy, "other");
    copy.done(
        "all",
        "update_node",
        json!({"node_id": shared, "title": "from the copy"}),
    );
    let own = |store: &mut Store| store.done("store", "read_events", json!({}))["replica"].clone();
    let name = own(&mut a);
    assert_eq!(own(&mut copy), name, "both write under one name");

    let merged = sync(&mut copy, &mut a);
    assert_eq!(
        (&merged["merged"], &merged["forks"]),
        (&json!(2), &json!([name]))
    );
    assert_eq!(merged["renamed"], own(&mut a));
    assert_ne!(own(&mut a), name);
    goal(&mut a, "under the new name");
    let merged = sync(&mut a, &mut copy);
    assert_eq!(merged["merged"], 4);
    assert_ne!(own(&mut copy), own(&mut a));
    goal(&mut copy, "under another new name");
    sync(&mut copy, &mut a);
    assert_eq!(digest(&mut a), digest(&mut copy));
    assert_eq!(a.done("local", "get_graph", json!({}))["total_nodes"], 6);

    // A third store, which hears of it all at once, and one that heard of the copy's way first.
    let mut third = Store::new("t");
    let mut reversed = events(&mut a);
    reversed.reverse();
    merge(&mut third, &reversed).expect("a merge");
    assert_eq!(digest(&mut third), digest(&mut a));
    assert_eq!(sync(&mut a, &mut third)["merged"], 0);
    for store in [&mut a, &mut copy, &mut third] {
        let status = store.done("local", "events_status", json!({"verify": true}));
        assert_eq!(
            (&status["verified"], &status["breaks"]),
            (&json!(true), &json!([])),
            "{status}"
        );
    }
}

#[test]
fn a_store_restored_from_a_backup_takes_its_own_later_events_back() {
    let mut a = Store::new("a");
    goal(&mut a, "one");
    let mut backup = Store::new("a");
    goal(&mut backup, "one");
    goal(&mut a, "two");
    let mut b = Store::new("b");
    sync(&mut a, &mut b);
    sync(&mut b, &mut backup);
    goal(&mut backup, "three");
    sync(&mut backup, &mut b);
    assert_eq!(b.done("local", "get_graph", json!({}))["total_nodes"], 3);
}
