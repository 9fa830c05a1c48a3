//! The SQLite store: tables made from the core's schema, and one transaction at a time.
//!
//! Owns: one connection. Never: a name of a table or a column; all of them come from the schema.
//! A person reads the file with `sqlite3 .deciduous/deciduous.db`.

pub mod alone;
mod backup;
mod columns;
mod create;
mod error;
#[cfg(test)]
pub(crate) mod faults;
pub mod health;
mod json;
mod kept;
pub mod older;
mod open;
mod patience;
mod read;
mod scan;
mod search;
mod shape;
mod still;
#[cfg(test)]
mod tests;
mod write;

pub use backup::check as check_file;
pub use open::beside;
pub use shape::Shape;

use crate::{Access, Failure, os};
use deciduous_boundary::{Change, ColumnsFact, Fetch};
use error::{Doing, failed, is_locked};
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open database.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    shape: Arc<Shape>,
    path: PathBuf,
    /// A transaction around all calls, which its holder ends.
    held: bool,
    /// How the file looked, where it is read as one that does not change.
    still: Option<still::Stamp>,
    /// Rows of the tables of which only what changed since is to be read.
    kept_rows: HashMap<String, u32>,
}

/// What kind of transaction is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    Read,
    Write,
}

impl Store {
    /// # Errors
    /// Where the file is missing (reading), damaged, of a newer format, or no store at all; it is then left as it is.
    pub fn open(database: &Path, access: Access, shape: Arc<Shape>) -> Result<Store, Failure> {
        let opened = open::open(database, access, &shape)?;
        Ok(Store {
            connection: opened.connection,
            shape,
            path: database.to_path_buf(),
            held: false,
            still: opened.still,
            kept_rows: HashMap::new(),
        })
    }

    /// Opens a transaction. One for writing waits until no other process has one.
    ///
    /// # Errors
    /// Where another process holds its lock too long.
    pub fn begin(&mut self, transaction: Transaction) -> Result<(), Failure> {
        #[cfg(test)]
        faults::strike()?;
        if !self.held && self.changed() {
            let opened = open::open(&self.path, Access::Read, &self.shape)?;
            (self.connection, self.still) = (opened.connection, opened.still);
        }
        match transaction {
            _ if self.held => Ok(()),
            Transaction::Read => self.run("BEGIN", Doing::Read),
            Transaction::Write => self.run("BEGIN IMMEDIATE", Doing::Write),
        }
    }

    /// Appends the answer's JSON to `json` and its bytes to `attachment`.
    ///
    /// # Errors
    /// Where the fetch does not fit the schema, or the file cannot be read.
    pub fn answer(
        &mut self,
        fetch: &Fetch,
        json: &mut Vec<u8>,
        attachment: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        #[cfg(test)]
        faults::strike()?;
        match fetch {
            Fetch::Columns {
                table,
                cols,
                prefix,
                since,
            } => {
                let asked = kept::Asked {
                    table,
                    cols,
                    prefix,
                };
                let fact = self.columns(&asked, *since, attachment)?;
                json::push(json, &fact)?;
            }
            other => read::answer(&self.connection, &self.shape, other, json, attachment)?,
        }
        if self.changed() {
            return Err(Failure::new(
                "the database was changed while it was read",
                "try again",
            ));
        }
        Ok(())
    }

    /// All rows from the file that keeps them, where there is one; else from the database.
    fn columns(
        &mut self,
        asked: &kept::Asked,
        since: i64,
        attachment: &mut Vec<u8>,
    ) -> Result<ColumnsFact, Failure> {
        let (connection, shape) = (&self.connection, &self.shape);
        if since < 0
            && let Some(fact) = asked.find(connection, shape, &self.path, attachment)
        {
            self.kept_rows.insert(asked.table.to_owned(), fact.rows);
            return Ok(fact);
        }
        let table = shape.table(asked.table)?;
        let fact = columns::pack(
            connection,
            table,
            asked.cols,
            asked.prefix,
            since,
            attachment,
        )?;
        if since >= 0 {
            if let Some(kept) = self.kept_rows.remove(asked.table) {
                asked.outgrown(&self.path, kept, fact.rows);
            }
        } else if !self.held {
            // What a held transaction wrote may yet be taken back.
            asked.keep(connection, shape, &self.path, &fact, attachment);
        }
        Ok(fact)
    }

    /// Whether a file that was taken for one that does not change has changed all the same.
    fn changed(&self) -> bool {
        self.still
            .as_ref()
            .is_some_and(|stamp| *stamp != still::Stamp::of(&self.path))
    }

    /// Applies changes inside the open transaction.
    ///
    /// # Errors
    /// Where one does not fit, or cannot be written; roll back then.
    pub fn apply(&mut self, changes: &[Change]) -> Result<(), Failure> {
        changes.iter().try_for_each(|change| {
            #[cfg(test)]
            faults::strike()?;
            write::apply(&self.connection, &self.shape, change)
        })
    }

    /// Ends the transaction; after one that wrote, everything is on disk.
    ///
    /// # Errors
    /// Where the disk is full or fails; nothing was written then.
    pub fn commit(&mut self) -> Result<(), Failure> {
        if self.held {
            return Ok(());
        }
        #[cfg(test)]
        faults::strike()?;
        self.run("COMMIT", Doing::Write)
    }

    /// Copies the whole database, as it is now, to a new file; answers its length in bytes. Others may go on writing.
    ///
    /// # Errors
    /// Where there is such a file already, or it cannot be written; nothing is left then.
    pub fn backup_to(&self, to: &Path) -> Result<u64, Failure> {
        backup::backup_to(&self.connection, to)
    }

    /// Ends the transaction, if one is open, as though it had not been.
    pub fn rollback(&mut self) {
        if !self.held && !self.connection.is_autocommit() {
            // A transaction that cannot even be rolled back ends with the connection.
            let _ = self.run("ROLLBACK", Doing::Read);
        }
    }

    fn run(&self, sql: &str, doing: Doing) -> Result<(), Failure> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.raw_execute())
            .map(|_| ())
            .map_err(|error| {
                let holder = if is_locked(&error) {
                    open::holder_of(&self.path).map(os::process_name)
                } else {
                    None
                };
                let failure = failed(doing, error);
                match holder {
                    Some(holder) => Failure {
                        message: format!("{} ({holder})", failure.message),
                        ..failure
                    },
                    None => failure,
                }
            })
    }
}
