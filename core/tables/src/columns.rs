//! Whole columns as little-endian arrays.

use crate::TablesError;
use crate::table::TableData;
use deciduous_boundary::{Attached, Cell, ColumnKind, ColumnsFact};
use std::collections::BTreeMap;

/// The position that stands for a null in a dictionary column, and so the most texts one can hold.
const NULL_TEXT: u16 = u16::MAX;

pub fn pack(
    table: &TableData,
    cols: &[(String, ColumnKind)],
    prefix: &[Cell],
    since: i64,
    attachment: &mut Vec<u8>,
) -> Result<ColumnsFact, TablesError> {
    let seq_at = table.position("seq")?;
    let mut rows = table.below(prefix)?;
    if since >= 0 {
        rows.retain(|row| matches!(row[seq_at], Cell::Int(seq) if seq > since));
    }
    let seq_of = |row: &[Cell]| match row[seq_at] {
        Cell::Int(seq) => Some(seq),
        _ => None,
    };
    // Stable: rows of one `seq` stay in the order of their keys.
    rows.sort_by_key(|row| seq_of(row));
    let seq = rows.iter().filter_map(|row| seq_of(row));
    let mut fact = ColumnsFact {
        rows: u32::try_from(rows.len())
            .map_err(|_| table.error("has too many rows for one answer"))?,
        seq: seq.max().unwrap_or(since),
        at: Vec::with_capacity(cols.len()),
        dicts: Vec::with_capacity(cols.len()),
        more: false,
    };
    for (name, kind) in cols {
        let at = table.position(name)?;
        let start = attachment.len();
        let mut dict = Dict::default();
        for row in &rows {
            let misfit =
                || table.error(&format!("cannot pack column `{name}` in the way asked for"));
            match (kind, &row[at]) {
                (ColumnKind::U32, Cell::Null) => attachment.extend_from_slice(&[0; 4]),
                (ColumnKind::U32, Cell::Int(value)) => {
                    attachment.extend_from_slice(
                        &u32::try_from(*value).map_err(|_| misfit())?.to_le_bytes(),
                    );
                }
                (ColumnKind::I64, Cell::Null) => {
                    attachment.extend_from_slice(&i64::MIN.to_le_bytes())
                }
                (ColumnKind::I64, Cell::Int(value)) => {
                    attachment.extend_from_slice(&value.to_le_bytes())
                }
                (ColumnKind::Dict, Cell::Null) => {
                    attachment.extend_from_slice(&NULL_TEXT.to_le_bytes())
                }
                (ColumnKind::Dict, Cell::Text(text)) => {
                    let code = dict.code(text).ok_or_else(|| {
                        table.error(&format!(
                            "has too many different texts in column `{name}` for a dictionary"
                        ))
                    })?;
                    attachment.extend_from_slice(&code.to_le_bytes());
                }
                (ColumnKind::Present, cell) => attachment.push(u8::from(*cell != Cell::Null)),
                _ => return Err(misfit()),
            }
        }
        fact.at.push(attached(start, attachment.len())?);
        fact.dicts.push(dict.texts);
    }
    Ok(fact)
}

/// Where the bytes from `start` to `end` of the attachment lie.
pub fn attached(start: usize, end: usize) -> Result<Attached, TablesError> {
    match (u32::try_from(start), u32::try_from(end - start)) {
        (Ok(offset), Ok(length)) => Ok(Attached { offset, length }),
        _ => Err(TablesError::new(
            "an answer of more than 4 GiB cannot be given",
        )),
    }
}

/// Texts in order of first appearance.
#[derive(Default)]
struct Dict {
    texts: Vec<String>,
    codes: BTreeMap<String, u16>,
}

impl Dict {
    fn code(&mut self, text: &str) -> Option<u16> {
        if let Some(code) = self.codes.get(text) {
            return Some(*code);
        }
        let code = u16::try_from(self.texts.len())
            .ok()
            .filter(|code| *code < NULL_TEXT)?;
        self.texts.push(text.to_owned());
        self.codes.insert(text.to_owned(), code);
        Some(code)
    }
}
