//! Why tables could not answer or apply.

use std::fmt;

/// A fetch or a change that does not fit the schema. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablesError {
    message: String,
}

impl TablesError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        TablesError {
            message: message.into(),
        }
    }

    pub(crate) fn no_table(name: &str) -> Self {
        Self::new(format!("there is no table `{name}`"))
    }
}

impl fmt::Display for TablesError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for TablesError {}
