//! The shapes in which records are answered, shared by the tools so that a node reads the same everywhere.

use crate::around::Seen;
use crate::model::{Conflict, Document, Edge, Node, NodeBrief, Session};
use crate::text::shorten;
use crate::time;
use serde::Serialize;

/// A node in a list.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct NodeItem {
    pub id: u32,
    pub node_type: String,
    pub title: String,
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

impl From<&NodeBrief> for NodeItem {
    fn from(node: &NodeBrief) -> Self {
        NodeItem {
            id: node.id,
            node_type: node.node_type.clone(),
            title: node.title.clone(),
            status: node.status.clone(),
            confidence: node.confidence,
            branch: node.branch.clone(),
            created_at: Some(time::shown(node.created_at, node.created_text.as_deref())),
        }
    }
}

/// A node that is only named.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct NodeMark {
    pub id: u32,
    pub node_type: String,
    pub title: String,
    pub status: String,
}

impl From<&NodeBrief> for NodeMark {
    fn from(node: &NodeBrief) -> Self {
        NodeMark {
            id: node.id,
            node_type: node.node_type.clone(),
            title: node.title.clone(),
            status: node.status.clone(),
        }
    }
}

/// A node in full.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct NodeDetail {
    pub id: u32,
    pub change_id: String,
    pub node_type: String,
    pub title: String,
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What was added beyond the fields above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
    pub created_at: String,
    pub updated_at: String,
}

impl From<&Node> for NodeDetail {
    fn from(node: &Node) -> Self {
        NodeDetail {
            id: node.id,
            change_id: node.change_id.clone(),
            node_type: node.node_type.clone(),
            title: node.title.clone(),
            status: node.status.clone(),
            description: node.description.clone(),
            confidence: node.confidence,
            prompt: node.prompt.clone(),
            files: node.file_list(),
            branch: node.branch.clone(),
            commit: node.commit.clone(),
            metadata: node
                .metadata
                .as_deref()
                .and_then(|json| serde_json::from_str(json).ok()),
            created_at: time::shown(node.created_at, node.created_text.as_deref()),
            updated_at: time::shown(node.updated_at, node.updated_text.as_deref()),
        }
    }
}

/// An edge seen from one of its ends.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Neighbour {
    pub id: u32,
    pub node_type: String,
    pub title: String,
    pub status: String,
    pub edge_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

impl Neighbour {
    pub(crate) fn new(other: &NodeBrief, edge: Seen) -> Self {
        Neighbour {
            id: other.id,
            node_type: other.node_type.clone(),
            title: other.title.clone(),
            status: other.status.clone(),
            edge_type: edge.edge_type,
            rationale: edge.rationale,
        }
    }
}

/// An attached document.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct DocumentItem {
    pub id: u32,
    pub node_id: u32,
    pub name: String,
    pub path: String,
    pub sha256: String,
    pub size_bytes: i64,
    pub media_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub attached_at: String,
}

impl From<&Document> for DocumentItem {
    fn from(document: &Document) -> Self {
        DocumentItem {
            id: document.id,
            node_id: document.node_id,
            name: document.name.clone(),
            path: document.path.clone(),
            sha256: document.sha256.clone(),
            size_bytes: document.size_bytes,
            media_type: document.media_type.clone(),
            description: document.description.clone(),
            attached_at: time::show(document.created_at),
        }
    }
}

/// A field that a merge decided between writers who did not know of each other; the events are in the ledger.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct ConflictItem {
    pub subject: String,
    pub field: String,
    /// Id of the event whose value stands.
    pub winner: String,
    /// Ids of the events whose values lost.
    pub losers: Vec<String>,
    pub found_at: String,
}

impl From<&Conflict> for ConflictItem {
    fn from(conflict: &Conflict) -> Self {
        ConflictItem {
            subject: conflict.subject.clone(),
            field: conflict.field.clone(),
            winner: conflict.winner.clone(),
            losers: serde_json::from_str(&conflict.losers).unwrap_or_default(),
            found_at: time::show(conflict.found_at),
        }
    }
}

/// An edge in a list.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct EdgeItem {
    pub id: u32,
    pub from_id: u32,
    pub to_id: u32,
    pub edge_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

impl From<&Edge> for EdgeItem {
    fn from(edge: &Edge) -> Self {
        EdgeItem {
            id: edge.id,
            from_id: edge.from_id,
            to_id: edge.to_id,
            edge_type: edge.edge_type.clone(),
            rationale: edge.rationale.clone(),
            created_at: Some(time::shown(edge.created_at, edge.created_text.as_deref())),
        }
    }
}

/// How much of a session's summary a list shows.
const SUMMARY_SHOWN: usize = 200;

/// A session in a list.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct SessionItem {
    pub session_id: u32,
    pub name: String,
    pub root_node_id: u32,
    pub node_count: usize,
    pub active: bool,
    /// Whether later writes of this client join it.
    pub current: bool,
    pub started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

impl SessionItem {
    pub(crate) fn new(session: &Session, node_count: usize, current: Option<u32>) -> Self {
        let active = session.ended_at.is_none();
        SessionItem {
            session_id: session.id,
            name: session.name.clone(),
            root_node_id: session.root_id,
            node_count,
            active,
            current: active && current == Some(session.id),
            started_at: time::show(session.started_at),
            ended_at: session.ended_at.map(time::show),
            summary: session
                .summary
                .as_deref()
                .map(|text| shorten(text, SUMMARY_SHOWN)),
        }
    }
}
