//! A copy of a database while others may write to it.
//!
//! Owns: that a copy's name never stands for half of one, and that no file is written over. Never: where copies lie.

use super::error::{Doing, failed};
use super::open::beside;
use crate::{Failure, os};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::path::Path;

/// Copies the whole database, as it is at one moment, to a new file; answers its length in bytes.
///
/// # Errors
/// Where there is such a file already, or it cannot be written, or the database cannot be read; nothing is left then.
pub fn backup_to(from: &Connection, to: &Path) -> Result<u64, Failure> {
    let unmade = |what: &dyn std::fmt::Display| {
        Failure::new(
            format!("the backup `{}` cannot be made: {what}", to.display()),
            "check that there is room and that its folder exists and may be written; nothing was changed",
        )
    };
    if fs::symlink_metadata(to).is_ok() {
        return Err(Failure::new(
            format!("`{}` is there already", to.display()),
            "name a file that is not there; nothing was written",
        ));
    }
    let dice = os::dice().map_err(|error| unmade(&error))?;
    let part = beside(to, &format!(".new-{}-{dice:08x}", std::process::id()));
    let made = copy(from, &part)
        .and_then(|()| os::move_new(&part, to).map_err(|error| unmade(&error)))
        .and_then(|()| fs::metadata(to).map_err(|error| unmade(&error)));
    for ending in ["", "-journal", "-wal", "-shm"] {
        // Most of them are not there.
        let _ = fs::remove_file(beside(&part, ending));
    }
    Ok(made?.len())
}

/// Whether the database in a file is whole, page by page and index by index.
///
/// # Errors
/// Where it is not, with the first thing that is wrong.
pub fn check(database: &Path) -> Result<(), Failure> {
    let read = |error| failed(Doing::Read, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags).map_err(read)?;
    let said: String = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(read)?;
    if said == "ok" {
        return Ok(());
    }
    Err(Failure::new(
        format!(
            "the database is damaged: {}",
            said.lines().next().unwrap_or_default()
        ),
        "`deciduous doctor` says what is left of it",
    ))
}

fn copy(from: &Connection, part: &Path) -> Result<(), Failure> {
    let write = |error| failed(Doing::Write, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut copy = Connection::open_with_flags(part, flags).map_err(write)?;
    let backup = Backup::new(from, &mut copy).map_err(write)?;
    // All pages in one step: a copy of one moment, which waits for a lock as any reader does.
    match backup.step(-1).map_err(write)? {
        StepResult::Done => {}
        _ => {
            return Err(Failure::new(
                "the database could not be read: another process holds its lock",
                "try again; nothing was written",
            ));
        }
    }
    drop(backup);
    // One file that needs nothing beside it, not even to be read where nothing may be written. What is damaged inside
    // may not take this; it is a copy all the same.
    let _ = copy.query_row("PRAGMA journal_mode=DELETE", [], |_| Ok(()));
    copy.close().map_err(|(_, error)| write(error))
}
