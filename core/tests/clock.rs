//! Clocks that jump: by years, backwards, to before 1970 and behind the year 9999. They decide nothing but what is shown.

mod store;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::Store;

const YEAR: i64 = 365 * 24 * 3_600_000;
const JUMPS: [i64; 9] = [
    0,
    -10 * YEAR,
    30 * YEAR,
    i64::MIN / 2,
    5_000,
    i64::MAX / 2,
    -60 * YEAR,
    1_000,
    9_000 * YEAR,
];

fn add(store: &mut Store, number: usize) -> Value {
    let args =
        json!({ "node_type": "action", "title": format!("number {number}"), "branch": "main" });
    store.done("local", "add_node", args)
}

#[test]
fn ids_sequence_timeline_and_ledger_stay_sound() {
    let mut store = Store::new("jumpy");
    let mut known = BTreeSet::new();
    for round in 0..6 {
        for (at, jump) in JUMPS.iter().enumerate() {
            store.clock = *jump;
            let number = round * JUMPS.len() + at + 1;
            let added = add(&mut store, number);
            assert_eq!(added["id"], number);
            assert!(known.insert(added["change_id"].to_string()));
            if number > 1 {
                let edge = json!({ "from_id": number - 1, "to_id": number });
                store.done("local", "link_nodes", edge);
            }
            let status = json!({ "node_id": number, "status": "active" });
            store.done("local", "update_status", status);
            // Read at another time than it was written.
            store.clock = JUMPS[(at + 4) % JUMPS.len()];
            let shown = store.done("local", "show_node", json!({ "node_id": number }));
            assert_eq!(
                shown["status"], "active",
                "the later write stands, whatever its clock"
            );
            let date = shown["created_at"].as_str().expect("a date");
            assert!(date.len() == "2026-01-15T09:00:00.000Z".len(), "{date}");
        }
    }
    let rows = store.rows("event");
    let seqs: BTreeSet<u64> = rows
        .iter()
        .map(|row| row["seq"].as_u64().expect("seq"))
        .collect();
    assert_eq!(seqs.len(), rows.len());
    assert_eq!(
        seqs.last(),
        Some(&(rows.len() as u64)),
        "the ledger has a gap"
    );
    let verified = store.done("local", "events_status", json!({ "verify": true }));
    assert_eq!(verified["verified"], true);
    let timeline = store.done("local", "get_timeline", json!({ "limit": 0 }));
    let nodes = timeline["nodes"].as_array().expect("nodes");
    assert_eq!(nodes.len(), 6 * JUMPS.len());
    let dates: Vec<&str> = nodes
        .iter()
        .filter_map(|node| node["created_at"].as_str())
        .collect();
    assert!(
        dates.is_sorted_by(|later, earlier| later >= earlier),
        "{dates:?}"
    );
    for tool in [
        "get_pulse",
        "find_orphans",
        "get_graph",
        "generate_writeup",
        "list_sessions",
    ] {
        store.done("local", tool, json!({}));
    }
}

#[test]
fn a_lease_of_a_clock_that_was_wrong_does_not_stand_for_years() {
    let mut store = Store::new("leased");
    let log = |store: &mut Store, title: &str| {
        let args = json!({ "title": title, "branch": "main" });
        store.done("all", "log_observation", args);
    };
    let leases =
        |store: &mut Store| store.done("all", "check_activity", json!({}))["leases_total"].clone();
    store.clock = 30 * YEAR;
    log(&mut store, "from the future");
    assert_eq!(leases(&mut store), 1);
    store.clock = 0;
    assert_eq!(leases(&mut store), 0);
    log(&mut store, "from now");
    assert_eq!(leases(&mut store), 1);
    // A clock is set back a little now and then.
    store.clock = -120_000;
    assert_eq!(leases(&mut store), 1);
    store.clock = 400_000;
    assert_eq!(leases(&mut store), 0);
}

#[test]
fn what_two_stores_wrote_meets_whatever_their_clocks_say() {
    let (mut early, mut late) = (Store::new("early"), Store::new("late"));
    early.clock = -20 * YEAR;
    late.clock = 20 * YEAR;
    add(&mut early, 1);
    let events =
        |store: &mut Store| store.done("store", "read_events", json!({}))["events"].clone();
    let first = events(&mut early);
    late.done("store", "merge_events", json!({ "events": first }));
    // The later write is that of the store whose clock is behind.
    late.done(
        "local",
        "update_status",
        json!({ "node_id": 1, "status": "active" }),
    );
    let second = events(&mut late);
    early.done("store", "merge_events", json!({ "events": second }));
    early.done(
        "local",
        "update_status",
        json!({ "node_id": 1, "status": "completed" }),
    );
    let third = events(&mut early);
    late.done("store", "merge_events", json!({ "events": third }));
    for store in [&mut early, &mut late] {
        let shown = store.done("local", "show_node", json!({ "node_id": 1 }));
        assert_eq!(shown["status"], "completed");
    }
    let digest = |store: &mut Store| store.done("store", "digest", json!({}))["digest"].clone();
    assert_eq!(digest(&mut early), digest(&mut late));
}
