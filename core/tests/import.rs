//! Files in the history shape: what goes out comes in again, a second time changes nothing, a stale copy brings nothing
//! back, and nothing is dropped.

mod store;

use serde_json::{Value, json};
use store::Store;

fn export(store: &mut Store) -> Value {
    store.done("store", "export_graph", json!({}))
}

fn digest(store: &mut Store) -> Value {
    store.done("store", "digest", json!({}))["digest"].clone()
}

/// A graph with every kind of record.
fn full(name: &'static str) -> Store {
    let mut store = Store::new(name);
    let session = store.done(
        "local",
        "start_session",
        json!({"name": "work", "goal_title": "Ship search", "goal_prompt": "find things"}),
    );
    store.done("local", "add_node", json!({"node_type": "option", "title": "An index", "confidence": 70, "files": "a.rs, b.rs", "branch": "main", "session_id": session["session_id"]}));
    store.done("local", "add_node", json!({"node_type": "decision", "title": "Use an index", "description": "because\nit is fast", "branch": "main"}));
    store.done(
        "local",
        "link_nodes",
        json!({"from_id": 1, "to_id": 2, "rationale": "possible"}),
    );
    store.done(
        "local",
        "link_nodes",
        json!({"from_id": 2, "to_id": 3, "edge_type": "chosen"}),
    );
    store.done(
        "all",
        "update_node",
        json!({"node_id": 3, "metadata_merge": {"note": [1, {"x": null}]}}),
    );
    let _ = store.call(
        "local",
        "create_theme",
        json!({"name": "search", "description": "all of it"}),
    );
    let _ = store.call(
        "local",
        "tag_node",
        json!({"node_id": 2, "theme": "search"}),
    );
    let _ = store.call(
        "local",
        "attach_document",
        json!({"node_id": 2, "file_path": "notes.md"}),
    );
    store.done(
        "local",
        "end_session",
        json!({"session_id": session["session_id"], "summary": "done"}),
    );
    store
}

fn node(id: u32, more: Value) -> Value {
    let mut node = json!({
        "id": id, "change_id": format!("{id:08x}-0000-4000-8000-000000000000"), "node_type": "goal", "title": format!("Goal {id}"),
        "description": null, "status": "done", "created_at": "2025-12-05T17:09:17.953137-05:00",
        "updated_at": "2025-12-06T17:09:17Z", "metadata_json": "{\"branch\":\"main\",\"files\":\"a.rs, b.rs\"}",
    });
    for (key, value) in more.as_object().expect("an object") {
        node[key] = value.clone();
    }
    node
}

fn edge(id: u32, from: u32, to: u32, more: Value) -> Value {
    let mut edge = json!({
        "id": id, "from_node_id": from, "to_node_id": to, "edge_type": "leads_to", "weight": 0.5, "rationale": "why",
        "created_at": "2025-12-05T17:09:17.953137-05:00",
    });
    for (key, value) in more.as_object().expect("an object") {
        edge[key] = value.clone();
    }
    edge
}

#[test]
fn what_is_exported_is_imported_as_it_was_and_again_without_change() {
    let mut from = full("from");
    let graph = export(&mut from);
    let mut to = Store::new("to");
    let taken = to.done("store", "import_graph", json!({"graph": graph}));
    assert_eq!(taken["added"]["nodes"], graph["total_nodes"]);
    assert_eq!(taken["warnings"], json!([]));
    assert_eq!(export(&mut to), graph);
    assert_eq!(digest(&mut to), digest(&mut from));
    let rows = to.all_rows();
    let again = to.done("store", "import_graph", json!({"graph": graph.to_string()}));
    assert_eq!(again["kept"], taken["added"]);
    assert_eq!(
        (again["total_stale"].clone(), again["total_changes"].clone()),
        (json!(0), json!(0))
    );
    assert_eq!(to.all_rows(), rows, "an import without news writes nothing");
}

#[test]
fn dates_numbers_legacy_words_and_odd_metadata_stay_as_they_were() {
    let graph = json!({
        "nodes": [node(7, json!({"node_type": "feedback", "title": "x".repeat(3_000)})), node(3, json!({"metadata_json": "{}"}))],
        "edges": [edge(9, 7, 3, json!({})), edge(4, 3, 7, json!({"edge_type": "took_from", "rationale": null}))],
    });
    let mut store = Store::new("s");
    let taken = store.done("store", "import_graph", json!({"graph": graph}));
    assert_eq!(
        (&taken["total_renumbered"], &taken["dropped"]),
        (&json!(0), &json!(0))
    );
    let back = export(&mut store);
    let mut nodes = graph["nodes"].as_array().expect("nodes").clone();
    nodes.reverse();
    assert_eq!(back["nodes"], json!(nodes));
    let ids: Vec<(&Value, &Value)> = back["edges"]
        .as_array()
        .expect("edges")
        .iter()
        .map(|edge| (&edge["id"], &edge["weight"]))
        .collect();
    assert_eq!(ids.len(), 2);
    assert!(ids.contains(&(&json!(9), &json!(0.5))) && ids.contains(&(&json!(4), &json!(0.5))));
    // Numbers behind the imported ones are given to what comes.
    assert_eq!(
        store.done(
            "local",
            "add_node",
            json!({"node_type": "goal", "title": "next"})
        )["id"],
        8
    );
}

#[test]
fn taken_numbers_are_given_anew_and_edges_follow_the_nodes() {
    let mut store = Store::new("s");
    store.done(
        "local",
        "add_node",
        json!({"node_type": "goal", "title": "own"}),
    );
    let graph = json!({"nodes": [node(1, json!({})), node(2, json!({}))], "edges": [edge(1, 1, 2, json!({}))]});
    let taken = store.done("store", "import_graph", json!({"graph": graph}));
    assert_eq!(
        taken["renumbered"],
        json!([{"item": "nodes[0]", "from": 1, "to": 3}])
    );
    let edges = export(&mut store)["edges"].clone();
    assert_eq!(
        (&edges[0]["from_node_id"], &edges[0]["to_node_id"]),
        (&json!(3), &json!(2))
    );
    // Two files' nodes under one number: edges by number alone would be guessed.
    let graph = json!({
        "nodes": [node(5, json!({})), node(5, json!({"change_id": "aaaaaaaa-0000-4000-8000-000000000000"})), node(6, json!({}))],
        "edges": [edge(1, 5, 6, json!({}))],
    });
    let refused = store
        .call("store", "import_graph", json!({"graph": graph}))
        .expect_err("ambiguous");
    assert_eq!(refused.status, 422);
    assert!(
        refused.errors["edges[0]"].contains("several nodes"),
        "{refused:?}"
    );
}

#[test]
fn a_stale_copy_brings_nothing_back_and_news_come_in() {
    let mut store = Store::new("s");
    let first = json!({"nodes": [node(1, json!({})), node(2, json!({})), node(3, json!({}))], "edges": [edge(1, 1, 2, json!({}))]});
    store.done("store", "import_graph", json!({"graph": first}));
    store.done(
        "all",
        "update_node",
        json!({"node_id": 1, "title": "Newer", "description": "added"}),
    );
    store.done("local", "delete_node", json!({"node_id": 3}));
    let again = store.done("store", "import_graph", json!({"graph": first}));
    assert_eq!(
        (&again["total_changes"], &again["total_stale"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(
        store.done("local", "show_node", json!({"node_id": 1}))["title"],
        "Newer"
    );
    assert_eq!(
        store
            .call("local", "show_node", json!({"node_id": 3}))
            .expect_err("deleted")
            .status,
        410
    );
    // Edited elsewhere since.
    let mut second = first.clone();
    second["nodes"][1]["status"] = json!("completed");
    second["nodes"][1]["updated_at"] = json!("2025-12-07T00:00:00Z");
    second["nodes"][0]["status"] = json!("rejected");
    second["edges"][0]["rationale"] = json!("better");
    let changed = store.done("store", "import_graph", json!({"graph": second}));
    assert_eq!(
        (&changed["changed"]["nodes"], &changed["changed"]["edges"]),
        (&json!(2), &json!(1))
    );
    let graph = export(&mut store);
    assert_eq!(
        (&graph["nodes"][0]["title"], &graph["nodes"][0]["status"]),
        (&json!("Newer"), &json!("rejected"))
    );
    assert_eq!(
        (
            &graph["nodes"][1]["status"],
            &graph["nodes"][1]["updated_at"]
        ),
        (&json!("completed"), &json!("2025-12-07T00:00:00Z"))
    );
    assert_eq!(graph["edges"][0]["rationale"], "better");
    let rows = store.all_rows();
    store.done("store", "import_graph", json!({"graph": second}));
    assert_eq!(store.all_rows(), rows);
}

#[test]
fn what_cannot_be_taken_is_named_and_nothing_is_written() {
    let graph = json!({
        "nodes": [
            node(1, json!({})), node(2, json!({"created_at": "yesterday"})), node(3, json!({"node_type": "gaol"})),
            node(4, json!({"change_id": "four"})), node(5, json!({"title": null})), node(6, json!({"updated_at": 5})), 7,
        ],
        "edges": [
            edge(1, 1, 1, json!({})), edge(2, 1, 99, json!({})), edge(3, 1, 2, json!({})), edge(4, 1, 3, json!({"edge_type": "odd"})),
            edge(5, 1, 3, json!({"to_change_id": "99999999-0000-4000-8000-000000000000"})),
        ],
        "node_themes": [{"node_id": 1, "theme": "none"}],
    });
    let mut store = Store::new("s");
    let refused = store
        .call("store", "import_graph", json!({"graph": graph}))
        .expect_err("wrong records");
    assert_eq!(refused.status, 422);
    let wrong: Vec<&String> = refused.errors.keys().collect();
    let expected = [
        "edges[0]",
        "edges[1]",
        "edges[2]",
        "edges[3]",
        "edges[4]",
        "node_themes[0]",
        "nodes[1]",
        "nodes[2]",
        "nodes[3]",
        "nodes[4]",
        "nodes[5]",
        "nodes[6]",
    ];
    assert_eq!(wrong, expected);
    assert!(store.rows("node").is_empty() && store.rows("event").is_empty());
    let dry = store.done(
        "store",
        "import_graph",
        json!({"graph": graph, "dry_run": true}),
    );
    assert_eq!(
        (&dry["dropped"], &dry["added"]["nodes"]),
        (&json!(12), &json!(1))
    );
    assert!(store.rows("node").is_empty());
    for bad in [
        json!({}),
        json!({"nodes": 5}),
        json!([]),
        json!("not json"),
        json!(5),
    ] {
        let refused = store
            .call("store", "import_graph", json!({"graph": bad}))
            .expect_err("no graph");
        assert_eq!(refused.status, 400, "{refused:?}");
    }
}

#[test]
fn records_told_twice_are_one_and_that_is_said() {
    let older = node(
        1,
        json!({"title": "older", "updated_at": "2025-12-05T23:00:00Z"}),
    );
    let graph = json!({
        "nodes": [node(1, json!({"title": "newer"})), older, node(2, json!({})), node(2, json!({}))],
        "edges": [edge(1, 1, 2, json!({"rationale": null})), edge(2, 1, 2, json!({"created_at": "2025-12-06T00:00:00Z"}))],
        "config": {"theme": "dark"},
    });
    let mut store = Store::new("s");
    let taken = store.done("store", "import_graph", json!({"graph": graph}));
    assert_eq!(
        (
            &taken["added"]["nodes"],
            &taken["added"]["edges"],
            &taken["total_folded"]
        ),
        (&json!(2), &json!(1), &json!(3))
    );
    assert_eq!(taken["ignored_keys"], json!({"config": 1}));
    let back = export(&mut store);
    assert_eq!(back["nodes"][0]["title"], "newer");
    assert_eq!(
        (&back["edges"][0]["id"], &back["edges"][0]["rationale"]),
        (&json!(1), &json!("why"))
    );
}

#[test]
fn nodes_without_an_identity_are_the_same_at_the_next_import() {
    let graph = json!({"nodes": [node(1, json!({"change_id": null}))]});
    let mut store = Store::new("s");
    store.done("store", "import_graph", json!({"graph": graph}));
    let again = store.done("store", "import_graph", json!({"graph": graph}));
    assert_eq!(
        (&again["kept"]["nodes"], &again["added"]["nodes"]),
        (&json!(1), &json!(0))
    );
}
