//! Stores made by published versions of the public tool (`tests/old-stores`), opened by the real binary.

mod common;

use common::Folder;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const VERSIONS: [&str; 5] = ["0.1.0", "0.9.6", "0.13.15", "0.19.0", "1.1.0"];

fn stores() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/old-stores")
}

/// A project with the store of a version.
fn project(version: &str) -> Folder {
    let folder = Folder::empty();
    let inside = folder.file(".deciduous");
    fs::create_dir_all(inside.join("documents")).expect("made");
    fs::copy(
        stores().join(format!("{version}.db")),
        inside.join("deciduous.db"),
    )
    .expect("copied");
    for document in fs::read_dir(stores().join("documents")).expect("listed") {
        let document = document.expect("an entry");
        fs::copy(
            document.path(),
            inside.join("documents").join(document.file_name()),
        )
        .expect("copied");
    }
    folder
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

/// The rows of a table of the store as it was, straight from the file.
fn rows(version: &str, sql: &str) -> Vec<Map<String, Value>> {
    let copy = tempfile::tempdir().expect("a folder");
    let path = copy.path().join("old.db");
    fs::copy(stores().join(format!("{version}.db")), &path).expect("copied");
    let old =
        Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("opened");
    let Ok(mut statement) = old.prepare(sql) else {
        return Vec::new();
    };
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| {
        let cell = |at: usize| -> rusqlite::Result<Value> {
            Ok(match row.get::<_, rusqlite::types::Value>(at)? {
                rusqlite::types::Value::Integer(number) => number.into(),
                rusqlite::types::Value::Real(number) => number.into(),
                rusqlite::types::Value::Text(text) => text.into(),
                _ => Value::Null,
            })
        };
        names
            .iter()
            .enumerate()
            .map(|(at, name)| Ok((name.clone(), cell(at)?)))
            .collect()
    });
    rows.expect("asked")
        .collect::<Result<_, _>>()
        .expect("read")
}

/// Objects by their number.
fn by_id(list: &Value) -> BTreeMap<i64, Value> {
    let items = list.as_array().expect("a list").iter();
    items
        .map(|item| (item["id"].as_i64().expect("a number"), item.clone()))
        .collect()
}

fn parsed(text: &Value) -> Value {
    text.as_str().map_or(Value::Null, |text| {
        serde_json::from_str(text).expect("JSON")
    })
}

#[test]
fn every_record_of_every_version_is_there_with_its_number_and_dates() {
    for version in VERSIONS {
        let folder = project(version);
        let graph = json_of(&folder, &["export", "--json"]);

        let nodes = by_id(&graph["nodes"]);
        let old = rows(version, "SELECT * FROM decision_nodes");
        assert!(old.len() >= 9, "{version} has a story");
        assert_eq!(nodes.len(), old.len(), "{version}");
        let mut identities = BTreeMap::new();
        for row in &old {
            let node = &nodes[&row["id"].as_i64().expect("a number")];
            for name in [
                "node_type",
                "title",
                "description",
                "status",
                "created_at",
                "updated_at",
            ] {
                assert_eq!(node[name], row[name], "{version}: {name} of {row:?}");
            }
            assert_eq!(
                parsed(&node["metadata_json"]),
                parsed(&row["metadata_json"]),
                "{version}: {row:?}"
            );
            if let Some(id) = row.get("change_id") {
                assert_eq!(node["change_id"], *id, "{version}");
            }
            identities.insert(row["id"].as_i64(), node["change_id"].clone());
        }

        let edges = by_id(&graph["edges"]);
        let old = rows(version, "SELECT * FROM decision_edges");
        assert_eq!(edges.len(), old.len(), "{version}");
        for row in &old {
            let edge = &edges[&row["id"].as_i64().expect("a number")];
            for name in [
                "from_node_id",
                "to_node_id",
                "edge_type",
                "weight",
                "rationale",
                "created_at",
            ] {
                assert_eq!(edge[name], row[name], "{version}: {name} of {row:?}");
            }
        }

        let themes = by_id(&graph["themes"]);
        let old = rows(version, "SELECT * FROM themes");
        assert_eq!(themes.len(), old.len(), "{version}");
        for row in &old {
            let theme = &themes[&row["id"].as_i64().expect("a number")];
            for name in ["name", "color", "description"] {
                assert_eq!(theme[name], row[name], "{version}: {name} of {row:?}");
            }
        }
        let tags: Vec<(Value, Value)> = rows(
            version,
            "SELECT node_id, name FROM node_themes JOIN themes ON id=theme_id ORDER BY 1, 2",
        )
        .into_iter()
        .map(|row| (row["node_id"].clone(), row["name"].clone()))
        .collect();
        let mut found: Vec<(Value, Value)> = graph["node_themes"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|tag| (tag["node_id"].clone(), tag["theme"].clone()))
            .collect();
        found.sort_by_key(|(node, theme)| (node.as_i64(), theme.to_string()));
        assert_eq!(found, tags, "{version}");

        let documents = by_id(&graph["documents"]);
        let old = rows(
            version,
            "SELECT * FROM node_documents WHERE detached_at IS NULL",
        );
        assert_eq!(documents.len(), old.len(), "{version}");
        for row in &old {
            let document = &documents[&row["id"].as_i64().expect("a number")];
            assert_eq!(document["change_id"], row["change_id"], "{version}");
            assert_eq!(document["node_id"], row["node_id"], "{version}");
            assert_eq!(document["name"], row["original_filename"], "{version}");
            assert_eq!(document["sha256"], row["content_hash"], "{version}");
            let bytes = fs::read(
                folder
                    .file(".deciduous/documents")
                    .join(document["sha256"].as_str().expect("a text")),
            )
            .expect("its bytes");
            assert_eq!(
                json!(hex(&Sha256::digest(bytes))),
                row["content_hash"],
                "{version}"
            );
        }

        let sessions = by_id(&graph["sessions"]);
        let old = rows(version, "SELECT * FROM decision_sessions");
        assert_eq!(sessions.len(), old.len(), "{version}");
        for row in &old {
            let session = &sessions[&row["id"].as_i64().expect("a number")];
            assert_eq!(session["name"], row["name"], "{version}");
            assert_eq!(session["summary"], row["summary"], "{version}");
            assert_eq!(
                session["root_change_id"],
                identities[&row["root_node_id"].as_i64()],
                "{version}"
            );
            let members = rows(
                version,
                &format!(
                    "SELECT node_id FROM session_nodes WHERE session_id={} ORDER BY 1",
                    row["id"]
                ),
            );
            let members: Vec<Value> = members
                .iter()
                .map(|member| identities[&member["node_id"].as_i64()].clone())
                .collect();
            assert_eq!(session["node_change_ids"], json!(members), "{version}");
        }
        assert_eq!(
            json_of(&folder, &["events", "status", "--json"])["breaks"],
            json!([]),
            "{version}"
        );
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The tool's own `graph` of the same store, read by `import`, says the same as the upgraded store.
#[test]
fn the_digest_is_that_of_the_versions_own_export() {
    for version in VERSIONS {
        let upgraded = project(version);
        let fresh = Folder::project();
        let own = stores().join(format!("{version}.json"));
        assert!(
            fresh
                .run(&["import", own.to_str().expect("a path")])
                .status
                .success(),
            "{version}"
        );
        // What that version's `graph` leaves out.
        let without_sessions = |folder: &Folder| {
            let mut graph = json_of(folder, &["export", "--json"]);
            for key in ["sessions", "total_nodes", "total_edges", "truncated"] {
                graph.as_object_mut().expect("an object").remove(key);
            }
            graph
        };
        assert_eq!(
            without_sessions(&upgraded),
            without_sessions(&fresh),
            "{version}"
        );
        let digest = |folder: &Folder| json_of(folder, &["digest", "--json"])["digest"].clone();
        let has_sessions = !rows(version, "SELECT * FROM decision_sessions").is_empty();
        assert!(
            has_sessions || digest(&upgraded) == digest(&fresh),
            "{version}"
        );
    }
}

#[test]
fn numbers_of_what_was_deleted_are_not_given_again() {
    let folder = project("1.1.0");
    let inside = folder.file(".deciduous/deciduous.db");
    let old = Connection::open(&inside).expect("opened");
    old.execute_batch("DELETE FROM session_nodes WHERE node_id=16; DELETE FROM decision_sessions WHERE root_node_id=16; DELETE FROM decision_nodes WHERE id=16").expect("deleted");
    drop(old);
    assert_eq!(
        json_of(&folder, &["add", "goal", "New", "--json"])["id"],
        17
    );
}

#[test]
fn it_is_said_once_and_the_store_as_it_was_lies_beside() {
    let folder = project("1.1.0");
    let first = folder.run(&["nodes"]);
    assert!(first.status.success());
    let note = String::from_utf8(first.stderr).expect("text");
    for said in [
        "15 nodes, 8 edges, 2 themes, 3 tags, 3 documents, 2 sessions",
        "dropped 0",
        "deciduous.before-upgrade.db",
        "node_aliases (16)",
    ] {
        assert!(note.contains(said), "{said} in {note}");
    }
    let second = folder.run(&["nodes"]);
    assert!(
        second.status.success() && second.stderr.is_empty(),
        "{second:?}"
    );
    assert_eq!(
        json_of(&folder, &["upgrade", "--json"]),
        json!({ "upgraded": false })
    );
    let backup = Connection::open_with_flags(
        folder.file(".deciduous/deciduous.before-upgrade.db"),
        OpenFlags::SQLITE_OPEN_READ_ONLY,
    )
    .expect("opened");
    let nodes: i64 = backup
        .query_row("SELECT count(*) FROM decision_nodes", [], |row| row.get(0))
        .expect("read");
    assert_eq!(nodes, 15);
}

#[test]
fn rows_that_join_nothing_stop_it_and_leave_everything_as_it_was() {
    let folder = project("0.9.6");
    let store = folder.file(".deciduous/deciduous.db");
    let old = Connection::open(&store).expect("opened");
    old.execute_batch("PRAGMA foreign_keys=OFF; INSERT INTO decision_edges(from_node_id, to_node_id, edge_type, created_at) VALUES(1, 99, 'leads_to', '2025-01-01T00:00:00Z')").expect("broken");
    drop(old);
    let before = fs::read(&store).expect("read");
    let refused = folder.run(&["nodes"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let said = String::from_utf8(refused.stderr).expect("text");
    assert!(
        said.contains("99") && said.contains("--leave-dangling"),
        "{said}"
    );
    assert!(
        fs::read(&store).expect("read") == before,
        "the store is as it was"
    );
    assert!(
        !folder
            .file(".deciduous/deciduous.before-upgrade.db")
            .exists()
    );
    let left = json_of(&folder, &["upgrade", "--leave-dangling", "--json"]);
    assert_eq!(left["report"]["total_dangling"], 1);
    assert_eq!(left["report"]["added"]["edges"], 8);
}

#[test]
fn a_type_that_nobody_knows_stops_it() {
    let folder = project("0.9.6");
    let store = folder.file(".deciduous/deciduous.db");
    Connection::open(&store)
        .expect("opened")
        .execute_batch("UPDATE decision_nodes SET node_type='dream' WHERE id=3")
        .expect("changed");
    let before = fs::read(&store).expect("read");
    let refused = folder.run(&["nodes"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    assert!(
        String::from_utf8(refused.stderr)
            .expect("text")
            .contains("dream")
    );
    assert!(
        fs::read(&store).expect("read") == before,
        "the store is as it was"
    );
}

#[test]
fn two_that_open_it_at_once_upgrade_it_once() {
    let folder = project("0.19.0");
    let children: Vec<_> = (0..6)
        .map(|_| {
            folder
                .command(&["nodes", "--json"])
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("started")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("ended");
        assert!(output.status.success(), "{output:?}");
        let nodes: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(nodes["total"], 15);
    }
    let copies = fs::read_dir(folder.file(".deciduous"))
        .expect("listed")
        .filter(|entry| {
            entry.as_ref().is_ok_and(|entry| {
                entry
                    .file_name()
                    .to_string_lossy()
                    .contains("before-upgrade")
            })
        })
        .count();
    assert_eq!(copies, 1);
}
