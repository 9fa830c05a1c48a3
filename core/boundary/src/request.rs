//! What a host asks.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type Millis = i64;

/// One call of one tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// `local`, `all`, `shared`, `review`, or `store` (what a host's own commands need; never spoken to agents).
    pub toolset: String,
    pub tool: String,
    /// The arguments as the client sent them: a JSON object.
    pub args: Box<RawValue>,
    pub caller: Actor,
    pub env: Env,
}

/// Who calls, as recorded in the ledger.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Actor {
    /// A name such as `claude-code` or `sam`; 1 to 200 characters.
    pub name: String,
    pub kind: ActorKind,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ActorKind {
    Person,
    Agent,
    System,
}

/// What the core is told about the moment of the call; it has no clock and no dice of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Env {
    /// The wall clock, for showing only: it decides nothing.
    pub now: Millis,
    /// 64 hexadecimal digits (32 bytes) of entropy, new for each call; ids are made from it.
    pub entropy: String,
    /// The name of the workspace the client is pinned to; none: the toolset's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// What earlier replies to the same client asked to be kept (`Done::keep`), told back unread.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kept: BTreeMap<String, serde_json::Value>,
    /// Whether a rendering for a person is wanted beside the output.
    #[serde(default, skip_serializing_if = "ViewMode::is_none")]
    pub view: ViewMode,
}

/// Whether `Done::view` is wanted: it costs time, so only a terminal asks.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ViewMode {
    #[default]
    None,
    Terminal,
}

impl ViewMode {
    fn is_none(&self) -> bool {
        *self == ViewMode::None
    }
}
