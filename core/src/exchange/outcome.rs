//! What became of a file that was taken in, as it is reported.

use crate::exchange::told::Note;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many records of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Counts {
    pub nodes: usize,
    pub edges: usize,
    pub themes: usize,
    pub tags: usize,
    pub documents: usize,
    pub sessions: usize,
    pub members: usize,
}

/// A record that the file changed, or would have if the ledger did not know better.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Differing {
    pub item: String,
    pub fields: Vec<String>,
}

/// A record whose number of the file was taken here.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Renumbered {
    pub item: String,
    pub from: u32,
    pub to: u32,
}

/// What became of a file.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub added: Counts,
    pub changed: Counts,
    pub kept: Counts,
    pub changes: Vec<Differing>,
    pub stale: Vec<Differing>,
    pub folded: Vec<Note>,
    pub refused: Vec<Note>,
    pub renumbered: Vec<Renumbered>,
    pub ignored: BTreeMap<String, usize>,
    pub derived: usize,
}
