//! A taking back in a person's words.

use crate::ledger::Subject;
use crate::ledger::kept::Kept;
use crate::ledger::undo::plan::{Plan, Turn, Way};
use crate::text::shorten;
use serde::Serialize;
use serde_json::Value;

/// So much of a value is told.
const VALUE_CHARS: usize = 200;
const TITLE_CHARS: usize = 80;

/// A field that changes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct FieldTold {
    pub field: String,
    /// As text, shortened; empty where there is none
    pub from: String,
    pub to: String,
}

/// One compensating event.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct TurnTold {
    pub kind: &'static str,
    pub subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<u32>,
    /// The record and what becomes of it
    pub what: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldTold>,
}

impl Plan {
    /// What a record is called.
    pub(super) fn told(&self, subject: &Subject) -> String {
        let number = |id: &String| self.rows.nodes.get(id).map_or(0, |node| node.id);
        let session = |id: &String| {
            let row = self.rows.sessions.get(id);
            row.map_or_else(String::new, |row| {
                format!("session {} `{}`", row.id, shorten(&row.name, TITLE_CHARS))
            })
        };
        match subject {
            Subject::Node(id) => match self.rows.nodes.get(id) {
                Some(node) => format!(
                    "{} #{} `{}`",
                    node.node_type,
                    node.id,
                    shorten(&node.title, TITLE_CHARS)
                ),
                None => format!("node {id}"),
            },
            Subject::Edge { from, to, kind } => {
                format!("edge #{} -> #{} ({kind})", number(from), number(to))
            }
            Subject::Theme(name) => format!("theme `{name}`"),
            Subject::Tag { node, theme } => format!("tag `{theme}` of #{}", number(node)),
            Subject::Document(_) => match self.rows.get(subject) {
                Some(Kept::Document(row)) => format!(
                    "document {} `{}` of #{}",
                    row.id,
                    shorten(&row.name, TITLE_CHARS),
                    row.node_id
                ),
                _ => subject.to_string(),
            },
            Subject::Session(id) => session(id),
            Subject::Member { session: of, node } => {
                format!("#{} in {}", number(node), session(of))
            }
        }
    }
}

impl Turn {
    /// What the compensating event is called.
    pub(super) fn kind(&self) -> &'static str {
        match (&self.subject, self.way) {
            (Subject::Node(_), Way::Gone) => "node.deleted",
            (Subject::Node(_), Way::Back) => "node.restored",
            (Subject::Node(_), Way::Changed) => "node.changed",
            (Subject::Edge { .. }, Way::Gone) => "edge.removed",
            (Subject::Edge { .. }, Way::Back) => "edge.restored",
            (Subject::Edge { .. }, Way::Changed) => "edge.changed",
            (Subject::Theme(_), Way::Gone) => "theme.removed",
            (Subject::Theme(_), Way::Back) => "theme.restored",
            (Subject::Theme(_), Way::Changed) => "theme.changed",
            (Subject::Tag { .. }, Way::Gone) => "tag.removed",
            (Subject::Tag { .. }, Way::Back) => "tag.restored",
            (Subject::Tag { .. }, Way::Changed) => "tag.changed",
            (Subject::Document(_), Way::Gone) => "document.detached",
            (Subject::Document(_), Way::Back) => "document.restored",
            (Subject::Document(_), Way::Changed) => "document.changed",
            (Subject::Session(_), Way::Gone) => "session.removed",
            (Subject::Session(_), Way::Back) => "session.restored",
            (Subject::Session(_), Way::Changed) => "session.changed",
            (Subject::Member { .. }, Way::Gone) => "session.left",
            (Subject::Member { .. }, Way::Back) => "session.rejoined",
            (Subject::Member { .. }, Way::Changed) => "session.membership",
        }
    }

    pub(super) fn told(&self, plan: &Plan) -> TurnTold {
        let becomes = match self.way {
            Way::Gone => "removed",
            Way::Back => "restored",
            Way::Changed => "changed back",
        };
        let fields = self.told_fields().map(|(name, value)| FieldTold {
            field: name.clone(),
            from: text(&self.row.value(name)),
            to: text(value),
        });
        TurnTold {
            kind: self.kind(),
            subject: self.subject.to_string(),
            node_id: match &self.row {
                Kept::Node(row) => Some(row.id),
                Kept::Tag(row) => Some(row.node_id),
                Kept::Document(row) => Some(row.node_id),
                Kept::Member(row) => Some(row.node_id),
                Kept::Edge(_) | Kept::Theme(_) | Kept::Session(_) => None,
            },
            what: format!("{} {becomes}", plan.told(&self.subject)),
            fields: if self.way == Way::Gone {
                Vec::new()
            } else {
                fields.collect()
            },
        }
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => shorten(text, VALUE_CHARS),
        other => other.to_string(),
    }
}
