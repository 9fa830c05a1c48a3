//! Reading where nothing may be written: a read-only file system, another user's folder.
//!
//! Owns: the ways to read a file without the memory that readers and writers share, and noticing that it changed all the
//! same. Never: reading past a log that lies beside it, or what an interrupted write left behind.

use super::error::{Doing, failed};
use super::open::{beside, connect};
use crate::{Failure, os};
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// SQLite's way to files without any locks.
const NO_LOCKS: &str = if cfg!(windows) {
    "win32-none"
} else {
    "unix-none"
};

/// What shows that a file changed: length and time of the database and of its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp([Option<(u64, SystemTime)>; 2]);

impl Stamp {
    pub fn of(path: &Path) -> Stamp {
        let file = |path: &Path| {
            let meta = fs::metadata(path).ok()?;
            Some((meta.len(), meta.modified().ok()?))
        };
        Stamp([file(path), file(&beside(path, "-wal"))])
    }
}

/// Whether a log lies there that SQLite could take in only with memory that cannot be made here.
pub fn holds_a_log(path: &Path) -> bool {
    is_filled(&beside(path, "-wal"))
        && !beside(path, "-shm").exists()
        && !os::may_write(path.parent().unwrap_or(path))
}

fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
}

/// Reads the file as one that does not change. Nobody has made the shared memory here, so nobody writes.
///
/// # Errors
/// Where what lies beside the file would be overlooked that way.
pub fn open(path: &Path, error: rusqlite::Error) -> Result<Connection, Failure> {
    let Some(name) = path.to_str() else {
        return Err(failed(Doing::Open, error));
    };
    let (log, journal, memory) = (
        beside(path, "-wal"),
        beside(path, "-journal"),
        beside(path, "-shm"),
    );
    if is_filled(&journal) {
        return Err(Failure::new(
            format!(
                "a write to it was broken off, `{}` says how to take it back, and nothing may be written here",
                journal.display()
            ),
            "open it once where it may be written, such as by `deciduous pulse` as its owner",
        ));
    }
    if memory.is_file() && !os::may_read(&memory)
        || log.exists() && !os::may_read(&log)
        || log.is_dir()
    {
        return Err(Failure::new(
            format!(
                "`{}` holds writes that were not taken in, and it cannot be read here",
                log.display()
            ),
            "check its permissions, or open the database once as its owner",
        ));
    }
    let name = name
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let opened = |how: &str| {
        connect(Path::new(&format!("file:{name}?{how}")), flags)
            .map_err(|error| failed(Doing::Open, error))
    };
    if !is_filled(&log) {
        return opened("immutable=1");
    }
    // Alone with the file, SQLite keeps the log's index in its own memory.
    let connection = opened(&format!("mode=ro&vfs={NO_LOCKS}"))?;
    connection
        .pragma_update(None, "locking_mode", "EXCLUSIVE")
        .map_err(|error| failed(Doing::Open, error))?;
    Ok(connection)
}
