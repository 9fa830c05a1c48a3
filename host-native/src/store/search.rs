//! The search index: postings in FTS5, document frequencies beside it.
//!
//! Owns: how a term and a document are written there. Never: what a term is, or a ranking.
//!
//! ```text
//! search        FTS5 without content: row id = workspace << 40 | doc << 8 | min(length, 255)
//! search_term   (workspace, term) -> documents that hold it: FTS5 itself would count them by reading all postings
//! search_docs   workspace -> documents
//! ```

use super::error::{Doing, failed};
use super::read::{attached, prepare};
use super::shape::misfit;
use crate::Failure;
use deciduous_boundary::PostingsFact;
use rusqlite::{Connection, OptionalExtension, ToSql};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The tables, as SQL.
pub const TABLES: &str = "
CREATE VIRTUAL TABLE search USING fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii');
CREATE TABLE search_term(workspace INTEGER NOT NULL, term TEXT NOT NULL, df INTEGER NOT NULL,
  PRIMARY KEY(workspace, term)) STRICT, WITHOUT ROWID;
CREATE TABLE search_docs(workspace INTEGER PRIMARY KEY, docs INTEGER NOT NULL) STRICT;
";

/// Names that a schema must not use.
pub const NAMES: [&str; 3] = ["search", "search_term", "search_docs"];

const WORKSPACE_SHIFT: u32 = 40;
const DOC_SHIFT: u32 = 8;
/// Row ids are signed: what lies above the document's 40 bits is 23 bits wide.
const WORKSPACES: u32 = 1 << 23;

/// Makes the tables anew, with nothing in them.
pub fn make_anew(connection: &Connection) -> Result<(), Failure> {
    let drop = NAMES.map(|name| format!("DROP TABLE IF EXISTS {name};"));
    connection
        .execute_batch(&drop.concat())
        .and_then(|()| connection.execute_batch(TABLES))
        .map_err(|error| failed(Doing::Write, error))
}

/// Replaces a document.
pub fn index(
    connection: &Connection,
    workspace: u32,
    doc: u32,
    removed: &[String],
    added: &[String],
    length: u32,
) -> Result<(), Failure> {
    let low = row_id(workspace, doc, 0)?;
    let high = row_id(workspace, doc, u32::from(u8::MAX))?;
    let was_there = run(
        connection,
        "DELETE FROM search WHERE rowid BETWEEN ? AND ?",
        &[&low, &high],
    )? > 0;
    if !added.is_empty() {
        let mut terms = String::new();
        for term in added {
            push_term(&mut terms, workspace, term);
            terms.push(' ');
        }
        let id = row_id(workspace, doc, length)?;
        run(
            connection,
            "INSERT INTO search(rowid, terms) VALUES(?, ?)",
            &[&id, &terms],
        )?;
    }
    // Most edits keep most terms; only what came or went is counted.
    let before: BTreeSet<&String> = removed.iter().collect();
    let after: BTreeSet<&String> = added.iter().collect();
    for term in after.difference(&before) {
        let sql = "INSERT INTO search_term VALUES(?, ?, 1) ON CONFLICT DO UPDATE SET df=df+1";
        run(connection, sql, &[&workspace, term])?;
    }
    for term in before.difference(&after) {
        run(
            connection,
            "UPDATE search_term SET df=df-1 WHERE workspace=? AND term=?",
            &[&workspace, term],
        )?;
        run(
            connection,
            "DELETE FROM search_term WHERE workspace=? AND term=? AND df<=0",
            &[&workspace, term],
        )?;
    }
    let change = i64::from(!added.is_empty()) - i64::from(was_there);
    if change != 0 {
        let sql = "INSERT INTO search_docs VALUES(?1, ?2) ON CONFLICT DO UPDATE SET docs=docs+?2";
        run(connection, sql, &[&workspace, &change])?;
    }
    Ok(())
}

/// Answers `Fetch::Terms`.
pub fn answer(
    connection: &Connection,
    workspace: u32,
    terms: &[String],
    limit: u32,
    attachment: &mut Vec<u8>,
) -> Result<PostingsFact, Failure> {
    let number = |sql: &str, values: &[&dyn ToSql]| -> Result<u32, Failure> {
        let found = prepare(connection, sql)?
            .query_row(values, |row| row.get::<_, i64>(0))
            .optional()
            .map_err(|error| failed(Doing::Read, error))?;
        Ok(u32::try_from(found.unwrap_or(0)).unwrap_or(u32::MAX))
    };
    let docs = number(
        "SELECT docs FROM search_docs WHERE workspace=?",
        &[&workspace],
    )?;
    let mut fact = PostingsFact {
        docs,
        df: Vec::new(),
        at: Vec::new(),
    };
    for term in terms {
        let df = number(
            "SELECT df FROM search_term WHERE workspace=? AND term=?",
            &[&workspace, term],
        )?;
        let start = attachment.len();
        if df > 0 && limit > 0 {
            let mut phrase = String::from('"');
            push_term(&mut phrase, workspace, term);
            phrase.push('"');
            let sql = "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT ?";
            let mut statement = prepare(connection, sql)?;
            let values: [&dyn ToSql; 2] = [&phrase, &limit];
            let mut rows = statement
                .query(values)
                .map_err(|error| failed(Doing::Read, error))?;
            while let Some(row) = rows.next().map_err(|error| failed(Doing::Read, error))? {
                let id: i64 = row.get(0).map_err(|error| failed(Doing::Read, error))?;
                // The low 32 of the bits above the length are the document, whatever the workspace.
                attachment.extend_from_slice(&((id >> DOC_SHIFT) as u32).to_le_bytes());
                attachment.push(id as u8);
            }
        }
        fact.df.push(df);
        fact.at.push(attached(start, attachment.len())?);
    }
    Ok(fact)
}

fn run(connection: &Connection, sql: &str, values: &[&dyn ToSql]) -> Result<usize, Failure> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute(values))
        .map_err(|error| failed(Doing::Write, error))
}

pub fn row_id(workspace: u32, doc: u32, length: u32) -> Result<i64, Failure> {
    if workspace >= WORKSPACES {
        return Err(misfit(format!(
            "a store holds at most {WORKSPACES} workspaces"
        )));
    }
    let length = length.min(u32::from(u8::MAX));
    Ok(i64::from(workspace) << WORKSPACE_SHIFT | i64::from(doc) << DOC_SHIFT | i64::from(length))
}

/// A term as one token of FTS5, whatever is in it: its workspace in front, so that workspaces never meet, and what the
/// tokenizer would cut at or fold (ASCII but lower-case letters and digits) as a character of a private area.
pub fn push_term(out: &mut String, workspace: u32, term: &str) {
    const PRIVATE: u32 = 0xe000;
    // Cannot fail: a String takes what is written.
    let _ = write!(out, "w{workspace}x");
    for c in term.chars() {
        let code = u32::from(c);
        match code {
            _ if c.is_ascii_lowercase() || c.is_ascii_digit() => out.push(c),
            0..=0x7f => out.extend(char::from_u32(PRIVATE + code)),
            _ => {
                if (PRIVATE..=PRIVATE + 0x80).contains(&code) {
                    out.extend(char::from_u32(PRIVATE + 0x80));
                }
                out.push(c);
            }
        }
    }
}
