//! Opening a database file, so that two processes get on and a file that is not ours stays as it is.
//!
//! Owns: flags, pragmas, the way round where write-ahead logging cannot be had. Never: a table.

use super::create::{State, ensure, state};
use super::error::{Doing, failed, of_open};
use super::patience::waiting;
use super::shape::Shape;
use super::still::{self, Stamp};
use crate::{Access, Failure, os};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::{fs, io};

/// Statements kept prepared; a tool uses a few of them, a server all.
const STATEMENTS: usize = 256;
/// Every page's length is a multiple of this.
const SMALLEST_PAGE: u64 = 512;

/// An open database.
pub struct Opened {
    pub connection: Connection,
    /// Set where it is read as a file that does not change: how it looked then.
    pub still: Option<Stamp>,
}

impl From<Connection> for Opened {
    fn from(connection: Connection) -> Self {
        Opened {
            connection,
            still: None,
        }
    }
}

/// Opens the database; with `Access::Write` makes it, or what it lacks.
pub fn open(path: &Path, access: Access, shape: &Shape) -> Result<Opened, Failure> {
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

fn existing(path: &Path, access: Access, shape: &Shape) -> Result<Opened, Failure> {
    let open = || {
        let opened = match access {
            Access::Write => writing(path, shape)?.into(),
            Access::Read => match reading(path, shape)? {
                (opened, State::Current) => opened,
                // A newer core reads columns an older store lacks: they are added once, by whoever comes first.
                (opened, _) => {
                    drop(opened);
                    drop(writing(path, shape)?);
                    reading(path, shape)?.0
                }
            },
        };
        is_whole(path)?;
        Ok(opened)
    };
    tidily(path, open, Result::is_err)
}

/// SQLite reads what is missing of the last page as zeros.
fn is_whole(path: &Path) -> Result<(), Failure> {
    let length = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.len());
    if length(path) % SMALLEST_PAGE != 0 && length(&beside(path, "-wal")) == 0 {
        return Err(Failure::new(
            "the database is damaged: it ends in the middle of a page",
            "keep the file as it is and restore a backup; nothing was changed",
        ));
    }
    Ok(())
}

/// Looks at a file, and where it turns out that it is left alone takes away what looking made beside it.
///
/// Reading makes an empty log and its memory. SQLite takes them away itself when the last who may write closes, and leaves
/// them when another uses them.
pub fn tidily<T>(path: &Path, look: impl FnOnce() -> T, is_left: impl FnOnce(&T) -> bool) -> T {
    let lies_beside = || ["-wal", "-shm"].map(|ending| beside(path, ending).exists());
    let before = lies_beside();
    let looked = look();
    if is_left(&looked)
        && before == [false, false]
        && lies_beside() != before
        && let Ok(connection) = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    {
        // It may well fail: it only makes SQLite open what it is to take away.
        let _ = probe(&connection);
    }
    looked
}

fn writing(path: &Path, shape: &Shape) -> Result<Connection, Failure> {
    let open = |error| failed(Doing::Open, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let mut connection = connect(path, flags).map_err(|error| of_open(path, error))?;
    if connection.is_readonly("main").map_err(open)? {
        return Err(failed(Doing::Write, read_only()));
    }
    // The log of a file that is not ours is not taken into it by closing it.
    let keep = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    let log = fs::metadata(beside(path, "-wal")).is_ok_and(|meta| meta.len() > 0);
    connection.set_db_config(keep, log).map_err(open)?;
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
    connection.set_db_config(keep, false).map_err(open)?;
    write_ahead(&connection)?;
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(open)?;
    if found != State::Current {
        ensure(&mut connection, shape)?;
    }
    Ok(connection)
}

fn read_only() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY);
    rusqlite::Error::SqliteFailure(code, None)
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

fn reading(path: &Path, shape: &Shape) -> Result<(Opened, State), Failure> {
    let connect_here =
        || connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(|error| of_open(path, error));
    let still = |error| -> Result<Opened, Failure> {
        // Before it is read: what changes later is seen to have changed.
        let stamp = Stamp::of(path);
        Ok(Opened {
            connection: still::open(path, error)?,
            still: Some(stamp),
        })
    };
    let opened = if still::holds_a_log(path) {
        still(read_only())?
    } else {
        let connection = connect_here()?;
        match probe(&connection) {
            Err(error) if cannot_share(&error) => match writing(path, shape) {
                // It had to be given another journal first, which needs no shared memory.
                Ok(_) => connect_here()?.into(),
                Err(_) => still(error)?,
            },
            _ => connection.into(),
        }
    };
    let found = state(&opened.connection, shape)?;
    if found == State::Empty {
        return Err(
            Failure::new("the database has no tables yet", "run `deciduous init`")
                .with_exit(Failure::NOT_FOUND),
        );
    }
    Ok((opened, found))
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
    connection.busy_handler(Some(waiting(path)))?;
    // Without it, statements that are kept prepared are prepared anew each time a value is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

/// Who writes now, as far as the system tells: SQLite locks a byte of the memory it shares, or of the file itself.
pub fn holder_of(path: &Path) -> Option<u32> {
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
    if fs::symlink_metadata(path).is_ok() {
        return Err(Failure::new(
            format!("`{}` is a link that leads nowhere", path.display()),
            "make what it leads to, or remove it and run `deciduous init`",
        ));
    }
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
