//! What only the database itself can tell: whether its pages, indexes and search tables are sound, and what else is in it.
//!
//! Owns: the SQL of these checks and of their repairs. Never: which rows there should be.

use super::Store;
use super::create;
use super::error::{Doing, failed};
use super::open::beside;
use super::search;
use super::shape::quoted;
use crate::Failure;
use deciduous_boundary::OlderStore;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};

/// So many complaints of SQLite are read; further ones say nothing new.
const COMPLAINTS: u32 = 100;
/// A log of this many bytes was not taken into the file for long.
const LONG_LOG: u64 = 64 << 20;

/// Tables of another program that stand in a store of ours.
#[derive(Clone, Debug)]
pub struct Foreign {
    pub older: OlderStore,
    /// Table to rows.
    pub tables: BTreeMap<String, i64>,
}

/// What a search index holds, in numbers that differ when it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchSum {
    pub documents: u64,
    /// Of documents and their terms.
    pub postings: u64,
    /// Of terms and how many documents hold each.
    pub frequencies: u64,
}

impl SearchSum {
    /// Adds a document that the index should hold.
    ///
    /// # Errors
    /// Where its workspace is one that no store has.
    pub fn expect(
        &mut self,
        workspace: u32,
        doc: u32,
        length: u32,
        terms: &[String],
    ) -> Result<(), Failure> {
        let id = search::row_id(workspace, doc, length)?;
        self.documents += 1;
        for term in terms {
            let mut token = String::new();
            search::push_term(&mut token, workspace, term);
            self.posting(&token, id);
            self.frequency(workspace, term, 1);
        }
        Ok(())
    }

    fn posting(&mut self, token: &str, id: i64) {
        self.postings = self.postings.wrapping_add(hash(&(token, id)));
    }

    fn frequency(&mut self, workspace: u32, term: &str, count: u64) {
        let each = hash(&(workspace, term));
        self.frequencies = self.frequencies.wrapping_add(each.wrapping_mul(count));
    }
}

/// The same for the same value all through this process.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Store {
    /// What SQLite finds wrong with the file's pages and indexes; nothing where it is sound.
    ///
    /// # Errors
    /// Where it cannot even be looked at.
    pub fn complaints(&self) -> Result<Vec<String>, Failure> {
        let sql = format!("PRAGMA integrity_check({COMPLAINTS})");
        let mut found = texts(&self.connection, &sql)?;
        found.retain(|said| said != "ok");
        Ok(found)
    }

    /// Rows that name a row that is not there, by the keys that the file itself declares.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn broken_keys(&self) -> Result<Vec<String>, Failure> {
        let sql = "SELECT \"table\" || ' row ' || coalesce(rowid, '?') || ' names a row of ' || parent FROM pragma_foreign_key_check LIMIT 100";
        texts(&self.connection, sql)
    }

    /// Makes every index of the file again from its table.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn make_indexes_again(&self) -> Result<(), Failure> {
        self.connection
            .execute_batch("REINDEX")
            .map_err(|error| failed(Doing::Write, error))
    }

    /// Tables of older programs, which wrote here after the store was taken over.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn foreign(&self) -> Result<Vec<Foreign>, Failure> {
        let read = |error| failed(Doing::Read, error);
        let mut found = Vec::new();
        for older in &self.shape.schema.older {
            let mut tables = BTreeMap::new();
            for table in &older.tables {
                if create::has_table(&self.connection, table).map_err(read)? {
                    let count = format!("SELECT count(*) FROM {}", quoted(table));
                    let rows = self.connection.query_row(&count, [], |row| row.get(0));
                    tables.insert(table.clone(), rows.map_err(read)?);
                }
            }
            if !tables.is_empty() {
                found.push(Foreign {
                    older: older.clone(),
                    tables,
                });
            }
        }
        Ok(found)
    }

    /// The length of a log that was not taken into the file for long.
    #[must_use]
    pub fn long_log(&self) -> Option<u64> {
        let length = fs::metadata(beside(&self.path, "-wal")).map_or(0, |meta| meta.len());
        (length >= LONG_LOG).then_some(length)
    }

    /// How the file's journal is kept.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn journal(&self) -> Result<String, Failure> {
        let all = texts(&self.connection, "PRAGMA journal_mode")?;
        Ok(all.into_iter().next().unwrap_or_default())
    }

    /// What the search index holds.
    ///
    /// # Errors
    /// Where it cannot be read: then it must be made again.
    pub fn search_sum(&self) -> Result<SearchSum, Failure> {
        let read = |error| failed(Doing::Read, error);
        let connection = &self.connection;
        let mut sum = SearchSum::default();
        // A table of its own words is made for the look; it lies in memory.
        connection
            .execute_batch(
                "DROP TABLE IF EXISTS temp.search_words;
                 CREATE VIRTUAL TABLE temp.search_words USING fts5vocab('main', 'search', 'instance')",
            )
            .map_err(read)?;
        let mut words = connection
            .prepare("SELECT term, doc FROM temp.search_words")
            .map_err(read)?;
        let mut rows = words.query([]).map_err(read)?;
        while let Some(row) = rows.next().map_err(read)? {
            let token = row.get_ref(0).and_then(|cell| Ok(cell.as_str()?));
            sum.posting(token.map_err(read)?, row.get(1).map_err(read)?);
        }
        let mut counts = connection
            .prepare("SELECT workspace, term, df FROM search_term")
            .map_err(read)?;
        let mut rows = counts.query([]).map_err(read)?;
        while let Some(row) = rows.next().map_err(read)? {
            let term = row.get_ref(1).and_then(|cell| Ok(cell.as_str()?));
            let (workspace, count): (u32, i64) =
                (row.get(0).map_err(read)?, row.get(2).map_err(read)?);
            sum.frequency(workspace, term.map_err(read)?, count.cast_unsigned());
        }
        let documents: i64 = connection
            .query_row(
                "SELECT coalesce(sum(docs), 0) FROM search_docs",
                [],
                |row| row.get(0),
            )
            .map_err(read)?;
        sum.documents = documents.cast_unsigned();
        Ok(sum)
    }

    /// Empties the search index; what was in its tables does not matter.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn empty_search(&self) -> Result<(), Failure> {
        search::make_anew(&self.connection)
    }

    /// Adds a document to an index that was emptied before.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn fill_search(
        &self,
        workspace: u32,
        doc: u32,
        length: u32,
        terms: &[String],
    ) -> Result<(), Failure> {
        search::index(&self.connection, workspace, doc, &[], terms, length)
    }
}

fn texts(connection: &Connection, sql: &str) -> Result<Vec<String>, Failure> {
    let read = |error| failed(Doing::Read, error);
    let mut statement = connection.prepare(sql).map_err(read)?;
    let rows = statement.query_map([], |row| row.get(0)).map_err(read)?;
    rows.collect::<Result<_, _>>().map_err(read)
}
