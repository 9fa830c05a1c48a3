//! Another program's store that the core knows how to take over: its rows out, our tables in, in one transaction.
//!
//! Owns: finding such a file, its rows as JSON, which of its tables go. Never: what a row means; the schema names the
//! tables, a tool of the core reads them.

use super::create;
use super::error::{Doing, failed};
use super::open::{connect, tidily};
use super::shape::{Shape, quoted};
use super::{Store, Transaction, backup};
use crate::Failure;
use deciduous_boundary::OlderStore;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Whose store a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    Ours,
    Older(OlderStore),
    /// Nobody's that is known here, or it cannot be looked at.
    Unknown,
}

/// Looks at a file without changing it.
pub fn look(path: &Path, shape: &Shape) -> Whose {
    let look = || {
        connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .and_then(|connection| whose(&connection, shape))
            .unwrap_or(Whose::Unknown)
    };
    tidily(path, look, |whose| *whose == Whose::Unknown)
}

fn whose(connection: &Connection, shape: &Shape) -> rusqlite::Result<Whose> {
    let owner: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if owner == create::APPLICATION_ID {
        return Ok(Whose::Ours);
    }
    for older in shape.schema.older.iter().filter(|_| owner == 0) {
        if create::has_table(connection, &older.marker)? {
            return Ok(Whose::Older(older.clone()));
        }
    }
    Ok(Whose::Unknown)
}

/// A store that is being taken over. Dropped before [`Taking::end`], the file is as it was.
#[derive(Debug)]
pub struct Taking {
    pub store: Store,
    pub older: OlderStore,
}

impl Taking {
    /// Locks the store against other writers. None where another process has taken it over meanwhile.
    ///
    /// # Errors
    /// Where the file cannot be written, or another process holds its lock too long.
    pub fn begin(path: &Path, shape: Arc<Shape>) -> Result<Option<Taking>, Failure> {
        let open = |error| failed(Doing::Open, error);
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(open)?;
        // What is to go may be named by what stays; and nothing but the rows of the tables themselves is to change.
        connection
            .pragma_update(None, "foreign_keys", false)
            .and_then(|()| connection.pragma_update(None, "synchronous", "FULL"))
            .map_err(open)?;
        let mut store = Store {
            connection,
            shape,
            path: path.to_path_buf(),
            held: false,
            still: None,
            kept_rows: HashMap::new(),
        };
        store.begin(Transaction::Write)?;
        store.held = true;
        match whose(&store.connection, &store.shape).map_err(open)? {
            Whose::Older(older) => Ok(Some(Taking { store, older })),
            Whose::Ours | Whose::Unknown => Ok(None),
        }
    }

    /// A copy of the file as it is.
    ///
    /// # Errors
    /// As of [`Store::backup_to`].
    pub fn backup_to(&self, to: &Path) -> Result<u64, Failure> {
        // The connection that holds the lock cannot be copied from inside its transaction.
        let reader = connect(&self.store.path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|error| failed(Doing::Open, error))?;
        backup::backup_to(&reader, to)
    }

    /// Every row of the tables to hand over: table to rows, a row an object.
    ///
    /// # Errors
    /// Where a row cannot be read, or holds what JSON cannot.
    pub fn rows(&self) -> Result<Map<String, Value>, Failure> {
        all_rows(&self.store.connection, &self.older)
    }

    /// Makes our tables beside theirs.
    ///
    /// # Errors
    /// Where the disk is full, or a table of theirs has a name of ours.
    pub fn make_tables(&self) -> Result<(), Failure> {
        create::tables(&self.store.connection, &self.store.shape, true)
    }

    /// Removes the tables that were handed over and ends the transaction. Answers what stays: table to rows.
    ///
    /// # Errors
    /// Where it cannot be written; nothing was then.
    pub fn end(&mut self) -> Result<BTreeMap<String, i64>, Failure> {
        let write = |error| failed(Doing::Write, error);
        let connection = &self.store.connection;
        drop_tables(connection, &self.older)?;
        let left = left(connection, &self.store.shape, &self.older).map_err(write)?;
        self.store.held = false;
        self.store.commit()?;
        Ok(left)
    }
}

impl Store {
    /// As [`Taking::rows`], of the tables that an older program made here after its store was taken over.
    ///
    /// # Errors
    /// Where a row cannot be read, or holds what JSON cannot.
    pub fn foreign_rows(&self, older: &OlderStore) -> Result<Map<String, Value>, Failure> {
        all_rows(&self.connection, older)
    }

    /// Removes the tables of an older program.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn drop_foreign(&self, older: &OlderStore) -> Result<(), Failure> {
        drop_tables(&self.connection, older)
    }
}

fn all_rows(connection: &Connection, older: &OlderStore) -> Result<Map<String, Value>, Failure> {
    let mut tables = Map::new();
    for table in older.tables.iter().chain(&older.shared) {
        if create::has_table(connection, table).map_err(|error| failed(Doing::Read, error))? {
            tables.insert(table.clone(), Value::Array(rows(connection, table)?));
        }
    }
    Ok(tables)
}

fn drop_tables(connection: &Connection, older: &OlderStore) -> Result<(), Failure> {
    let write = |error| failed(Doing::Write, error);
    for table in &older.tables {
        if create::has_table(connection, table).map_err(write)? {
            connection
                .execute_batch(&format!("DROP TABLE {}", quoted(table)))
                .map_err(write)?;
        }
    }
    Ok(())
}

/// The rows of what is neither ours nor handed over.
fn left(
    connection: &Connection,
    shape: &Shape,
    older: &OlderStore,
) -> rusqlite::Result<BTreeMap<String, i64>> {
    let mut statement = connection.prepare(
        "SELECT name FROM pragma_table_list WHERE schema='main' AND type='table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut left = BTreeMap::new();
    for name in names {
        let name = name?;
        if create::is_ours(&name, shape) || older.shared.contains(&name) {
            continue;
        }
        let count = format!("SELECT count(*) FROM {}", quoted(&name));
        let rows: i64 = connection.query_row(&count, [], |row| row.get(0))?;
        if rows > 0 {
            left.insert(name, rows);
        }
    }
    Ok(left)
}

fn rows(connection: &Connection, table: &str) -> Result<Vec<Value>, Failure> {
    let read = |error| failed(Doing::Read, error);
    let mut statement = connection
        .prepare(&format!("SELECT * FROM {}", quoted(table)))
        .map_err(read)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut found = statement.query([]).map_err(read)?;
    let mut rows = Vec::new();
    while let Some(row) = found.next().map_err(read)? {
        let mut object = Map::new();
        for (at, name) in names.iter().enumerate() {
            let value = match row.get_ref(at).map_err(read)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) => match str::from_utf8(text) {
                    Ok(text) => text.into(),
                    Err(_) => return Err(unreadable(table, rows.len(), name, "is no UTF-8")),
                },
                ValueRef::Blob(_) => {
                    return Err(unreadable(table, rows.len(), name, "is no text but bytes"));
                }
            };
            object.insert(name.clone(), value);
        }
        rows.push(Value::Object(object));
    }
    Ok(rows)
}

fn unreadable(table: &str, row: usize, column: &str, why: &str) -> Failure {
    Failure::new(
        format!("`{column}` of row {} of table `{table}` {why}", row + 1),
        "correct it with the version that wrote the store; nothing was changed",
    )
}
