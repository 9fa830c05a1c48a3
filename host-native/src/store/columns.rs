//! Whole columns, packed straight into the attachment.
//!
//! Owns: little-endian arrays and dictionaries. Never: a row as JSON.

use super::error::{Doing, failed};
use super::read::{attached, bind};
use super::scan::{Piece, Range, pieces};
use super::shape::{TableShape, misfit, quoted};
use crate::Failure;
use deciduous_boundary::{Cell, ColumnKind, ColumnsFact};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::HashMap;

/// The position that stands for a null in a dictionary column, and so the most texts one can hold.
const NULL_TEXT: u16 = u16::MAX;
const SEQ: &str = "seq";

/// Answers `Fetch::Columns`.
pub fn pack(
    connection: &Connection,
    table: &TableShape,
    cols: &[(String, ColumnKind)],
    prefix: &[Cell],
    since: i64,
    attachment: &mut Vec<u8>,
) -> Result<ColumnsFact, Failure> {
    table.position(SEQ)?;
    let mut packed = Vec::with_capacity(cols.len());
    for (name, kind) in cols {
        table.position(name)?;
        packed.push(Packed {
            name,
            kind: *kind,
            bytes: Vec::new(),
            dict: Dict::default(),
        });
    }
    let mut fact = ColumnsFact {
        rows: 0,
        seq: since,
        at: Vec::new(),
        dicts: Vec::new(),
        more: false,
    };
    for piece in pieces(table, table.primary(), prefix, &Range::default())? {
        let sql = statement(table, cols, prefix.len(), since, &piece);
        let mut statement = connection
            .prepare_cached(&sql)
            .map_err(|error| failed(Doing::Read, error))?;
        bind(&mut statement, &piece)?;
        if since >= 0 {
            let at = piece.values.len() + 1;
            statement
                .raw_bind_parameter(at, since)
                .map_err(|error| failed(Doing::Read, error))?;
        }
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(|error| failed(Doing::Read, error))? {
            for (at, column) in packed.iter_mut().enumerate() {
                column.push(
                    table,
                    row.get_ref(at)
                        .map_err(|error| failed(Doing::Read, error))?,
                )?;
            }
            let seq = row
                .get_ref(cols.len())
                .map_err(|error| failed(Doing::Read, error))?;
            if let ValueRef::Integer(seq) = seq {
                fact.seq = if fact.rows == 0 {
                    seq
                } else {
                    fact.seq.max(seq)
                };
            }
            fact.rows = fact
                .rows
                .checked_add(1)
                .ok_or_else(|| misfit("there are too many rows for one answer"))?;
        }
    }
    for column in packed {
        fact.at.push(attached(
            attachment.len(),
            attachment.len() + column.bytes.len(),
        )?);
        attachment.extend_from_slice(&column.bytes);
        fact.dicts.push(column.dict.texts);
    }
    Ok(fact)
}

fn statement(
    table: &TableShape,
    cols: &[(String, ColumnKind)],
    depth: usize,
    since: i64,
    piece: &Piece<'_>,
) -> String {
    let name = |column: &usize| quoted(&table.columns[*column].name);
    let mut list: Vec<String> = cols.iter().map(|(name, _)| quoted(name)).collect();
    list.push(quoted(SEQ));
    let mut conditions = Vec::new();
    if !piece.sql.is_empty() {
        conditions.push(piece.sql.clone());
    }
    let key = &table.primary().order;
    if since >= 0 {
        conditions.push(format!("{}>?", quoted(SEQ)));
    }
    // Walked as it is where it goes on with the rest of the key; and where it holds all columns, the table is not read.
    let path = table.by_seq(&key[..depth]).unwrap_or(table.primary());
    let filter = if conditions.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", conditions.join(" AND "))
    };
    let (fixed, rest) = key.split_at(depth);
    let order = fixed.iter().map(name).chain([quoted(SEQ)]);
    let order: Vec<String> = order.chain(rest.iter().map(name)).collect();
    format!(
        "SELECT {} FROM {} {}{filter} ORDER BY {}",
        list.join(","),
        table.sql,
        path.clause,
        order.join(",")
    )
}

struct Packed<'a> {
    name: &'a str,
    kind: ColumnKind,
    bytes: Vec<u8>,
    dict: Dict,
}

impl Packed<'_> {
    fn push(&mut self, table: &TableShape, value: ValueRef<'_>) -> Result<(), Failure> {
        match (self.kind, value) {
            (ColumnKind::U32, ValueRef::Integer(value)) => {
                let value = u32::try_from(value).map_err(|_| self.misfit(table))?;
                self.bytes.extend_from_slice(&value.to_le_bytes());
            }
            (ColumnKind::U32, ValueRef::Null) => self.bytes.extend_from_slice(&[0; 4]),
            (ColumnKind::I64, ValueRef::Integer(value)) => {
                self.bytes.extend_from_slice(&value.to_le_bytes())
            }
            (ColumnKind::I64, ValueRef::Null) => {
                self.bytes.extend_from_slice(&i64::MIN.to_le_bytes())
            }
            (ColumnKind::Dict, ValueRef::Text(text)) => {
                let code = self.dict.code(text)?.ok_or_else(|| {
                    misfit(format!(
                        "column `{}` of table `{}` has too many different texts",
                        self.name, table.name
                    ))
                })?;
                self.bytes.extend_from_slice(&code.to_le_bytes());
            }
            (ColumnKind::Dict, ValueRef::Null) => {
                self.bytes.extend_from_slice(&NULL_TEXT.to_le_bytes())
            }
            (ColumnKind::Present, value) => self.bytes.push(u8::from(value != ValueRef::Null)),
            _ => return Err(self.misfit(table)),
        }
        Ok(())
    }

    fn misfit(&self, table: &TableShape) -> Failure {
        misfit(format!(
            "column `{}` of table `{}` cannot be packed in the way asked for",
            self.name, table.name
        ))
    }
}

/// Texts in order of first appearance.
#[derive(Default)]
struct Dict {
    texts: Vec<String>,
    codes: HashMap<Vec<u8>, u16>,
    /// Rows that follow each other often hold the same text.
    last: u16,
}

impl Dict {
    /// The text's position; none where the dictionary is full.
    fn code(&mut self, text: &[u8]) -> Result<Option<u16>, Failure> {
        if self
            .texts
            .get(usize::from(self.last))
            .is_some_and(|last| last.as_bytes() == text)
        {
            return Ok(Some(self.last));
        }
        let code = match self.codes.get(text) {
            Some(code) => *code,
            None => {
                let Some(code) = u16::try_from(self.texts.len())
                    .ok()
                    .filter(|code| *code < NULL_TEXT)
                else {
                    return Ok(None);
                };
                self.texts.push(super::json::text(text)?.to_owned());
                self.codes.insert(text.to_vec(), code);
                code
            }
        };
        self.last = code;
        Ok(Some(code))
    }
}
