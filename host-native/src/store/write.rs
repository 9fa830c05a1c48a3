//! Changes as statements.
//!
//! Owns: how a row is put. Never: a transaction, a decision about what to write.

use super::error::{Doing, failed};
use super::read::bind_cell;
use super::search;
use super::shape::{Shape, misfit};
use crate::Failure;
use deciduous_boundary::{Cell, Change};
use rusqlite::Connection;

/// Applies one change inside the open transaction.
pub fn apply(connection: &Connection, shape: &Shape, change: &Change) -> Result<(), Failure> {
    match change {
        Change::Put { table, row } => put(connection, shape, table, row),
        Change::Index {
            workspace,
            doc,
            removed,
            added,
            length,
        } => search::index(connection, *workspace, *doc, removed, added, *length),
    }
}

fn put(connection: &Connection, shape: &Shape, table: &str, row: &[Cell]) -> Result<(), Failure> {
    let table = shape.table(table)?;
    if row.len() != table.columns.len() {
        return Err(misfit(format!(
            "table `{}` is given a row of another length",
            table.name
        )));
    }
    let mut statement = connection
        .prepare_cached(&table.put)
        .map_err(|error| failed(Doing::Write, error))?;
    for (at, cell) in row.iter().enumerate() {
        let cell = table.stored(at, cell)?;
        bind_cell(&mut statement, at + 1, &cell, Doing::Write)?;
    }
    statement
        .raw_execute()
        .map_err(|error| failed(Doing::Write, error))?;
    Ok(())
}
