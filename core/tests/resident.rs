//! What stays in memory between calls: a graph that was kept up to date by what changed answers as one that was read
//! anew.

mod store;

use proptest::prelude::*;
use serde_json::{Value, json};
use store::Store;
use store::random::{Op, act, ops};

/// Reads that walk the whole graph, each by another of its parts.
fn reads(node: u32) -> Vec<(&'static str, Value)> {
    vec![
        ("get_pulse", json!({})),
        ("find_orphans", json!({"limit": 500})),
        ("list_nodes", json!({"limit": 500})),
        ("get_timeline", json!({"limit": 500})),
        ("trace_chain", json!({"node_id": node, "limit": 500})),
        ("get_node_context", json!({"node_id": node})),
        ("generate_writeup", json!({"roots": node.to_string()})),
        ("export_dot", json!({})),
        ("export_graph", json!({})),
    ]
}

/// What all reads say, refusals included.
fn answers(store: &mut Store, node: u32) -> Vec<(&'static str, Value)> {
    let answer = |(tool, args): (&'static str, Value)| {
        let said = match store.call("store", tool, args) {
            Ok(output) => output,
            Err(refused) => {
                assert_ne!(refused.status, 400, "{tool}: {refused:?}");
                json!({"status": refused.status, "message": refused.message})
            }
        };
        (tool, said)
    };
    reads(node).into_iter().map(answer).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_graph_kept_up_to_date_is_the_graph_read_anew(rounds in prop::collection::vec((ops(25), 1_u32..13), 1..6)) {
        let mut store = Store::new("warm");
        for (writes, node) in &rounds {
            let writes: &Vec<Op> = writes;
            for write in writes {
                act(&mut store, *write);
                // So that the graph learns of each write alone.
                let _ = store.call("store", "find_orphans", json!({}));
            }
            let warm = answers(&mut store, *node);
            let clock = store.clock;
            store.forget();
            // Ages are told from now: both are asked at the same time.
            store.clock = clock - 1_000 * i64::try_from(warm.len()).expect("few");
            let fresh = answers(&mut store, *node);
            store.clock = clock;
            for (warm, fresh) in warm.into_iter().zip(fresh) {
                prop_assert_eq!(warm, fresh);
            }
        }
    }
}
