//! Columns kept in a file beside the database, `deciduous.db-columns-…`: a process that starts then reads what changed
//! since, and not every row.
//!
//! Owns: these files. Each may be deleted at any time, and one that is not to be trusted is not read: it names the schema
//! and the newest row of the log that it knows, and a database in which that row reads otherwise is another one, say an
//! older copy put back. Never: what a column means.
//!
//! ```text
//! 8 bytes  "dcolumn1"
//! 32       SHA-256 of the rest
//! 4        length of the head, little-endian
//!          the head: JSON of `Head`
//!          the columns, as an attachment holds them
//! ```

use super::open::beside;
use super::read;
use super::shape::{PRIMARY, Shape};
use crate::Failure;
use deciduous_boundary::{Attached, Cell, ColumnKind, ColumnsFact, Fetch};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"dcolumn1";
const SEAL: usize = 32;
const ENDING: &str = "-columns-";
const PART: &str = ".part";
const SEQ: &str = "seq";
/// Fewer rows are read as quickly from the database.
const FEWEST: u32 = 5_000;
/// When so many of the kept rows have changed, they are better kept anew.
const CHANGED_OF: u32 = 16;

#[derive(Deserialize, Serialize)]
struct Head {
    schema: i64,
    cols: Vec<(String, ColumnKind)>,
    prefix: Vec<Cell>,
    /// The place of the log's newest row, and the row.
    seq: i64,
    row: String,
    fact: ColumnsFact,
}

/// What was asked for: all rows of these columns.
pub struct Asked<'a> {
    pub table: &'a str,
    pub cols: &'a [(String, ColumnKind)],
    pub prefix: &'a [Cell],
}

impl Asked<'_> {
    /// The kept answer, if there is one; the caller asks again for what changed since.
    pub fn find(
        &self,
        connection: &Connection,
        shape: &Shape,
        database: &Path,
        attachment: &mut Vec<u8>,
    ) -> Option<ColumnsFact> {
        let bytes = fs::read(self.file(database)).ok()?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (seal, rest) = rest.split_at_checked(SEAL)?;
        if Sha256::digest(rest)[..] != *seal {
            return None;
        }
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (head, columns) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let same = head.schema == shape.digest
            && head.cols == self.cols
            && head.prefix == self.prefix
            && self.log_row(connection, shape, head.seq).ok()? == head.row;
        if !same {
            return None;
        }
        let fact = ColumnsFact {
            at: moved(&head.fact.at, |at| at.checked_add(attachment.len()))?,
            more: true,
            ..head.fact
        };
        attachment.extend_from_slice(columns);
        Some(fact)
    }

    /// Keeps an answer of all rows, whose columns are the end of `attachment`; what stands in the way of that is no
    /// matter, since nothing needs it.
    pub fn keep(
        &self,
        connection: &Connection,
        shape: &Shape,
        database: &Path,
        fact: &ColumnsFact,
        attachment: &[u8],
    ) {
        if fact.rows >= FEWEST {
            let _ = self.write(connection, shape, database, fact, attachment);
        }
    }

    fn write(
        &self,
        connection: &Connection,
        shape: &Shape,
        database: &Path,
        fact: &ColumnsFact,
        attachment: &[u8],
    ) -> Option<()> {
        let start = fact.at.first()?.offset as usize;
        let seq = self.log_seq(connection, shape).ok()??;
        let head = Head {
            schema: shape.digest,
            cols: self.cols.to_vec(),
            prefix: self.prefix.to_vec(),
            seq,
            row: self.log_row(connection, shape, seq).ok()?,
            fact: ColumnsFact {
                at: moved(&fact.at, |at| at.checked_sub(start))?,
                ..fact.clone()
            },
        };
        let head = serde_json::to_vec(&head).ok()?;
        let length = u32::try_from(head.len()).ok()?.to_le_bytes();
        let rest = [&length[..], &head, attachment.get(start..)?].concat();
        let bytes = [&MAGIC[..], &Sha256::digest(&rest), &rest].concat();
        let file = self.file(database);
        // Others may read it now. Two that write it at once may spoil it, which its seal shows; and what one that was
        // killed left is written over.
        let part = beside(&file, PART);
        let permissions = fs::metadata(database).ok()?.permissions();
        let written = fs::write(&part, bytes)
            .and_then(|()| fs::set_permissions(&part, permissions))
            .and_then(|()| fs::rename(&part, &file));
        if written.is_err() {
            let _ = fs::remove_file(&part);
        }
        written.ok()
    }

    /// Takes the file away where so much has changed since that reading it no longer pays.
    pub fn outgrown(&self, database: &Path, kept: u32, changed: u32) {
        if changed > kept / CHANGED_OF {
            let _ = fs::remove_file(self.file(database));
        }
    }

    fn file(&self, database: &Path) -> PathBuf {
        beside(database, &format!("{ENDING}{}", self.table))
    }

    /// The place of the log's newest row.
    fn log_seq(&self, connection: &Connection, shape: &Shape) -> Result<Option<i64>, Failure> {
        let newest = self.log_scan(connection, shape, None)?;
        let rows: Vec<Vec<Vec<Cell>>> = serde_json::from_str(&newest).unwrap_or_default();
        let cell = rows.into_iter().flatten().flatten().next();
        Ok(match cell {
            Some(Cell::Int(seq)) => Some(seq),
            _ => None,
        })
    }

    /// The log's row at a place, as the boundary writes it.
    fn log_row(&self, connection: &Connection, shape: &Shape, seq: i64) -> Result<String, Failure> {
        self.log_scan(connection, shape, Some(seq))
    }

    /// Of the newest row its place, of another one all of it.
    fn log_scan(
        &self,
        connection: &Connection,
        shape: &Shape,
        seq: Option<i64>,
    ) -> Result<String, Failure> {
        let log = shape.log(self.prefix.len())?;
        let all = || log.columns.iter().map(|column| column.name.clone());
        let scan = Fetch::Scan {
            table: log.name.clone(),
            index: PRIMARY.to_owned(),
            cols: seq.map_or_else(|| vec![SEQ.to_owned()], |_| all().collect()),
            prefixes: vec![self.prefix.to_vec()],
            from: seq.map(Cell::Int),
            to: seq.and_then(|seq| seq.checked_add(1)).map(Cell::Int),
            after: Vec::new(),
            desc: true,
            limit: 1,
        };
        let mut json = Vec::new();
        read::answer(connection, shape, &scan, &mut json, &mut Vec::new())?;
        Ok(String::from_utf8_lossy(&json).into_owned())
    }
}

/// Takes away all kept columns of a database.
pub fn forget(database: &Path) {
    let Some((folder, name)) = database.parent().zip(database.file_name()) else {
        return;
    };
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let begin = format!("{}{ENDING}", name.to_string_lossy());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&begin) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn moved(at: &[Attached], to: impl Fn(usize) -> Option<usize>) -> Option<Vec<Attached>> {
    let one = |at: &Attached| {
        Some(Attached {
            offset: u32::try_from(to(at.offset as usize)?).ok()?,
            length: at.length,
        })
    };
    at.iter().map(one).collect()
}
