//! What the store promises, against the tables in memory and against other processes' files.

mod equal;
mod faults;
mod files;
mod kept;
mod plans;

use super::{Shape, Store, Transaction, create};
use crate::{Access, Failure};
use deciduous_boundary::{Cell, Change, Column, ColumnType, Fetch, Index, Schema, Table};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;

/// A store in memory, with the tables of a schema.
fn in_memory(schema: &Schema) -> Store {
    let shape = Shape::new(schema.clone()).expect("a sound schema");
    let mut connection = Connection::open_in_memory().expect("memory");
    create::ensure(&mut connection, &shape).expect("tables");
    Store {
        connection,
        shape: Arc::new(shape),
        path: ":memory:".into(),
        held: false,
        still: None,
        kept_rows: Default::default(),
    }
}

fn open(path: &Path, access: Access, schema: &Schema) -> Result<Store, Failure> {
    Store::open(path, access, Arc::new(Shape::new(schema.clone())?))
}

fn write(store: &mut Store, changes: &[Change]) -> Result<(), Failure> {
    store.begin(Transaction::Write)?;
    let done = store.apply(changes).and_then(|()| store.commit());
    store.rollback();
    done
}

fn ask(store: &mut Store, fetch: &Fetch) -> Result<(String, Vec<u8>), Failure> {
    let (mut json, mut attachment) = (Vec::new(), Vec::new());
    store.answer(fetch, &mut json, &mut attachment)?;
    Ok((String::from_utf8(json).expect("JSON is text"), attachment))
}

fn column(name: &str, kind: ColumnType, nullable: bool) -> Column {
    Column {
        name: name.into(),
        kind,
        nullable,
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn schema() -> Schema {
    Schema {
        version: 3,
        older: vec![],
        tables: vec![Table {
            name: "thing".into(),
            columns: vec![
                column("workspace", ColumnType::Int, false),
                column("num", ColumnType::Int, false),
                column("seq", ColumnType::Int, false),
                column("name", ColumnType::Text, false),
                column("kind", ColumnType::Text, true),
            ],
            key: names(&["workspace", "num"]),
            indexes: vec![
                Index {
                    name: "thing_by_seq".into(),
                    columns: names(&["workspace", "seq"]),
                    unique: false,
                    with: vec![],
                },
                Index {
                    name: "thing_by_kind".into(),
                    columns: names(&["workspace", "kind"]),
                    unique: false,
                    with: vec![],
                },
            ],
        }],
    }
}

fn put(num: i64, name: &str) -> Change {
    let row = vec![
        1_i64.into(),
        num.into(),
        num.into(),
        name.into(),
        Cell::Null,
    ];
    Change::Put {
        table: "thing".into(),
        row,
    }
}

fn count() -> Fetch {
    Fetch::Count {
        table: "thing".into(),
        index: "primary".into(),
        prefixes: vec![vec![]],
    }
}
