//! Rows as JSON, written straight from SQLite's memory.
//!
//! Owns: the text of one row. Never: a tree of values in between, which costs more than the query.

use super::error::{Doing, failed};
use super::shape::misfit;
use crate::Failure;
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// Appends the first `cells` columns of a row as an array.
pub fn push_row(out: &mut Vec<u8>, row: &Row<'_>, cells: usize) -> Result<(), Failure> {
    out.push(b'[');
    for at in 0..cells {
        if at > 0 {
            out.push(b',');
        }
        match row
            .get_ref(at)
            .map_err(|error| failed(Doing::Read, error))?
        {
            ValueRef::Null => out.extend_from_slice(b"null"),
            ValueRef::Integer(value) => push(out, &value)?,
            ValueRef::Real(value) => push(out, &value)?,
            ValueRef::Text(bytes) => push(out, text(bytes)?)?,
            ValueRef::Blob(_) => {
                return Err(misfit(
                    "the database holds bytes where text or numbers belong",
                ));
            }
        }
    }
    out.push(b']');
    Ok(())
}

/// Appends one value.
pub fn push<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<(), Failure> {
    serde_json::to_writer(out, value)
        .map_err(|error| misfit(format!("an answer is no JSON: {error}")))
}

/// A text of the database, which another program may have written.
pub fn text(bytes: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(bytes).map_err(|_| {
        Failure::new(
            "the database holds text that is not UTF-8",
            "restore it from a backup; nothing was changed",
        )
    })
}
