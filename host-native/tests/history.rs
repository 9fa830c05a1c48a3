//! A real project's history (`DECIDUOUS_HISTORY` names it; `cargo xtask test` knows where to look), taken in by the real
//! binary and given back.

mod common;

use common::Folder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

fn history() -> (String, Value) {
    let path = std::env::var("DECIDUOUS_HISTORY").expect("DECIDUOUS_HISTORY names the file");
    let text = fs::read_to_string(&path).expect("the history");
    (path, serde_json::from_str(&text).expect("JSON"))
}

fn json_of(folder: &Folder, words: &[&str]) -> Value {
    let output = folder.run(words);
    assert!(
        output.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn by_id<'a>(graph: &'a Value, list: &str) -> BTreeMap<i64, &'a Value> {
    let items = graph[list].as_array().expect("a list").iter();
    items
        .map(|item| (item["id"].as_i64().expect("a number"), item))
        .collect()
}

fn parsed(text: &Value) -> Value {
    text.as_str().map_or(Value::Null, |text| {
        serde_json::from_str(text).expect("JSON")
    })
}

#[test]
#[ignore = "needs DECIDUOUS_HISTORY"]
fn every_record_comes_back_as_it_was() {
    let (path, old) = history();
    let folder = Folder::project();
    let taken = json_of(&folder, &["import", &path, "--json"]);
    let (nodes, edges) = (by_id(&old, "nodes"), by_id(&old, "edges"));
    assert_eq!(taken["dropped"], 0);
    assert_eq!(taken["added"]["nodes"], nodes.len());
    assert_eq!(taken["added"]["edges"], edges.len());

    let graph = json_of(&folder, &["graph", "--json"]);
    let (new_nodes, new_edges) = (by_id(&graph, "nodes"), by_id(&graph, "edges"));
    assert_eq!(
        new_nodes.keys().collect::<Vec<_>>(),
        nodes.keys().collect::<Vec<_>>()
    );
    assert_eq!(
        new_edges.keys().collect::<Vec<_>>(),
        edges.keys().collect::<Vec<_>>()
    );
    for (id, node) in &nodes {
        for name in [
            "change_id",
            "node_type",
            "title",
            "description",
            "status",
            "created_at",
            "updated_at",
        ] {
            assert_eq!(new_nodes[id][name], node[name], "{name} of node {id}");
        }
        assert_eq!(
            parsed(&new_nodes[id]["metadata_json"]),
            parsed(&node["metadata_json"]),
            "node {id}"
        );
    }
    for (id, edge) in &edges {
        for name in [
            "from_node_id",
            "to_node_id",
            "edge_type",
            "weight",
            "rationale",
            "created_at",
        ] {
            assert_eq!(new_edges[id][name], edge[name], "{name} of edge {id}");
        }
    }

    // Again, and from its own export into another store: nothing new, the same digest.
    let again = json_of(&folder, &["import", &path, "--json"]);
    assert_eq!(
        (
            &again["added"]["nodes"],
            &again["changed"]["nodes"],
            &again["dropped"]
        ),
        (&0.into(), &0.into(), &0.into())
    );
    let copy = Folder::project();
    fs::write(
        copy.file("graph.json"),
        json_of(&folder, &["export", "--json"]).to_string(),
    )
    .expect("written");
    assert!(copy.run(&["import", "graph.json"]).status.success());
    assert_eq!(
        json_of(&copy, &["digest", "--json"])["digest"],
        json_of(&folder, &["digest", "--json"])["digest"]
    );
    assert_eq!(
        json_of(&folder, &["events", "status", "--verify", "--json"])["breaks"],
        Value::Array(Vec::new())
    );
}

/// The rules of orphans, counted here from the file alone.
#[test]
#[ignore = "needs DECIDUOUS_HISTORY"]
fn orphans_are_those_that_the_rules_name() {
    let (path, old) = history();
    let kinds: BTreeMap<i64, &str> = by_id(&old, "nodes")
        .into_iter()
        .map(|(id, node)| (id, node["node_type"].as_str().expect("a type")))
        .collect();
    let mut before: BTreeMap<i64, BTreeSet<&str>> = BTreeMap::new();
    let mut after = before.clone();
    for edge in by_id(&old, "edges").into_values() {
        let (from, to) = (
            edge["from_node_id"].as_i64().expect("a number"),
            edge["to_node_id"].as_i64().expect("a number"),
        );
        before.entry(to).or_default().insert(kinds[&from]);
        after.entry(from).or_default().insert(kinds[&to]);
    }
    let none = BTreeSet::new();
    let wanted: BTreeSet<i64> = kinds
        .iter()
        .filter(|(id, kind)| {
            let (before, after) = (
                before.get(id).unwrap_or(&none),
                after.get(id).unwrap_or(&none),
            );
            let either = |names: &[&str]| {
                names
                    .iter()
                    .any(|name| before.contains(name) || after.contains(name))
            };
            match **kind {
                "option" => !either(&["goal", "decision"]),
                "decision" => !either(&["option", "goal"]),
                "action" => !["decision", "option", "goal"]
                    .iter()
                    .any(|name| before.contains(name)),
                "outcome" => !before.contains("action"),
                "observation" | "revisit" => before.is_empty() && after.is_empty(),
                _ => false,
            }
        })
        .map(|(id, _)| *id)
        .collect();
    let folder = Folder::project();
    assert!(folder.run(&["import", &path]).status.success());
    let found = json_of(&folder, &["orphans", "--json"]);
    let found: BTreeSet<i64> = found["orphans"]
        .as_array()
        .or(found["nodes"].as_array())
        .expect("a list")
        .iter()
        .map(|node| node["id"].as_i64().expect("a number"))
        .collect();
    assert!(!wanted.is_empty());
    assert_eq!(found, wanted);
}

#[test]
#[ignore = "needs DECIDUOUS_HISTORY"]
fn every_way_of_reading_it_answers() {
    let (path, old) = history();
    let folder = Folder::project();
    assert!(folder.run(&["import", &path]).status.success());
    let some = by_id(&old, "nodes")
        .into_keys()
        .last()
        .expect("a node")
        .to_string();
    for words in [
        &["pulse"][..],
        &["pulse", "--json"],
        &["nodes"],
        &["edges"],
        &["show", &some],
        &["context", &some],
        &["trace", &some],
        &["orphans"],
        &["archaeology", "timeline"],
        &["search", "graph viewer"],
        &["ask", "why is there a web viewer?"],
        &["writeup", "-r", &some],
        &["dot"],
        &["branch", "main"],
        &["themes", "list"],
        &["events", "status"],
    ] {
        let output = folder.run(words);
        assert!(
            output.status.success(),
            "{words:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!output.stdout.is_empty(), "{words:?} says something");
    }
}
