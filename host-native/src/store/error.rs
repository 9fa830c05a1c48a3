//! SQLite's errors in a person's words.

use crate::Failure;
use rusqlite::{Error, ErrorCode};
use std::path::Path;

/// What was being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    Open,
    Read,
    Write,
}

/// The failure that an error of SQLite is.
pub fn failed(doing: Doing, error: Error) -> Failure {
    let code = error.sqlite_error_code();
    let doing = match doing {
        Doing::Open => "opened",
        Doing::Read => "read",
        Doing::Write => "written",
    };
    match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Failure::new(
            format!("the database could not be {doing}: another process holds its lock"),
            "try again; end the other process if it hangs",
        ),
        Some(ErrorCode::NotADatabase) => Failure::new(
            "the file is not a SQLite database",
            "name another file, or restore this one from a backup; nothing was changed",
        ),
        Some(ErrorCode::DatabaseCorrupt) => Failure::new(
            format!("the database is damaged ({})", detail(&error)),
            "keep the file as it is and restore a backup; nothing was changed",
        ),
        Some(ErrorCode::DiskFull) => Failure::new(
            "the disk is full",
            "make room and try again; nothing was written",
        ),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Failure::new(
            format!("the database could not be {doing}: it, or its folder, is read-only here"),
            "check the permissions of the folder `.deciduous` and of the files in it",
        ),
        Some(ErrorCode::CannotOpen) => Failure::new(
            format!("the database could not be {doing} ({})", detail(&error)),
            "check that the file and its folder exist and may be written",
        ),
        Some(ErrorCode::ConstraintViolation) => Failure::new(
            format!(
                "the rows to write contradict each other ({})",
                detail(&error)
            ),
            "report this; nothing was written",
        ),
        _ => Failure::new(
            format!("the database could not be {doing} ({})", detail(&error)),
            "try again; nothing was written",
        ),
    }
}

/// The failure of a file that is there and cannot be opened: the system says why better than SQLite.
pub fn of_open(path: &Path, error: Error) -> Failure {
    if error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
        && let Err(why) = std::fs::File::open(path)
    {
        return Failure::new(
            format!("the database could not be opened: {why}"),
            "check the permissions of the folder `.deciduous` and of the files in it",
        );
    }
    failed(Doing::Open, error)
}

/// Whether another process was in the way.
pub fn is_locked(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// SQLite's own words, which never hold a user's data, without its statement.
fn detail(error: &Error) -> String {
    match error {
        Error::SqliteFailure(cause, message) => {
            let text = message.clone().unwrap_or_else(|| cause.to_string());
            format!("{text}, SQLite code {}", cause.extended_code)
        }
        Error::SqlInputError { error, msg, .. } => {
            format!("{msg}, SQLite code {}", error.extended_code)
        }
        other => other.to_string(),
    }
}
