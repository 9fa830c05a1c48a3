//! The database for one process alone, and putting another content in its place.
//!
//! Owns: the lock that nobody shares. Never: what is mended under it.

use super::error::{Doing, failed, is_locked, of_open};
use super::open::{self, beside, connect, tidily};
use super::{Store, Transaction, backup, kept};
use crate::store::Shape;
use crate::{Access, Failure, os};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Store {
    /// Opens the database so that no other process has it open, until this store is closed.
    ///
    /// # Errors
    /// Where another process has it open, or it is damaged or no store of this version; it is left as it is.
    pub fn alone(path: &Path, shape: Arc<Shape>) -> Result<Store, Failure> {
        // As any other that writes does first: what is missing is refused or made, and the log is one that is shared.
        if fs::symlink_metadata(path).is_err() {
            return Err(Failure::new(
                format!("there is no database `{}` yet", path.display()),
                "run `deciduous init`, or name another one with `--db`",
            )
            .with_exit(Failure::NOT_FOUND));
        }
        drop(open::open(path, Access::Write, &shape)?);
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| of_open(path, error))?;
        // Before anything is read: then the log is opened for this process alone.
        take_alone(&connection).map_err(|error| taken(error, path))?;
        Ok(Store {
            connection,
            shape,
            path: path.to_path_buf(),
            held: false,
            still: None,
            kept_rows: HashMap::new(),
        })
    }

    /// Opens a transaction around all further calls, which [`Store::end`] or [`Store::drop_all`] ends.
    ///
    /// # Errors
    /// As of [`Store::begin`].
    pub fn hold(&mut self, transaction: Transaction) -> Result<(), Failure> {
        self.begin(transaction)?;
        self.held = true;
        Ok(())
    }

    /// Ends the transaction that was held; everything is on disk then.
    ///
    /// # Errors
    /// Where the disk is full or fails; nothing was written then.
    pub fn end(&mut self) -> Result<(), Failure> {
        self.held = false;
        // Rows may have been mended without a change that the log knows.
        kept::forget(&self.path);
        self.commit()
    }

    /// Ends the transaction that was held, as though it had not been.
    pub fn drop_all(&mut self) {
        self.held = false;
        self.rollback();
    }

    /// Takes the log into the file, so that one file is all there is.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn settle(&self) -> Result<(), Failure> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(|error| failed(Doing::Write, error))
    }

    /// Puts the content of another file of the same kind in the place of all that is here, all or nothing.
    ///
    /// # Errors
    /// Where that file cannot be read or this one not be written.
    pub fn become_as(&mut self, from: &Path) -> Result<(), Failure> {
        kept::forget(&self.path);
        let source = connect(from, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|error| of_open(from, error))?;
        let write = |error| failed(Doing::Write, error);
        let copy = Backup::new(&source, &mut self.connection).map_err(write)?;
        match copy.step(-1).map_err(write)? {
            StepResult::Done => Ok(()),
            _ => Err(Failure::new(
                "the database could not be written: another process holds its lock",
                "try again; nothing was changed",
            )),
        }
    }
}

fn take_alone(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA locking_mode=EXCLUSIVE", [], |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // The lock is taken with the first write, and kept.
    connection.execute_batch("BEGIN EXCLUSIVE; COMMIT")
}

fn taken(error: rusqlite::Error, path: &Path) -> Failure {
    if !is_locked(&error) {
        return failed(Doing::Open, error);
    }
    let who = os::lock_holder(path).map_or_else(|| "another process".to_owned(), os::process_name);
    Failure::new(
        format!("{who} has the database open, and this needs it alone"),
        "end servers and other commands that use it, and try again; nothing was changed",
    )
    .with_exit(Failure::CONFLICT)
}

/// Whether the file is one that SQLite cannot read, whoever's it is.
pub fn is_damaged(path: &Path) -> bool {
    if fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() == 0) {
        return true;
    }
    let check = || -> rusqlite::Result<String> {
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
    };
    match tidily(path, check, |_| true) {
        Ok(said) => said != "ok",
        Err(error) => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)
        ),
    }
}

/// Moves a damaged database and what lies beside it out of the way; answers where it is now.
///
/// # Errors
/// Where nothing may be moved there.
pub fn set_aside(path: &Path) -> Result<PathBuf, Failure> {
    let aside = free(path, ".damaged");
    kept::forget(path);
    for ending in ["", "-wal", "-shm", "-journal"] {
        let from = beside(path, ending);
        if fs::symlink_metadata(&from).is_ok() {
            fs::rename(&from, beside(&aside, ending)).map_err(|error| {
                Failure::new(
                    format!("`{}` cannot be moved: {error}", from.display()),
                    "check the permissions of its folder",
                )
            })?;
        }
    }
    Ok(aside)
}

/// A whole copy of a database under a name that is free.
///
/// # Errors
/// As of [`Store::backup_to`].
pub fn copy(from: &Path, to: &Path) -> Result<u64, Failure> {
    kept::forget(to);
    let source =
        connect(from, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(|error| of_open(from, error))?;
    backup::backup_to(&source, to)
}

/// A name beside the database that is free; with `.before-upgrade`: `deciduous.before-upgrade.db`, then `…-2.db`.
#[must_use]
pub fn free(database: &Path, why: &str) -> PathBuf {
    let stem = database.with_extension("");
    let name = |number: u32| match number {
        1 => beside(&stem, &format!("{why}.db")),
        number => beside(&stem, &format!("{why}-{number}.db")),
    };
    (1..)
        .map(name)
        .find(|path| fs::symlink_metadata(path).is_err())
        .unwrap_or(stem)
}
