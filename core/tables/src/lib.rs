//! Tables in memory that answer what a core asks: for tests, JavaScript and the browser.
//!
//! Owns: rows, their sorted access paths, postings, and snapshots of all three. Never: a graph word, I/O, a clock.
//! The same changes give the same answers, byte for byte, as any other store.
//!
//! ```
//! use deciduous_boundary::{Cell, Change, Column, ColumnType, Fetch, Schema, Table};
//! use deciduous_tables::Tables;
//!
//! let column = |name: &str| Column { name: name.into(), kind: ColumnType::Int, nullable: false };
//! let table = Table { name: "t".into(), columns: vec![column("workspace"), column("seq")],
//!                     key: vec!["workspace".into()], indexes: vec![] };
//! let mut tables = Tables::new(&Schema { version: 1, tables: vec![table], older: vec![] })?;
//! tables.apply(&[Change::Put { table: "t".into(), row: vec![Cell::Int(1), Cell::Int(7)] }])?;
//! let ask = Fetch::Rows { table: "t".into(), cols: vec!["seq".into()], keys: vec![vec![Cell::Int(1)]] };
//! assert_eq!(tables.answer(&ask, &mut Vec::new())?.get(), "[[7]]");
//! # Ok::<(), deciduous_tables::TablesError>(())
//! ```
#![forbid(unsafe_code)]

mod columns;
mod error;
mod key;
mod postings;
mod snapshot;
mod table;
#[cfg(test)]
mod tests;

pub use error::TablesError;
pub use snapshot::{Chunk, TermPostings};

use deciduous_boundary::{Change, Fetch, Schema};
use postings::Postings;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use table::{Range, TableData};

/// Every table of a schema, and the search index beside them.
#[derive(Clone, Debug)]
pub struct Tables {
    tables: BTreeMap<String, TableData>,
    postings: Postings,
}

impl Tables {
    /// Empty tables.
    ///
    /// # Errors
    /// Where the schema contradicts itself, such as an index over a column that is not there.
    pub fn new(schema: &Schema) -> Result<Tables, TablesError> {
        let mut tables = BTreeMap::new();
        for table in &schema.tables {
            if tables
                .insert(table.name.clone(), TableData::new(table)?)
                .is_some()
            {
                return Err(TablesError::new(format!(
                    "the schema declares table `{}` twice",
                    table.name
                )));
            }
        }
        Ok(Tables {
            tables,
            postings: Postings::default(),
        })
    }

    /// Answers one fetch; bytes go behind what `attachment` holds already.
    ///
    /// # Errors
    /// Where the fetch names what the schema does not have, or comes from outside the store (`Fetch::is_outside`).
    pub fn answer(
        &self,
        fetch: &Fetch,
        attachment: &mut Vec<u8>,
    ) -> Result<Box<RawValue>, TablesError> {
        let answer = match fetch {
            Fetch::Rows { table, cols, keys } => {
                to_raw_value(&self.table(table)?.rows(cols, keys)?)
            }
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
                    limit: *limit,
                };
                to_raw_value(&self.table(table)?.scan(index, cols, prefixes, &range)?)
            }
            Fetch::Count {
                table,
                index,
                prefixes,
            } => to_raw_value(&self.table(table)?.count(index, prefixes)?),
            Fetch::Columns {
                table,
                cols,
                prefix,
                since,
            } => to_raw_value(&columns::pack(
                self.table(table)?,
                cols,
                prefix,
                *since,
                attachment,
            )?),
            Fetch::Terms {
                workspace,
                terms,
                limit,
            } => to_raw_value(
                &self
                    .postings
                    .answer(*workspace, terms, *limit, attachment)?,
            ),
            Fetch::Branch {} | Fetch::Commit { .. } | Fetch::File { .. } | Fetch::Segments {} => {
                return Err(TablesError::new(
                    "tables know nothing of what lies outside them",
                ));
            }
        };
        answer.map_err(|error| TablesError::new(format!("an answer is no JSON: {error}")))
    }

    /// Applies all the changes, or none where one of them cannot be.
    ///
    /// # Errors
    /// Where a row does not fit its table, or is the second one under a unique index.
    pub fn apply(&mut self, changes: &[Change]) -> Result<(), TablesError> {
        // What stood before, newest last, so that a failure half-way is taken back in reverse.
        let mut undo: Vec<Undo> = Vec::new();
        for change in changes {
            let done = match change {
                Change::Put { table, row } => self.table_mut(table).and_then(|data| {
                    let (key, former) = data.put(row)?;
                    undo.push(Undo::Row(table, key, former));
                    Ok(())
                }),
                Change::Index {
                    workspace,
                    doc,
                    removed,
                    added,
                    length,
                } => {
                    undo.push(Undo::Document(
                        self.postings
                            .index(*workspace, *doc, removed, added, *length),
                    ));
                    Ok(())
                }
            };
            if let Err(error) = done {
                self.take_back(undo);
                return Err(error);
            }
        }
        Ok(())
    }

    fn take_back(&mut self, undo: Vec<Undo<'_>>) {
        for step in undo.into_iter().rev() {
            match step {
                Undo::Row(table, key, former) => {
                    if let Some(data) = self.tables.get_mut(table) {
                        data.restore(&key, former);
                    }
                }
                Undo::Document(former) => self.postings.restore(former),
            }
        }
    }

    fn table(&self, name: &str) -> Result<&TableData, TablesError> {
        self.tables
            .get(name)
            .ok_or_else(|| TablesError::no_table(name))
    }

    fn table_mut(&mut self, name: &str) -> Result<&mut TableData, TablesError> {
        self.tables
            .get_mut(name)
            .ok_or_else(|| TablesError::no_table(name))
    }
}

enum Undo<'a> {
    Row(&'a str, key::Key, Option<Vec<deciduous_boundary::Cell>>),
    Document(postings::Former),
}
