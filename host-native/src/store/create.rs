//! Making the tables, and adding what a store of an older format lacks.
//!
//! Owns: the SQL of tables and indexes, the marks that say whose file it is. Never: dropping a column or a row.

use super::error::{Doing, failed};
use super::search;
use super::shape::{Shape, misfit, quoted};
use crate::Failure;
use deciduous_boundary::{Column, ColumnType, Table};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::collections::{BTreeMap, BTreeSet};

/// Marks a SQLite file as a store of this program (`PRAGMA application_id`): "Deci".
pub const APPLICATION_ID: i32 = 0x4465_6369;
/// Digests of the schemas whose every table, column and index is there.
const SCHEMAS: &str = "store_schema";

/// What a file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A database without tables, of nobody.
    Empty,
    /// Ours, with all that the schema names.
    Current,
    /// Ours, of an older format.
    Older,
}

/// Looks whose the database is.
///
/// # Errors
/// Where it is another program's, damaged, or of a newer format.
pub fn state(connection: &Connection, shape: &Shape) -> Result<State, Failure> {
    let pragma = |name: &str| {
        connection
            .query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0))
            .map_err(|error| failed(Doing::Open, error))
    };
    let application = pragma("application_id")?;
    let version = pragma("user_version")?;
    if application != i64::from(APPLICATION_ID) {
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(|error| failed(Doing::Open, error))?;
        if application == 0 && version == 0 && tables == 0 {
            return Ok(State::Empty);
        }
        return Err(Failure {
            is_foreign: true,
            ..Failure::new(
                "the database belongs to another program",
                "name another file with `--db`; nothing was changed in this one",
            )
        });
    }
    if version > i64::from(shape.schema.version) {
        return Err(Failure::new(
            format!(
                "the database has format {version}, made by a newer version of this program, which knows format {}",
                shape.schema.version
            ),
            "install the newer version; nothing was changed",
        ));
    }
    let known = connection
        .query_row(
            &format!("SELECT 1 FROM {SCHEMAS} WHERE digest=?"),
            [shape.digest],
            |_| Ok(()),
        )
        .optional()
        .map_err(|error| failed(Doing::Open, error))?;
    Ok(if known.is_some() {
        State::Current
    } else {
        State::Older
    })
}

/// Makes what is missing, all or nothing.
pub fn ensure(connection: &mut Connection, shape: &Shape) -> Result<(), Failure> {
    let write = |error| failed(Doing::Write, error);
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(write)?;
    // Another process may have been faster.
    match state(&transaction, shape)? {
        State::Current => return Ok(()),
        State::Older => tables(&transaction, shape, false)?,
        State::Empty => tables(&transaction, shape, true)?,
    }
    transaction.commit().map_err(write)
}

/// Makes what is missing and marks the file as ours, inside a transaction; in a `new` store all of it is missing.
pub fn tables(transaction: &Connection, shape: &Shape, new: bool) -> Result<(), Failure> {
    let write = |error| failed(Doing::Write, error);
    if new {
        transaction.execute_batch(search::TABLES).map_err(write)?;
        let sql = format!("CREATE TABLE {SCHEMAS}(digest INTEGER PRIMARY KEY) STRICT");
        transaction.execute_batch(&sql).map_err(write)?;
    }
    let mut names: BTreeSet<&str> = search::NAMES.into_iter().chain([SCHEMAS]).collect();
    for table in &shape.schema.tables {
        if !names.insert(&table.name) || table.name.starts_with("search_") {
            return Err(misfit(format!(
                "the schema uses the name `{}`, which is taken",
                table.name
            )));
        }
        let columns = columns(transaction, &table.name)?;
        if columns.is_empty() {
            transaction
                .execute_batch(&table_sql(table))
                .map_err(write)?;
        } else {
            add_columns(transaction, table, &columns)?;
        }
        for index in &table.indexes {
            let sql = index_sql(table, index);
            let found: Option<String> = transaction
                .query_row(
                    "SELECT sql FROM sqlite_schema WHERE type='index' AND name=?",
                    [&index.name],
                    |row| row.get(0),
                )
                .optional()
                .map_err(write)?;
            match found {
                Some(found) if found == sql => continue,
                // An index holds nothing of its own.
                Some(_) => {
                    transaction
                        .execute_batch(&format!("DROP INDEX {}", quoted(&index.name)))
                        .map_err(write)?;
                }
                None => {}
            }
            transaction.execute_batch(&sql).map_err(write)?;
        }
    }
    let marks = format!(
        "PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={};
         INSERT OR IGNORE INTO {SCHEMAS} VALUES({});",
        shape.schema.version, shape.digest
    );
    transaction.execute_batch(&marks).map_err(write)
}

/// Whether the file has a table of that name.
pub fn has_table(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    connection
        .prepare("SELECT 1 FROM sqlite_schema WHERE type='table' AND name=?")?
        .exists([table])
}

/// Whether a table belongs to such a store.
pub fn is_ours(name: &str, shape: &Shape) -> bool {
    name == SCHEMAS
        || name.starts_with("search_")
        || shape.schema.tables.iter().any(|table| table.name == name)
}

/// The columns a table has, with their types; none where there is no such table.
fn columns(connection: &Connection, table: &str) -> Result<BTreeMap<String, String>, Failure> {
    let read = |error| failed(Doing::Open, error);
    let mut statement = connection
        .prepare("SELECT name, type FROM pragma_table_info(?)")
        .map_err(read)?;
    let rows = statement
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(read)?;
    rows.collect::<Result<_, _>>().map_err(read)
}

fn add_columns(
    connection: &Connection,
    table: &Table,
    found: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    for column in &table.columns {
        match found.get(&column.name) {
            Some(kind) if kind == type_sql(column.kind) => {}
            Some(kind) => {
                return Err(Failure::new(
                    format!(
                        "column `{}` of table `{}` is {kind} in this database",
                        column.name, table.name
                    ),
                    "restore the database from a backup, or name another file; nothing was changed",
                ));
            }
            None => {
                // SQLite wants a value for the rows that are there.
                let default = match column.kind {
                    _ if column.nullable => "",
                    ColumnType::Int => " DEFAULT 0",
                    ColumnType::Real => " DEFAULT 0.0",
                    ColumnType::Text => " DEFAULT ''",
                };
                let sql = format!(
                    "ALTER TABLE {} ADD COLUMN {}{default}",
                    quoted(&table.name),
                    column_sql(column)
                );
                connection
                    .execute_batch(&sql)
                    .map_err(|error| failed(Doing::Write, error))?;
            }
        }
    }
    Ok(())
}

fn table_sql(table: &Table) -> String {
    let mut lines: Vec<String> = table.columns.iter().map(column_sql).collect();
    lines.push(format!("PRIMARY KEY({})", list(&table.key)));
    format!(
        "CREATE TABLE {}(\n  {}\n) STRICT, WITHOUT ROWID",
        quoted(&table.name),
        lines.join(",\n  ")
    )
}

/// The primary key stands in front of what an index carries, so that the order stays what it is without that. In a unique
/// index nothing can be carried: it would be part of what is unique.
fn index_sql(table: &Table, index: &deciduous_boundary::Index) -> String {
    let unique = if index.unique { "UNIQUE " } else { "" };
    let mut columns = index.columns.clone();
    if !index.unique && !index.with.is_empty() {
        for name in table.key.iter().chain(&index.with) {
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
    }
    format!(
        "CREATE {unique}INDEX {} ON {}({})",
        quoted(&index.name),
        quoted(&table.name),
        list(&columns)
    )
}

fn column_sql(column: &Column) -> String {
    let null = if column.nullable { "" } else { " NOT NULL" };
    format!("{} {}{null}", quoted(&column.name), type_sql(column.kind))
}

fn type_sql(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Int => "INTEGER",
        ColumnType::Real => "REAL",
        ColumnType::Text => "TEXT",
    }
}

fn list(names: &[String]) -> String {
    names
        .iter()
        .map(|name| quoted(name))
        .collect::<Vec<_>>()
        .join(", ")
}
