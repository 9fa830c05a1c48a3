//! What the core answers.

use crate::{Cell, Fetch, View};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The answer to `call` and to `answer`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The tool cannot go on before it knows these. `write` says which transaction the rows are read in.
    Need {
        fetches: Vec<Fetch>,
        write: bool,
    },
    Done(Box<Done>),
    Refused(Box<Refusal>),
}

/// A finished call. The changes are applied, and the transaction committed, before anybody is told of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// The tool's output: a JSON object that matches its output schema.
    pub output: Box<RawValue>,
    /// The lead: what was found or done, then `Next:` where one follows. Plain text.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Values to tell back in `env.kept` at this client's later calls; a `null` forgets the key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub keep: BTreeMap<String, serde_json::Value>,
}

/// One thing to write.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Insert the row, or replace the one with the same primary key. All columns, in the schema's order.
    Put { table: String, row: Vec<Cell> },
    /// Replace a document of the search index. `removed` and `added` are the distinct terms of its former and its new
    /// text; with `added` empty the document leaves the index.
    Index {
        workspace: u32,
        doc: u32,
        removed: Vec<String>,
        added: Vec<String>,
        length: u32,
    },
}

/// A call that broke a rule; nothing was written.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Refusal {
    /// 400 bad argument, 403 not yours, 404 not found, 409 conflict or stale, 410 gone, 413 too large, 422 rule broken.
    pub status: u16,
    /// Lower case, no full stop, the caller's input in backticks.
    pub message: String,
    /// What to do now.
    pub next: String,
    /// Argument to reason, for a 400.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, String>,
}
