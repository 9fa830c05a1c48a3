//! Answers to fetches of rows.
//!
//! Owns: which statements answer a fetch, and the JSON around their rows. Never: a transaction, a write.

use super::error::{Doing, failed};
use super::json::{push, push_row};
use super::scan::{self, Piece, Range, pieces};
use super::search;
use super::shape::{Shape, misfit};
use crate::Failure;
use deciduous_boundary::{Attached, Cell, Fetch};
use rusqlite::{CachedStatement, Connection};

/// Appends the answer's JSON to `json` and its bytes to `attachment`.
pub fn answer(
    connection: &Connection,
    shape: &Shape,
    fetch: &Fetch,
    json: &mut Vec<u8>,
    attachment: &mut Vec<u8>,
) -> Result<(), Failure> {
    match fetch {
        Fetch::Rows { table, cols, keys } => rows(connection, shape, table, cols, keys, json),
        Fetch::Scan {
            table,
            index,
            cols,
            prefixes,
            from,
            to,
            after,
            desc,
            limit,
        } => {
            let range = Range {
                from: from.as_ref(),
                to: to.as_ref(),
                after,
                desc: *desc,
            };
            let wanted = Wanted {
                table,
                index,
                cols,
                range,
                limit: *limit,
            };
            list(json, prefixes, |json, prefix| {
                wanted.scan(connection, shape, prefix, json)
            })
        }
        Fetch::Count {
            table,
            index,
            prefixes,
        } => list(json, prefixes, |json, prefix| {
            count(connection, shape, table, index, prefix, json)
        }),
        Fetch::Terms {
            workspace,
            terms,
            limit,
        } => push(
            json,
            &search::answer(connection, *workspace, terms, *limit, attachment)?,
        ),
        Fetch::Columns { .. }
        | Fetch::Branch {}
        | Fetch::Commit { .. }
        | Fetch::File { .. }
        | Fetch::Segments {} => Err(misfit("that is not answered with rows")),
    }
}

fn rows(
    connection: &Connection,
    shape: &Shape,
    table: &str,
    cols: &[String],
    keys: &[Vec<Cell>],
    json: &mut Vec<u8>,
) -> Result<(), Failure> {
    let table = shape.table(table)?;
    let (select, path) = (table.list(cols)?, table.primary());
    list(json, keys, |json, key| {
        if key.len() != path.order.len() {
            return Err(misfit(format!(
                "table `{}` is asked for a row by a key of another length",
                table.name
            )));
        }
        let mut found = false;
        for piece in pieces(table, path, key, &Range::default())? {
            let mut statement = prepare(
                connection,
                &scan::select(&select, table, path, &piece, false),
            )?;
            bind(&mut statement, &piece)?;
            bind_limit(&mut statement, &piece, 1)?;
            let mut rows = statement.raw_query();
            if let Some(row) = rows.next().map_err(|error| failed(Doing::Read, error))? {
                push_row(json, row, cols.len())?;
                found = true;
            }
        }
        if !found {
            json.extend_from_slice(b"null");
        }
        Ok(())
    })
}

struct Wanted<'a> {
    table: &'a str,
    index: &'a str,
    cols: &'a [String],
    range: Range<'a>,
    limit: u32,
}

impl<'a> Wanted<'a> {
    fn scan(
        &self,
        connection: &Connection,
        shape: &Shape,
        prefix: &'a [Cell],
        json: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let table = shape.table(self.table)?;
        let path = table.path(self.index)?;
        let select = table.list(self.cols)?;
        let mut left = if self.limit == 0 {
            i64::MAX
        } else {
            i64::from(self.limit)
        };
        let mut first = true;
        json.push(b'[');
        for piece in pieces(table, path, prefix, &self.range)? {
            if left == 0 {
                break;
            }
            let sql = scan::select(&select, table, path, &piece, self.range.desc);
            let mut statement = prepare(connection, &sql)?;
            bind(&mut statement, &piece)?;
            bind_limit(&mut statement, &piece, left)?;
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next().map_err(|error| failed(Doing::Read, error))? {
                if !std::mem::take(&mut first) {
                    json.push(b',');
                }
                push_row(json, row, self.cols.len())?;
                left -= 1;
            }
        }
        json.push(b']');
        Ok(())
    }
}

fn count(
    connection: &Connection,
    shape: &Shape,
    table: &str,
    index: &str,
    prefix: &[Cell],
    json: &mut Vec<u8>,
) -> Result<(), Failure> {
    let table = shape.table(table)?;
    let path = table.path(index)?;
    let mut total = 0;
    for piece in pieces(table, path, prefix, &Range::default())? {
        let mut statement = prepare(connection, &scan::count(table, path, &piece))?;
        bind(&mut statement, &piece)?;
        let mut rows = statement.raw_query();
        if let Some(row) = rows.next().map_err(|error| failed(Doing::Read, error))? {
            total += row
                .get::<_, i64>(0)
                .map_err(|error| failed(Doing::Read, error))?;
        }
    }
    push(json, &total)
}

/// An array with one answer for each item.
fn list<'a, T>(
    json: &mut Vec<u8>,
    items: &'a [T],
    mut each: impl FnMut(&mut Vec<u8>, &'a T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    json.push(b'[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            json.push(b',');
        }
        each(json, item)?;
    }
    json.push(b']');
    Ok(())
}

pub fn prepare<'a>(connection: &'a Connection, sql: &str) -> Result<CachedStatement<'a>, Failure> {
    connection
        .prepare_cached(sql)
        .map_err(|error| failed(Doing::Read, error))
}

/// Gives a piece's values to its parameters, the first ones of the statement.
pub fn bind(statement: &mut CachedStatement<'_>, piece: &Piece<'_>) -> Result<(), Failure> {
    for (at, cell) in (1..).zip(&piece.values) {
        bind_cell(statement, at, cell, Doing::Read)?;
    }
    Ok(())
}

fn bind_limit(
    statement: &mut CachedStatement<'_>,
    piece: &Piece<'_>,
    limit: i64,
) -> Result<(), Failure> {
    let at = piece.values.len() + 1;
    statement
        .raw_bind_parameter(at, limit)
        .map_err(|error| failed(Doing::Read, error))
}

pub fn bind_cell(
    statement: &mut CachedStatement<'_>,
    at: usize,
    cell: &Cell,
    doing: Doing,
) -> Result<(), Failure> {
    match cell {
        Cell::Null => statement.raw_bind_parameter(at, rusqlite::types::Null),
        Cell::Int(value) => statement.raw_bind_parameter(at, value),
        Cell::Real(value) => statement.raw_bind_parameter(at, value),
        Cell::Text(value) => statement.raw_bind_parameter(at, value.as_str()),
    }
    .map_err(|error| failed(doing, error))
}

/// Where the bytes from `start` to `end` of the attachment lie.
pub fn attached(start: usize, end: usize) -> Result<Attached, Failure> {
    match (u32::try_from(start), u32::try_from(end - start)) {
        (Ok(offset), Ok(length)) => Ok(Attached { offset, length }),
        _ => Err(misfit("an answer of more than 4 GiB cannot be given")),
    }
}
