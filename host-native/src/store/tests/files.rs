//! Files that are not ours, are damaged, older or newer, locked, or in odd places.

use super::{ask, column, count, in_memory, names, open, put, schema, write};
use crate::Access;
use crate::store::open::VFS;
use crate::store::{Transaction, create};
use deciduous_boundary::{Cell, Change, ColumnType, Fetch, Index, Schema, Table};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    (folder, path)
}

fn filled(path: &Path) {
    let mut store = open(path, Access::Write, &schema()).expect("made");
    write(&mut store, &[put(1, "one"), put(2, "two")]).expect("written");
}

fn rows(path: &Path, access: Access) -> String {
    let mut store = open(path, access, &schema()).expect("opened");
    ask(&mut store, &count()).expect("answered").0
}

/// Opening fails either way, says these words, and leaves the file as it was.
fn is_left_alone(path: &Path, words: &str) {
    let before = fs::read(path).expect("read");
    for access in [Access::Read, Access::Write] {
        let failure = open(path, access, &schema()).expect_err("not to be opened");
        assert!(
            failure.message.contains(words),
            "{access:?}: {}",
            failure.message
        );
        assert!(!failure.next.is_empty());
    }
    assert!(
        fs::read(path).expect("read") == before,
        "the file was changed"
    );
}

#[test]
fn a_store_is_made_once_and_read_by_another_connection() {
    let (folder, path) = place();
    assert_eq!(
        open(&path, Access::Read, &schema())
            .expect_err("not there")
            .exit,
        3
    );
    filled(&path);
    assert_eq!(rows(&path, Access::Read), "[2]");
    assert_eq!(rows(&path, Access::Write), "[2]");
    let left: Vec<_> = fs::read_dir(folder.path())
        .expect("listed")
        .flatten()
        .map(|e| e.file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| name.to_string_lossy().starts_with("store.db")),
        "{left:?}"
    );
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains(".new-")),
        "{left:?}"
    );
}

#[test]
fn the_file_is_readable_by_a_person() {
    let (_folder, path) = place();
    filled(&path);
    let connection = Connection::open(&path).expect("opened");
    let sql: String = connection
        .query_row(
            "SELECT sql FROM sqlite_schema WHERE name='thing'",
            [],
            |row| row.get(0),
        )
        .expect("there");
    assert!(
        sql.contains("\"num\" INTEGER NOT NULL") && sql.contains("STRICT"),
        "{sql}"
    );
    let mode: String = connection
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .expect("a mode");
    assert_eq!(mode, "wal");
    let check: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("checked");
    assert_eq!(check, "ok");
}

#[test]
fn what_is_no_store_is_left_alone() {
    let (_folder, path) = place();
    fs::write(&path, "").expect("written");
    is_left_alone(&path, "is empty");
    fs::write(&path, "no database at all\n".repeat(400)).expect("written");
    is_left_alone(&path, "not a SQLite database");
    fs::remove_file(&path).expect("removed");
    Connection::open(&path)
        .expect("made")
        .execute_batch("CREATE TABLE nodes(id); PRAGMA user_version=9")
        .expect("made");
    is_left_alone(&path, "another program");
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("made");
    assert!(
        open(&path, Access::Write, &schema())
            .expect_err("a folder")
            .message
            .contains("not a file")
    );
}

#[test]
fn a_damaged_or_cut_off_store_is_left_alone() {
    let (_folder, path) = place();
    filled(&path);
    let whole = fs::read(&path).expect("read");
    fs::write(&path, &whole[..whole.len() / 2]).expect("cut");
    is_left_alone(&path, "damaged");
    let mut broken = whole.clone();
    broken[100..600].fill(0xee);
    fs::write(&path, &broken).expect("broken");
    is_left_alone(&path, "damaged");
    fs::write(&path, &whole[..60]).expect("cut");
    is_left_alone(&path, "damaged");
}

#[test]
fn a_newer_store_is_left_alone() {
    let (_folder, path) = place();
    let newer = Schema {
        version: 4,
        ..schema()
    };
    drop(open(&path, Access::Write, &newer).expect("made"));
    is_left_alone(&path, "format 4");
}

#[test]
fn an_older_store_gets_what_it_lacks_and_keeps_what_it_has() {
    for access in [Access::Write, Access::Read] {
        let (_folder, path) = place();
        filled(&path);
        let mut newer = Schema {
            version: 4,
            ..schema()
        };
        newer.tables[0]
            .columns
            .push(column("note", ColumnType::Text, true));
        newer.tables[0]
            .columns
            .push(column("rank", ColumnType::Int, false));
        newer.tables[0].indexes[1].columns = names(&["workspace", "rank"]);
        let columns = vec![
            column("workspace", ColumnType::Int, false),
            column("seq", ColumnType::Int, false),
        ];
        let index = Index {
            name: "other_by_seq".into(),
            columns: names(&["workspace", "seq"]),
            unique: false,
            with: vec![],
        };
        newer.tables.push(Table {
            name: "other".into(),
            columns,
            key: names(&["workspace"]),
            indexes: vec![index],
        });
        let fetch = Fetch::Scan {
            table: "thing".into(),
            index: "thing_by_kind".into(),
            cols: names(&["name", "note", "rank"]),
            prefixes: vec![vec![Cell::Int(1)]],
            from: None,
            to: None,
            after: vec![],
            desc: false,
            limit: 0,
        };
        let mut store = open(&path, access, &newer).expect("brought up to date");
        assert_eq!(
            ask(&mut store, &fetch).expect("answered").0,
            r#"[[["one",null,0],["two",null,0]]]"#
        );
        drop(store);
        is_left_alone(&path, "format 4");
    }
}

#[test]
fn a_schema_of_the_same_format_adds_to_the_store_and_older_programs_go_on() {
    let (_folder, path) = place();
    filled(&path);
    let mut newer = schema();
    newer.tables[0]
        .columns
        .push(column("note", ColumnType::Text, true));
    let mut store = open(&path, Access::Write, &newer).expect("added to");
    let row = vec![
        Cell::Int(1),
        Cell::Int(3),
        Cell::Int(3),
        "three".into(),
        Cell::Null,
        "kept".into(),
    ];
    write(
        &mut store,
        &[Change::Put {
            table: "thing".into(),
            row,
        }],
    )
    .expect("written");
    drop(store);
    let mut older = open(&path, Access::Write, &schema()).expect("still ours");
    write(&mut older, &[put(3, "new name")]).expect("written");
    let connection = Connection::open(&path).expect("opened");
    let note: String = connection
        .query_row("SELECT note FROM thing WHERE num=3", [], |row| row.get(0))
        .expect("there");
    assert_eq!(note, "kept");
}

#[test]
fn a_lock_held_too_long_is_a_failure_that_names_the_holder() {
    let (_folder, path) = place();
    filled(&path);
    let mut one = open(&path, Access::Write, &schema()).expect("opened");
    let mut two = open(&path, Access::Write, &schema()).expect("opened");
    one.begin(Transaction::Write).expect("alone");
    let failure = two.begin(Transaction::Write).expect_err("not alone");
    assert!(failure.message.contains("lock"), "{}", failure.message);
    assert!(
        cfg!(not(target_os = "linux")) || failure.message.contains("(process "),
        "{}",
        failure.message
    );
    assert_eq!(rows(&path, Access::Read), "[2]");
    one.apply(&[put(3, "three")]).expect("fits");
    one.commit().expect("committed");
    write(&mut two, &[put(4, "four")]).expect("alone now");
    assert_eq!(rows(&path, Access::Read), "[4]");
}

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let mut store = in_memory(&schema());
    write(&mut store, &[put(1, "one")]).expect("written");
    store
        .connection
        .pragma_update(None, "max_page_count", 40)
        .expect("set");
    let many: Vec<Change> = (2..400).map(|num| put(num, &"x".repeat(900))).collect();
    let failure = write(&mut store, &many).expect_err("no room");
    assert!(failure.message.contains("full"), "{}", failure.message);
    assert_eq!(ask(&mut store, &count()).expect("answered").0, "[1]");
    write(&mut store, &[put(2, "two")]).expect("room for a small one");
}

#[test]
fn without_shared_memory_a_rollback_journal_does() {
    let (folder, path) = place();
    filled(&path);
    // A log that was not taken in lies beside the file when it comes here.
    let away = folder.path().join("away.db");
    let writer = open(&path, Access::Write, &schema()).map(|mut store| {
        write(&mut store, &[put(3, "three")]).expect("written");
        store
    });
    fs::copy(&path, &away).expect("copied");
    fs::copy(
        folder.path().join("store.db-wal"),
        folder.path().join("away.db-wal"),
    )
    .expect("copied");
    drop(writer);
    // This one locks by a file beside the database, and has no memory to share.
    VFS.set(Some("unix-dotfile"));
    assert_eq!(rows(&away, Access::Read), "[3]");
    let mut store = open(&away, Access::Write, &schema()).expect("opened");
    write(&mut store, &[put(4, "four")]).expect("written");
    drop(store);
    let fresh = folder.path().join("fresh.db");
    filled(&fresh);
    VFS.set(None);
    assert_eq!(rows(&away, Access::Read), "[4]");
    assert_eq!(rows(&fresh, Access::Read), "[2]");
}

#[test]
fn a_schema_may_not_take_the_names_of_the_search_index() {
    let mut bad = schema();
    bad.tables[0].name = "search_docs".into();
    let shape = crate::store::Shape::new(bad).expect("sound by itself");
    let mut connection = Connection::open_in_memory().expect("memory");
    assert!(create::ensure(&mut connection, &shape).is_err());
}

#[test]
fn a_backup_is_whole_while_others_write_and_writes_over_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let mut store = open(&path, Access::Write, &schema()).expect("made");
    write(&mut store, &[put(1, "one")]).expect("written");
    let mut other = open(&path, Access::Write, &schema()).expect("opened");
    other.begin(Transaction::Write).expect("begun");
    other.apply(&[put(2, "two")]).expect("applied");
    let copy = folder.path().join("b.db");
    let bytes = store.backup_to(&copy).expect("copied");
    assert_eq!(fs::metadata(&copy).expect("there").len(), bytes);
    other.commit().expect("committed");
    let before = fs::read(&copy).expect("read");
    let refused = store.backup_to(&copy).expect_err("it is there");
    assert!(refused.message.contains("is there already"), "{refused}");
    assert_eq!(fs::read(&copy).expect("read"), before);
    let names: Vec<String> = fs::read_dir(folder.path())
        .expect("listed")
        .map(|entry| {
            entry
                .expect("read")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.starts_with("b.db"))
        .collect();
    assert_eq!(names, ["b.db"], "one file, nothing beside it");
    let mut copy = open(&copy, Access::Read, &schema()).expect("a store");
    assert_eq!(ask(&mut copy, &count()).expect("counted").0, "[1]");
}
