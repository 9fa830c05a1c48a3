//! How far a check has come.

use crate::ledger::verify;
use crate::page::no_cursor;
use crate::refuse::{Step, stop};
use deciduous_boundary::Cell;
use serde::{Deserialize, Serialize};

/// What the next stretch is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Spot {
    /// Events, from a place of [`verify`] on.
    Ledger(String),
    /// The table by its number, and the key of the row behind which to go on.
    Rows(usize, Vec<Cell>),
    /// The kind of subject by its number, and the event behind which to go on.
    Folds(usize, Option<(String, i64)>),
    End,
}

/// Where the next stretch begins; as text it is a cursor.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    pub(super) spot: Spot,
    /// Breaks in the chains so far.
    pub(super) broken: usize,
}

/// Which side is right where the ledger and the tables differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Ledger,
    /// The ledger's chains do not hold, so a row that is there may say what an event does not say any more.
    Tables,
}

impl Side {
    pub(super) fn of(broken: usize) -> Side {
        if broken == 0 {
            Side::Ledger
        } else {
            Side::Tables
        }
    }
}

impl Default for Place {
    fn default() -> Self {
        Place {
            spot: Spot::Ledger(verify::Place::default().to_string()),
            broken: 0,
        }
    }
}

impl Place {
    pub(crate) fn read(cursor: &str) -> Step<Place> {
        serde_json::from_str(cursor).map_or_else(|_| stop(no_cursor(cursor)), Ok)
    }

    /// What is looked at there.
    pub(crate) fn part(&self) -> &'static str {
        match self.spot {
            Spot::Ledger(_) => "ledger",
            Spot::Rows(..) => "rows",
            Spot::Folds(..) => "folds",
            Spot::End => "counters",
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&serde_json::to_string(self).unwrap_or_default())
    }
}
