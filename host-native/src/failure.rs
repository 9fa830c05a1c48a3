//! What went wrong that is no refusal by the core: a file, a lock, a store that is damaged or too new.
//!
//! Owns: the words a person reads in such a case, and the exit code. Never: a rule of the graph (that is a `Refusal`).
//!
//! ```text
//! error: `.deciduous/deciduous.db` is not a SQLite database
//! next: restore it from a backup; nothing was changed
//! ```

use std::fmt;

/// A call that could not be carried out. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Lower case, no full stop, names in backticks.
    pub message: String,
    /// What to do now.
    pub next: String,
    /// The exit code of a command that ends with it.
    pub exit: u8,
    /// The database is another program's.
    pub is_foreign: bool,
}

impl Failure {
    /// Exit code of a command that failed, as against one that was refused.
    pub const FAILED: u8 = 1;
    /// Exit code of a command called in a wrong way.
    pub const USAGE: u8 = 2;
    /// Exit code where the thing asked for is not there.
    pub const NOT_FOUND: u8 = 3;
    /// Exit code where a rule forbids it.
    pub const RULE: u8 = 4;
    /// Exit code where somebody else is in the way.
    pub const CONFLICT: u8 = 5;

    #[must_use]
    pub fn new(message: impl Into<String>, next: impl Into<String>) -> Self {
        Failure {
            message: message.into(),
            next: next.into(),
            exit: Self::FAILED,
            is_foreign: false,
        }
    }

    #[must_use]
    pub fn with_exit(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.message)
    }
}

impl std::error::Error for Failure {}
