//! The doctor with the real command: each damage is found, mended, and can be brought back; a sound store is clean.

mod common;

use common::{Folder, Server, err, out};
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const DATABASE: &str = ".deciduous/deciduous.db";

/// A store with something of every kind in it.
fn sample() -> Folder {
    let folder = Folder::project();
    fs::write(folder.file("notes.md"), "because it is revocable").expect("written");
    for words in [
        &["session", "start", "auth", "Refactor auth"][..],
        &[
            "add",
            "option",
            "Cookies on the server",
            "-d",
            "revocable at once",
        ],
        &["add", "option", "Signed tokens", "-p", "what about JWT?"],
        &["add", "decision", "Cookies"],
        &["link", "1", "2"],
        &["link", "1", "3"],
        &["link", "2", "4", "-t", "chosen"],
        &["themes", "create", "security"],
        &["tag", "add", "2", "security"],
        &["doc", "attach", "2", "notes.md"],
        &["status", "4", "completed"],
        &["add", "observation", "Gone again"],
        &["delete", "5"],
    ] {
        let output = folder.run(words);
        assert!(output.status.success(), "{words:?}: {}", err(&output));
    }
    folder
}

fn sql(folder: &Folder, statements: &str) {
    let store = Connection::open(folder.file(DATABASE)).expect("opened");
    store.execute_batch(statements).expect("done");
}

/// What the doctor says: its report and its exit code.
fn doctor(folder: &Folder, flags: &[&str]) -> (Value, i32) {
    let output = folder.run(&[&["--json", "doctor"], flags].concat());
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", out(&output), err(&output)));
    (report, output.status.code().expect("an exit"))
}

fn kinds(report: &Value) -> Vec<String> {
    report["kinds"]
        .as_object()
        .expect("kinds")
        .keys()
        .cloned()
        .collect()
}

fn is_clean(folder: &Folder) {
    let (report, exit) = doctor(folder, &[]);
    assert_eq!(
        (report["clean"].as_bool(), exit),
        (Some(true), 0),
        "{report:#}"
    );
}

fn digest(folder: &Folder) -> Value {
    folder.json(&["digest"])["digest"].clone()
}

/// Every row of every table but those that tell of the store's own name, and all words of the search index.
fn content(path: &Path) -> BTreeMap<String, Vec<Vec<Cell>>> {
    let store = Connection::open(path).expect("opened");
    store
        .execute_batch(
            "CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'search', 'instance')",
        )
        .expect("words");
    let mut tables = BTreeMap::new();
    let mut names: Vec<String> = store
        .prepare("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'search%' AND name NOT IN ('workspace', 'replica')")
        .expect("SQL")
        .query_map([], |row| row.get(0))
        .expect("names")
        .collect::<Result<_, _>>()
        .expect("names");
    names.extend(["search_term", "search_docs", "words"].map(str::to_owned));
    for name in names {
        let mut statement = store
            .prepare(&format!("SELECT * FROM {name}"))
            .expect("SQL");
        let width = statement.column_count();
        let rows = statement
            .query_map([], |row| (0..width).map(|at| row.get(at)).collect())
            .expect("rows")
            .collect::<Result<_, _>>()
            .expect("rows");
        tables.insert(name, rows);
    }
    tables
}

/// Damages a store, has it looked at, mended and brought back; answers what was done and the store, brought back and
/// mended a second time.
fn treated(statements: &str, kind: &str) -> (Value, Folder) {
    let folder = sample();
    is_clean(&folder);
    sql(&folder, statements);
    let damaged = content(&folder.file(DATABASE));
    let bytes = fs::read(folder.file(DATABASE)).expect("read");
    let (report, exit) = doctor(&folder, &[]);
    assert_eq!(exit, 1, "{report:#}");
    assert!(
        kinds(&report).contains(&kind.to_owned()),
        "{kind}: {report:#}"
    );
    for finding in report["findings"].as_array().expect("a list") {
        for part in ["subject", "what", "repair"] {
            assert!(
                !finding[part].as_str().expect("text").is_empty(),
                "{finding}"
            );
        }
    }
    assert!(
        fs::read(folder.file(DATABASE)).expect("read") == bytes,
        "looking changed the file"
    );

    let (fixed, exit) = doctor(&folder, &["--fix"]);
    assert_eq!(exit, 0, "{fixed:#}");
    is_clean(&folder);
    let backup = fixed["backup"].as_str().expect("a backup").to_owned();
    let (restored, exit) = doctor(&folder, &["--restore", &backup]);
    assert_eq!(exit, 0, "{restored:#}");
    assert!(
        content(&folder.file(DATABASE)) == damaged,
        "not all came back"
    );
    assert_eq!(doctor(&folder, &[]).0["kinds"], report["kinds"]);
    // What the restoring put aside is the mended store.
    let former = restored["former"].as_str().expect("a path").to_owned();
    assert_eq!(doctor(&folder, &["--restore", &former]).1, 0);
    is_clean(&folder);
    (fixed, folder)
}

#[test]
fn a_store_that_nobody_touched_is_clean() {
    let empty = Folder::project();
    is_clean(&empty);
    let folder = sample();
    is_clean(&folder);
    let text = folder.run(&["doctor"]);
    assert!(
        out(&text).starts_with("Clean. Looked at: "),
        "{}",
        out(&text)
    );
    let (fixed, exit) = doctor(&folder, &["--fix"]);
    assert_eq!((fixed["backup"].is_null(), exit), (true, 0), "{fixed:#}");
    for words in [&["undo"][..], &["redo"], &["delete", "1"], &["undo"]] {
        folder.run(words);
        is_clean(&folder);
    }
}

#[test]
fn rows_that_say_otherwise_are_made_again() {
    let folder = sample();
    let before = digest(&folder);
    drop(folder);
    let (fixed, folder) = treated(
        "UPDATE node SET title='Something else', updated_at=1 WHERE id=2;
         UPDATE edge SET rationale='forged' WHERE from_id=1 AND to_id=2;
         UPDATE node_theme SET deleted_at=7;
         UPDATE session SET summary='none';
         UPDATE document SET size_bytes=1;",
        "fold",
    );
    assert_eq!(fixed["done"]["rows"], 5, "{fixed:#}");
    assert_eq!(
        folder.json(&["show", "2"])["title"],
        "Cookies on the server"
    );
    assert!(before.is_string());
}

#[test]
fn rows_that_were_removed_come_back_under_their_numbers() {
    let (fixed, folder) = treated(
        "DELETE FROM node WHERE id IN (2, 4); DELETE FROM edge WHERE to_id=3; DELETE FROM theme; DELETE FROM document; DELETE FROM session_node;",
        "fold",
    );
    assert!(
        kinds(&fixed["found"]).contains(&"dangling".to_owned()),
        "{fixed:#}"
    );
    assert_eq!(
        folder.json(&["show", "2"])["title"],
        "Cookies on the server"
    );
    assert_eq!(folder.json(&["show", "4"])["status"], "completed");
    assert_eq!(folder.json(&["doc", "list"])["documents"][0]["node_id"], 2);
    assert_eq!(folder.json(&["search", "revocable"])["nodes"][0]["id"], 2);
}

#[test]
fn what_somebody_wrote_with_sql_is_kept() {
    let (fixed, folder) = treated(
        "INSERT INTO node SELECT workspace, 40, 'by-hand', node_type, 'Written by hand', description, status, confidence, prompt, files, branch, \"commit\", metadata, created_at, created_text, updated_at, updated_text, NULL, NULL, 0 FROM node WHERE id=2;
         INSERT INTO edge SELECT workspace, 4, 40, 'leads_to', 77, 'by hand', weight, created_at, created_text, NULL, NULL, 0 FROM edge WHERE from_id=1 AND to_id=2;
         INSERT INTO edge SELECT workspace, 4, 99, 'leads_to', 78, 'to nothing', weight, created_at, created_text, NULL, NULL, 0 FROM edge WHERE from_id=1 AND to_id=2;",
        "unrecorded",
    );
    assert_eq!(fixed["done"]["events"], 3, "{fixed:#}");
    assert_eq!(fixed["done"]["placeholders"], 1, "{fixed:#}");
    let node = folder.json(&["show", "40"]);
    assert_eq!(
        (&node["title"], &node["incoming"][0]["rationale"]),
        (&json!("Written by hand"), &json!("by hand"))
    );
    assert_eq!(folder.json(&["add", "goal", "Next"])["id"], 100);
    assert_eq!(
        folder.json(&["search", "written by hand"])["nodes"][0]["id"],
        40
    );
}

#[test]
fn a_search_index_that_is_wrong_is_made_again() {
    for statements in [
        "DELETE FROM search WHERE rowid=(SELECT max(rowid) FROM search);",
        "INSERT INTO search(rowid, terms) VALUES((1<<40) + (3<<8) + 200, 'w1xghost');",
        "UPDATE search_term SET df=df+1 WHERE term=(SELECT min(term) FROM search_term);",
        "UPDATE search_docs SET docs=1;",
        "DROP TABLE search;",
    ] {
        let folder = sample();
        sql(&folder, statements);
        let (report, exit) = doctor(&folder, &[]);
        assert_eq!(
            (kinds(&report), exit),
            (vec!["search".to_owned()], 1),
            "{statements}: {report:#}"
        );
        let (fixed, exit) = doctor(&folder, &["--fix"]);
        assert_eq!(
            (&fixed["done"]["search"], exit),
            (&json!(4), 0),
            "{statements}: {fixed:#}"
        );
        is_clean(&folder);
        assert_eq!(folder.json(&["search", "tokens"])["nodes"][0]["id"], 3);
    }
}

#[test]
fn counters_and_marks_that_are_wrong_are_set_right() {
    let (_, folder) = treated(
        "UPDATE workspace SET next_node=2, next_edge=1, conflicts=4, lamport=1; UPDATE node SET seq=0 WHERE id=3;",
        "counter",
    );
    assert_eq!(folder.json(&["add", "goal", "Next"])["id"], 6);
    is_clean(&folder);
}

#[test]
fn a_ledger_with_a_hole_is_told_and_what_the_rows_say_is_kept() {
    let folder = sample();
    let before = digest(&folder);
    // Every event of node 2, and the one that finished node 4.
    sql(
        &folder,
        "DELETE FROM event WHERE subject='node/' || (SELECT change_id FROM node WHERE id=2);
         DELETE FROM event WHERE kind LIKE '%status%' OR kind='node.changed';",
    );
    let (report, exit) = doctor(&folder, &[]);
    assert_eq!(exit, 1);
    assert!(kinds(&report).contains(&"chain".to_owned()), "{report:#}");
    let (fixed, exit) = doctor(&folder, &["--fix"]);
    // The hole itself cannot be filled.
    assert_eq!(
        (kinds(&fixed["left"]), exit),
        (vec!["chain".to_owned()], 1),
        "{fixed:#}"
    );
    assert_eq!(digest(&folder), before);
    let (report, exit) = doctor(&folder, &[]);
    assert_eq!((kinds(&report), exit), (vec!["chain".to_owned()], 1));
    let again = folder.run(&["doctor", "--fix"]);
    assert!(
        out(&again).contains("nothing was changed"),
        "{}",
        out(&again)
    );
}

#[test]
fn a_ledger_whose_end_is_gone_goes_on_under_a_new_name() {
    let folder = sample();
    let before = digest(&folder);
    let name = |folder: &Folder| folder.json(&["events", "read"])["replica"].clone();
    let former = name(&folder);
    sql(
        &folder,
        "DELETE FROM event WHERE seq > (SELECT max(seq) FROM event) - 2;",
    );
    assert_eq!(doctor(&folder, &["--fix"]).1, 0);
    is_clean(&folder);
    assert_eq!(digest(&folder), before);
    assert_ne!(name(&folder), former);
}

#[test]
fn documents_that_are_missing_or_changed_are_told_and_stored_again() {
    let folder = sample();
    let documents = folder.file(".deciduous/documents");
    let blob = fs::read_dir(&documents)
        .expect("listed")
        .flatten()
        .next()
        .expect("one")
        .path();
    for damage in ["", "other bytes"] {
        match damage {
            "" => fs::remove_file(&blob).expect("removed"),
            bytes => fs::write(&blob, bytes).expect("written"),
        }
        let (report, exit) = doctor(&folder, &[]);
        assert_eq!(
            (kinds(&report), exit),
            (vec!["blob".to_owned()], 1),
            "{report:#}"
        );
        assert_eq!(doctor(&folder, &["--fix"]).1, 0);
        assert_eq!(fs::read(&blob).expect("read"), b"because it is revocable");
    }
    // Kept under another name: somebody may want it.
    let (report, exit) = doctor(&folder, &[]);
    assert_eq!(exit, 0);
    assert!(
        report["notes"][0]
            .as_str()
            .expect("a note")
            .contains(".changed"),
        "{report:#}"
    );
    // Where the file is another one by now, only a backup helps.
    fs::write(folder.file("notes.md"), "rewritten").expect("written");
    fs::remove_file(&blob).expect("removed");
    let (fixed, exit) = doctor(&folder, &["--fix"]);
    assert_eq!((fixed["backup"].is_null(), exit), (true, 1), "{fixed:#}");
    assert_eq!(fixed["left"]["findings"][0]["mendable"], false);
    // Nobody needs the bytes of a detached document.
    folder.json(&["undo", "--node", "2"]);
    is_clean(&folder);
}

#[test]
fn tables_of_an_older_program_that_come_again_are_taken_in() {
    let folder = sample();
    sql(
        &folder,
        "CREATE TABLE decision_nodes(id INTEGER PRIMARY KEY AUTOINCREMENT, change_id TEXT, node_type TEXT NOT NULL, title TEXT NOT NULL, description TEXT, status TEXT NOT NULL DEFAULT 'pending', created_at TEXT NOT NULL, updated_at TEXT NOT NULL, metadata_json TEXT);
         CREATE TABLE decision_edges(id INTEGER PRIMARY KEY AUTOINCREMENT, from_node_id INTEGER NOT NULL, to_node_id INTEGER NOT NULL, from_change_id TEXT, to_change_id TEXT, edge_type TEXT NOT NULL, weight REAL, rationale TEXT, created_at TEXT NOT NULL);
         INSERT INTO decision_nodes(change_id, node_type, title, status, created_at, updated_at) VALUES('0192f0c1-0000-4000-8000-000000000001', 'goal', 'From the old binary', 'pending', '2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z');",
    );
    let (report, exit) = doctor(&folder, &[]);
    assert_eq!(
        (kinds(&report), exit),
        (vec!["older".to_owned()], 1),
        "{report:#}"
    );
    let (fixed, exit) = doctor(&folder, &["--fix"]);
    assert_eq!((&fixed["done"]["older"], exit), (&json!(1), 0), "{fixed:#}");
    is_clean(&folder);
    assert_eq!(
        folder.json(&["search", "binary"])["nodes"][0]["title"],
        "From the old binary"
    );
    assert_eq!(folder.json(&["show", "1"])["node_type"], "goal");
}

#[test]
fn an_index_of_the_file_that_lacks_rows_is_made_again() {
    let folder = sample();
    let turn = |from: &str, to: &str| {
        sql(
            &folder,
            &format!(
                "PRAGMA writable_schema=ON;
                 UPDATE sqlite_schema SET sql=replace(sql, '{from}', '{to}') WHERE name='node_by_created';"
            ),
        );
    };
    // What is written meanwhile goes to the index under another column's values.
    turn("created_at", "updated_at");
    sql(
        &folder,
        "UPDATE node SET updated_at=updated_at+5 WHERE id=3;",
    );
    turn("updated_at", "created_at");
    let (report, exit) = doctor(&folder, &[]);
    assert!(kinds(&report).contains(&"file".to_owned()), "{report:#}");
    assert_eq!(exit, 1);
    let (fixed, exit) = doctor(&folder, &["--fix"]);
    assert_eq!(exit, 0, "{fixed:#}");
    is_clean(&folder);
}

#[cfg(unix)]
#[test]
fn what_anybody_may_change_is_kept_from_them() {
    use std::os::unix::fs::PermissionsExt;
    let folder = sample();
    let path = folder.file(DATABASE);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("set");
    let (report, exit) = doctor(&folder, &[]);
    assert_eq!(
        (kinds(&report), exit),
        (vec!["permission".to_owned()], 1),
        "{report:#}"
    );
    assert_eq!(doctor(&folder, &["--fix"]).1, 0);
    assert_eq!(
        fs::metadata(&path).expect("there").permissions().mode() & 0o777,
        0o664
    );
    is_clean(&folder);
}

#[test]
fn a_mending_has_the_store_to_itself_and_a_look_does_not_need_it() {
    let folder = sample();
    sql(&folder, "UPDATE node SET title='x' WHERE id=2;");
    let mut server = Server::start(&folder);
    server.call(1, "show_node", json!({ "node_id": 2 }));
    server.next();
    assert_eq!(doctor(&folder, &[]).1, 1);
    let before = fs::read(folder.file(DATABASE)).expect("read");
    for flags in [&["--fix"][..], &["--restore", DATABASE]] {
        let refused = folder.run(&[&["doctor"], flags].concat());
        assert_ne!(refused.status.code(), Some(0));
    }
    let refused = folder.run(&["doctor", "--fix"]);
    assert_eq!(refused.status.code(), Some(5), "{}", err(&refused));
    assert!(
        err(&refused).contains("has the database open"),
        "{}",
        err(&refused)
    );
    assert!(fs::read(folder.file(DATABASE)).expect("read") == before);
    server.end();
    assert_eq!(doctor(&folder, &["--fix"]).1, 0);
}

#[test]
fn a_damaged_database_is_told_left_alone_and_put_back_from_a_backup() {
    let folder = sample();
    let before = digest(&folder);
    let backup = folder.file("backup.db");
    fs::copy(folder.file(DATABASE), &backup).expect("copied");
    for damage in [
        &b"not a database at all, and long enough to be one"[..],
        b"",
    ] {
        fs::write(folder.file(DATABASE), damage).expect("damaged");
        for flags in [&[][..], &["--fix"]] {
            let output = folder.run(&[&["doctor"], flags].concat());
            assert_eq!(output.status.code(), Some(1), "{}", out(&output));
            assert!(err(&output).contains("backup"), "{}", err(&output));
            assert_eq!(fs::read(folder.file(DATABASE)).expect("read"), damage);
        }
        let (restored, exit) = doctor(&folder, &["--restore", "backup.db"]);
        assert_eq!(
            (&restored["damaged"], exit),
            (&json!(true), 0),
            "{restored:#}"
        );
        assert_eq!(
            fs::read(restored["former"].as_str().expect("a path")).expect("read"),
            damage
        );
        is_clean(&folder);
        assert_eq!(digest(&folder), before);
        assert_eq!(folder.json(&["add", "goal", "goes on"])["title"], "goes on");
        folder.json(&["undo"]);
    }
    // In the middle: SQLite can open it and finds it broken.
    let mut bytes = fs::read(&backup).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0xaa);
    fs::write(folder.file(DATABASE), &bytes).expect("damaged");
    for flags in [&[][..], &["--fix"]] {
        let output = folder.run(&[&["doctor"], flags].concat());
        assert_eq!(
            output.status.code(),
            Some(1),
            "{}{}",
            out(&output),
            err(&output)
        );
    }
    let (restored, exit) = doctor(&folder, &["--restore", "backup.db"]);
    assert_eq!(
        (&restored["damaged"], exit),
        (&json!(true), 0),
        "{restored:#}"
    );
    is_clean(&folder);
    // What is no backup changes nothing.
    for from in ["notes.md", "nowhere.db", DATABASE] {
        let output = folder.run(&["doctor", "--restore", from]);
        assert!(!output.status.success(), "{from}");
        is_clean(&folder);
    }
}
