//! Opening a database file, so that two processes get on and a file that is not ours stays as it is.
//!
//! Owns: flags, pragmas, the way round where write-ahead logging cannot be had. Never: a table.

use super::create::{State, ensure, state};
use super::error::{Doing, failed};
use super::shape::Shape;
use crate::{Access, Failure, os};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};
use std::{fs, io};

/// How long a process waits for another one's lock.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 10_000 });
/// Statements kept prepared; a tool uses a few of them, a server all.
const STATEMENTS: usize = 256;

/// Opens the database; with `Access::Write` makes it, or what it lacks.
pub fn open(path: &Path, access: Access, shape: &Shape) -> Result<Connection, Failure> {
    let at = |failure: Failure| Failure {
        message: format!("`{}`: {}", path.display(), failure.message),
        ..failure
    };
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() == 0 => Err(Failure::new(
            format!(
                "`{}` is empty: it was cut off, or never was a database",
                path.display()
            ),
            "restore it from a backup, or move it away and run `deciduous init`; nothing was changed",
        )),
        Ok(meta) if meta.is_file() => existing(path, access, shape).map_err(at),
        Ok(_) => Err(Failure::new(
            format!("`{}` is not a file", path.display()),
            "name the database file itself",
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match access {
            Access::Write => {
                create(path, shape)?;
                existing(path, access, shape).map_err(at)
            }
            Access::Read => Err(Failure::new(
                format!("there is no database `{}` yet", path.display()),
                "run `deciduous init`, or name another one with `--db`",
            )
            .with_exit(Failure::NOT_FOUND)),
        },
        Err(error) => Err(Failure::new(
            format!("`{}` cannot be looked at: {error}", path.display()),
            "check the permissions of its folder",
        )),
    }
}

fn existing(path: &Path, access: Access, shape: &Shape) -> Result<Connection, Failure> {
    match access {
        Access::Write => writing(path, shape),
        Access::Read => {
            let (connection, found) = reading(path, shape)?;
            if found == State::Current {
                return Ok(connection);
            }
            // A newer core reads columns an older store lacks: they are added once, by whoever comes first.
            drop(connection);
            drop(writing(path, shape)?);
            Ok(reading(path, shape)?.0)
        }
    }
}

fn writing(path: &Path, shape: &Shape) -> Result<Connection, Failure> {
    let open = |error| failed(Doing::Open, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let mut connection = connect(path, flags).map_err(open)?;
    if let Err(error) = probe(&connection) {
        if !cannot_share(&error) {
            return Err(open(error));
        }
        // Brought here from a place that has shared memory: alone with the file, SQLite needs none to take its log in.
        connection = connect(path, flags).map_err(open)?;
        connection
            .pragma_update(None, "locking_mode", "EXCLUSIVE")
            .map_err(open)?;
    }
    // Looked at before anything is set: another program's file stays as it is.
    let found = state(&connection, shape)?;
    write_ahead(&connection)?;
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(open)?;
    if found != State::Current {
        ensure(&mut connection, shape)?;
    }
    Ok(connection)
}

/// Write-ahead logging where the file system lets several processes share memory, else a rollback journal.
fn write_ahead(connection: &Connection) -> Result<(), Failure> {
    let set = |what: &str| -> rusqlite::Result<String> {
        connection.query_row(&format!("PRAGMA {what}"), [], |row| row.get(0))
    };
    let alone = set("locking_mode").is_ok_and(|mode| mode == "exclusive");
    if !alone && set("journal_mode=WAL").is_ok_and(|mode| mode == "wal") {
        return Ok(());
    }
    set("journal_mode=DELETE")
        .and_then(|_| set("locking_mode=NORMAL"))
        .map_err(|error| failed(Doing::Open, error))?;
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        eprintln!(
            "note: this file system has no write-ahead logging; readers wait for writers here"
        );
    });
    Ok(())
}

fn reading(path: &Path, shape: &Shape) -> Result<(Connection, State), Failure> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| failed(Doing::Open, error))?;
    let connection = match probe(&connection) {
        Err(error) if cannot_share(&error) => match writing(path, shape) {
            // It had to be given another journal first, which needs no shared memory.
            Ok(_) => connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
                .map_err(|error| failed(Doing::Open, error))?,
            Err(_) => unchanging(path, error)?,
        },
        _ => connection,
    };
    let found = state(&connection, shape)?;
    if found == State::Empty {
        return Err(
            Failure::new("the database has no tables yet", "run `deciduous init`")
                .with_exit(Failure::NOT_FOUND),
        );
    }
    Ok((connection, found))
}

/// A read-only place has no room for the memory that readers and writers share. Where nobody has made it yet, nobody
/// writes, so the file is read as one that does not change; unless a log lies beside it that would be overlooked.
fn unchanging(path: &Path, error: rusqlite::Error) -> Result<Connection, Failure> {
    let log = beside(path, "-wal");
    if fs::metadata(&log).is_ok_and(|meta| meta.len() > 0) {
        return Err(Failure::new(
            format!(
                "it lies on a read-only file system, and `{}` holds writes that were not taken in",
                log.display()
            ),
            "open it once where it may be written, then copy it again",
        ));
    }
    let Some(name) = path.to_str() else {
        return Err(failed(Doing::Open, error));
    };
    let name = name
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let uri = format!("file:{name}?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect(Path::new(&uri), flags).map_err(|error| failed(Doing::Open, error))
}

/// Reads the first page, which opens the log and the memory around it.
fn probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row(
        "SELECT count(*) FROM (SELECT 1 FROM sqlite_schema LIMIT 1)",
        [],
        |_| Ok(()),
    )
}

fn cannot_share(error: &rusqlite::Error) -> bool {
    let io = rusqlite::ffi::SQLITE_IOERR;
    match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => true,
        // The calls on shared memory are SQLite's I/O errors 18 to 21.
        Some(ErrorCode::SystemIoFailure) => error
            .sqlite_error()
            .is_some_and(|error| (18..=21).contains(&((error.extended_code - io) >> 8))),
        _ => false,
    }
}

#[cfg(test)]
thread_local! {
    /// SQLite's way to the file system, for tests of odd ones.
    pub static VFS: std::cell::Cell<Option<&'static str>> = const { std::cell::Cell::new(None) };
}

pub fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[cfg(not(test))]
    let mut connection = Connection::open_with_flags(path, flags)?;
    #[cfg(test)]
    let mut connection = match VFS.get() {
        Some(vfs) => Connection::open_with_flags_and_vfs(path, flags, vfs)?,
        None => Connection::open_with_flags(path, flags)?,
    };
    connection.busy_handler(Some(waiting()))?;
    // Without it, statements that are kept prepared are prepared anew each time a value is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

/// Waits for a lock in short steps that grow: a commit takes less than a millisecond, a bulk import seconds.
fn waiting() -> impl FnMut(i32) -> bool + Send + 'static {
    let mut since = Instant::now();
    move |tries| {
        if tries == 0 {
            since = Instant::now();
        }
        if since.elapsed() >= PATIENCE {
            return false;
        }
        let step = 200_u64.saturating_mul(1 << u32::try_from(tries).unwrap_or(0).min(5));
        std::thread::sleep(Duration::from_micros(step));
        true
    }
}

/// Who writes now, as far as the system tells: SQLite locks a byte of the memory it shares, or of the file itself.
pub fn holder(path: &Path) -> Option<String> {
    os::lock_holder(&beside(path, "-shm")).or_else(|| os::lock_holder(path))
}

/// Makes a new database beside its place and moves it there in one step, so that no other process ever sees half of
/// one, and the first of two wins.
fn create(path: &Path, shape: &Shape) -> Result<(), Failure> {
    let unmade = |what: &dyn std::fmt::Display| {
        Failure::new(
            format!("`{}` cannot be made: {what}", path.display()),
            "check that its folder exists and may be written",
        )
    };
    let part = beside(
        path,
        &format!(
            ".new-{}-{:08x}",
            std::process::id(),
            os::dice().map_err(|e| unmade(&e))?
        ),
    );
    let made = (|| {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = connect(&part, flags).map_err(|error| unmade(&error))?;
        write_ahead(&connection)?;
        ensure(&mut connection, shape)?;
        // Closing takes the log into the file.
        connection.close().map_err(|(_, error)| unmade(&error))?;
        os::move_new(&part, path).map_err(|error| unmade(&error))
    })();
    for left in [part.clone(), beside(&part, "-wal"), beside(&part, "-shm")] {
        // Most of them are not there; one that stays is a few kilobytes that nobody reads.
        let _ = fs::remove_file(left);
    }
    made
}

/// A path with an ending behind its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
