//! What one record of a file says, as it was read and before it is looked for in the store.

use crate::ledger::Fields;
use crate::model::EdgeType;
use crate::time;
use deciduous_boundary::Millis;
use serde::Deserialize;
use serde_json::Value;

/// A record's place in the file, and what is to be said of it.
#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Note {
    pub item: String,
    pub reason: String,
}

/// How a record names a node.
#[derive(Clone, Debug, Default)]
pub(super) struct End {
    pub change_id: Option<String>,
    pub number: Option<u32>,
}

/// A record of the file.
#[derive(Clone, Debug)]
pub(super) struct Told<T> {
    pub item: String,
    /// What it sets; a null where the file has no value.
    pub set: Fields,
    pub is: T,
}

#[derive(Clone, Debug)]
pub(super) struct Named {
    pub id: Option<u32>,
    pub change_id: String,
}

#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub id: Option<u32>,
    pub from: End,
    pub to: End,
    pub kind: EdgeType,
}

#[derive(Clone, Debug)]
pub(super) struct Theming {
    pub id: Option<u32>,
    pub name: String,
}

#[derive(Clone, Debug)]
pub(super) struct Tagging {
    pub node: End,
    pub theme: String,
}

#[derive(Clone, Debug)]
pub(super) struct Attached {
    pub named: Named,
    pub node: End,
}

#[derive(Clone, Debug)]
pub(super) struct Conversation {
    pub named: Named,
    pub root: End,
    pub members: Vec<Member>,
}

/// A node of a session, and when it came into it.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub node: End,
    pub at: Option<Millis>,
}

/// The greatest number each kind of record ever had, deleted ones too: none of them is given again.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Greatest {
    pub nodes: u32,
    pub edges: u32,
    pub themes: u32,
    pub documents: u32,
    pub sessions: u32,
}

impl Member {
    /// A change_id, a number, or an object that holds one as `id` and the time as `added_at`.
    pub(super) fn read(value: &Value) -> Self {
        let name = value.get("id").unwrap_or(value);
        let at = value.get("added_at").and_then(Value::as_str);
        Member {
            node: End {
                change_id: name.as_str().map(str::to_ascii_lowercase),
                number: name.as_u64().and_then(|number| u32::try_from(number).ok()),
            },
            at: at.and_then(time::read),
        }
    }
}
