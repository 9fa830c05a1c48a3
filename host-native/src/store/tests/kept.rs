//! Columns kept beside the database: they tell what the database tells, or are not believed.

use super::{Shape, column, names, open, write};
use crate::store::{Store, Transaction};
use crate::{Access, Failure};
use deciduous_boundary::{
    Cell, Change, ColumnKind, ColumnType, ColumnsFact, Fetch, Index, Schema, Table,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// More than the fewest that are kept.
const MANY: i64 = 6_000;

fn table(name: &str, columns: &[&str], key: &[&str], indexes: Vec<Index>) -> Table {
    let kind = |name: &&str| match *name {
        "text" => ColumnType::Text,
        _ => ColumnType::Int,
    };
    Table {
        name: name.into(),
        columns: columns
            .iter()
            .map(|name| column(name, kind(name), false))
            .collect(),
        key: names(key),
        indexes,
    }
}

/// Things, and a log of what happened to them.
fn schema(version: u32) -> Schema {
    let by_seq = Index {
        name: "thing_by_seq".into(),
        columns: names(&["workspace", "seq"]),
        unique: false,
        with: vec![],
    };
    Schema {
        version,
        older: vec![],
        tables: vec![
            table(
                "thing",
                &["workspace", "num", "seq", "text"],
                &["workspace", "num"],
                vec![by_seq],
            ),
            table(
                "log",
                &["workspace", "seq", "text"],
                &["workspace", "seq"],
                vec![],
            ),
        ],
    }
}

/// One thing as it is after a change, with the change.
fn change(num: i64, seq: i64, text: &str) -> [Change; 2] {
    let put = |table: &str, row: Vec<Cell>| Change::Put {
        table: table.into(),
        row,
    };
    let said = format!("{text} of {num}");
    [
        put(
            "thing",
            vec![1_i64.into(), num.into(), seq.into(), text.into()],
        ),
        put("log", vec![1_i64.into(), seq.into(), said.as_str().into()]),
    ]
}

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    /// A database of many things.
    fn filled() -> Folder {
        let folder = Folder {
            folder: tempfile::tempdir().expect("a folder"),
        };
        let all: Vec<Change> = (1..=MANY).flat_map(|at| change(at, at, "made")).collect();
        write(&mut folder.writer(), &all).expect("written");
        folder
    }

    fn database(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    fn kept(&self) -> PathBuf {
        self.folder.path().join("store.db-columns-thing")
    }

    fn writer(&self) -> Store {
        open(&self.database(), Access::Write, &schema(3)).expect("opened")
    }

    /// What a process that starts now is told, question by question until there is no more: the rows in the end, and
    /// how many were told each time.
    fn read(&self) -> (Vec<(u32, String)>, Vec<u32>) {
        all(&self.database())
    }
}

fn all(database: &Path) -> (Vec<(u32, String)>, Vec<u32>) {
    let mut store = open(database, Access::Read, &schema(3)).expect("opened");
    store.begin(Transaction::Read).expect("begun");
    let (mut rows, mut told) = (std::collections::BTreeMap::new(), Vec::new());
    let mut since = -1;
    loop {
        let (fact, attachment) = columns(&mut store, since).expect("answered");
        let slice = |at: usize| {
            let at = fact.at[at];
            &attachment[at.offset as usize..][..at.length as usize]
        };
        let (nums, texts) = (slice(0).as_chunks::<4>().0, slice(1).as_chunks::<2>().0);
        for (num, text) in nums.iter().zip(texts) {
            let text = &fact.dicts[1][usize::from(u16::from_le_bytes(*text))];
            rows.insert(u32::from_le_bytes(*num), text.clone());
        }
        told.push(fact.rows);
        since = fact.seq;
        if !fact.more {
            store.rollback();
            return (rows.into_iter().collect(), told);
        }
    }
}

fn columns(store: &mut Store, since: i64) -> Result<(ColumnsFact, Vec<u8>), Failure> {
    let fetch = Fetch::Columns {
        table: "thing".into(),
        cols: vec![
            ("num".into(), ColumnKind::U32),
            ("text".into(), ColumnKind::Dict),
        ],
        prefix: vec![1_i64.into()],
        since,
    };
    // Something stands before it, as in an answer to several questions.
    let (mut json, mut attachment) = (Vec::new(), vec![7; 5]);
    store.answer(&fetch, &mut json, &mut attachment)?;
    Ok((serde_json::from_slice(&json).expect("a fact"), attachment))
}

#[test]
fn the_second_process_reads_what_was_kept_and_what_changed_since() {
    let folder = Folder::filled();
    let (first, told) = folder.read();
    assert_eq!((first.len(), told), (6_000, vec![6_000]));
    let (second, told) = folder.read();
    assert_eq!((&second, told), (&first, vec![6_000, 0]));
    let changes = [
        change(7, MANY + 1, "other"),
        change(MANY + 1, MANY + 2, "new"),
    ]
    .concat();
    write(&mut folder.writer(), &changes).expect("written");
    let (third, told) = folder.read();
    assert_eq!(told, [6_000, 2]);
    assert_eq!(third.len(), 6_001);
    assert_eq!(third[6], (7, "other".to_owned()));
    assert_eq!(third[7], (8, "made".to_owned()));
    assert_eq!(third[6_000], (6_001, "new".to_owned()));
}

#[test]
fn what_has_much_behind_it_is_kept_anew() {
    let folder = Folder::filled();
    folder.read();
    let changes: Vec<Change> = (1..=500)
        .flat_map(|at| change(at, MANY + at, "other"))
        .collect();
    write(&mut folder.writer(), &changes).expect("written");
    assert_eq!(folder.read().1, [6_000, 500]);
    assert!(!folder.kept().exists());
    let (rows, told) = folder.read();
    assert_eq!(told, [6_000]);
    assert_eq!(rows[499], (500, "other".to_owned()));
    assert_eq!(folder.read().1, [6_000, 0]);
}

#[test]
fn an_older_copy_with_another_history_is_read_itself() {
    let folder = Folder::filled();
    let copy = folder.folder.path().join("copy.db");
    folder.writer().backup_to(&copy).expect("copied");
    write(&mut folder.writer(), &change(1, MANY + 1, "here")).expect("written");
    folder.read();
    // The copy goes another way, as far and farther, and takes the place of the first.
    let changes = [change(2, MANY + 1, "there"), change(3, MANY + 2, "there")].concat();
    let mut other = open(&copy, Access::Write, &schema(3)).expect("opened");
    write(&mut other, &changes).expect("written");
    drop(other);
    fs::rename(&copy, folder.database()).expect("moved");
    let (rows, told) = folder.read();
    assert_eq!(told, [6_000]);
    let texts: Vec<&str> = rows[..3].iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["made", "there", "there"]);
}

#[test]
fn what_is_damaged_cut_or_empty_is_read_from_the_database() {
    let folder = Folder::filled();
    let (first, _) = folder.read();
    let whole = fs::read(folder.kept()).expect("kept");
    let mut changed = whole.clone();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    for bad in [&[][..], b"dcolumn1", &whole[..whole.len() / 2], &changed] {
        fs::write(folder.kept(), bad).expect("written");
        assert_eq!(folder.read(), (first.clone(), vec![6_000]));
        assert_eq!(fs::read(folder.kept()).expect("kept anew"), whole);
    }
}

#[test]
fn nothing_is_kept_of_what_may_yet_be_taken_back() {
    let folder = Folder::filled();
    let shape = Arc::new(Shape::new(schema(3)).expect("a sound schema"));
    let mut store = Store::alone(&folder.database(), shape).expect("alone");
    store.hold(Transaction::Write).expect("held");
    store.apply(&change(1, MANY + 1, "tried")).expect("applied");
    columns(&mut store, -1).expect("answered");
    assert!(!folder.kept().exists());
    store.drop_all();
    drop(store);
    assert_eq!(folder.read().0[0], (1, "made".to_owned()));
}

#[test]
fn a_mending_that_the_log_does_not_know_of_is_read() {
    let folder = Folder::filled();
    folder.read();
    assert!(folder.kept().exists());
    let shape = Arc::new(Shape::new(schema(3)).expect("a sound schema"));
    let mut store = Store::alone(&folder.database(), shape).expect("alone");
    store.hold(Transaction::Write).expect("held");
    store.apply(&change(1, 1, "mended")[..1]).expect("applied");
    store.end().expect("ended");
    drop(store);
    assert_eq!(folder.read().0[0], (1, "mended".to_owned()));
}

#[cfg(unix)]
#[test]
fn others_may_read_no_more_of_it_than_of_the_database() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::filled();
    let mode = |path: PathBuf| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    fs::set_permissions(folder.database(), fs::Permissions::from_mode(0o640)).expect("set");
    folder.read();
    assert_eq!(mode(folder.kept()), 0o640);
}
