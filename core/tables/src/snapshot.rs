//! Tables as a sequence of pieces that can be kept and taken in again.
//!
//! Owns: the shape of a piece. Never: where pieces are kept.
//! Columns are named in each piece, so that a snapshot of an older schema can be taken in by a newer one.

use crate::{Tables, TablesError};
use deciduous_boundary::{Cell, ColumnType};
use serde::{Deserialize, Serialize};

/// One piece of a snapshot.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Chunk {
    Rows {
        table: String,
        cols: Vec<String>,
        rows: Vec<Vec<Cell>>,
    },
    Terms(Vec<TermPostings>),
}

/// (workspace, term, its documents with their lengths).
pub type TermPostings = (u32, String, Vec<(u32, u8)>);

impl Tables {
    /// Everything, in pieces of at most `size` rows or postings (at least one); a frequent term is split.
    pub fn chunks(&self, size: usize) -> impl Iterator<Item = Chunk> {
        let size = size.max(1);
        let rows = self.tables.iter().flat_map(move |(name, table)| {
            let cols: Vec<String> = table.column_names().map(str::to_owned).collect();
            let mut all = table.all().peekable();
            std::iter::from_fn(move || {
                all.peek()?;
                let rows = all.by_ref().take(size).cloned().collect();
                Some(Chunk::Rows {
                    table: name.clone(),
                    cols: cols.clone(),
                    rows,
                })
            })
        });
        let mut postings = self
            .postings
            .all()
            .flat_map(|(workspace, term, documents)| {
                documents.map(move |document| (workspace, term, document))
            })
            .peekable();
        let terms = std::iter::from_fn(move || {
            postings.peek()?;
            let mut terms: Vec<TermPostings> = Vec::new();
            for (workspace, term, document) in postings.by_ref().take(size) {
                match terms.last_mut() {
                    Some(last) if last.0 == workspace && last.1 == term => last.2.push(document),
                    _ => terms.push((workspace, term.to_owned(), vec![document])),
                }
            }
            Some(Chunk::Terms(terms))
        });
        rows.chain(terms)
    }

    /// Takes one piece in, beside what is there.
    ///
    /// # Errors
    /// Where it does not fit the schema; the tables are then to be thrown away.
    pub fn take_chunk(&mut self, chunk: &Chunk) -> Result<(), TablesError> {
        match chunk {
            Chunk::Terms(terms) => {
                for (workspace, term, documents) in terms {
                    self.postings.take(*workspace, term, documents);
                }
            }
            Chunk::Rows { table, cols, rows } => {
                let data = self.table_mut(table)?;
                for name in cols {
                    data.position(name)?;
                }
                let from: Vec<Option<usize>> = data
                    .column_names()
                    .map(|name| cols.iter().position(|col| col == name))
                    .collect();
                // A column the snapshot lacks gets what a store gives a column added later.
                let missing: Vec<Cell> = data
                    .columns()
                    .iter()
                    .map(|column| match column.kind {
                        _ if column.nullable => Cell::Null,
                        ColumnType::Int => Cell::Int(0),
                        ColumnType::Real => Cell::Real(0.0),
                        ColumnType::Text => Cell::Text(String::new()),
                    })
                    .collect();
                for row in rows {
                    if row.len() != cols.len() {
                        return Err(data.error("is given a row of another length"));
                    }
                    let row: Vec<Cell> = from
                        .iter()
                        .zip(&missing)
                        .map(|(at, missing)| {
                            at.map_or_else(|| missing.clone(), |at| row[at].clone())
                        })
                        .collect();
                    data.put(&row)?;
                }
            }
        }
        Ok(())
    }
}
