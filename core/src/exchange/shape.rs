//! Records as the history shape writes them. What a record has no value for is `null`, as readers of the shape expect.

use crate::exchange::metadata;
use crate::model::{Document, Edge, Node, NodeTheme, Session, Theme};
use crate::time;
use serde::Serialize;

/// A text or null. Schemas say nothing of it: clients drop tools whose schemas have null in them.
type Nullable = Option<String>;

/// A node.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct NodeOut {
    pub id: u32,
    pub change_id: String,
    pub node_type: String,
    pub title: String,
    #[cfg_attr(feature = "catalog", schemars(with = "serde_json::Value"))]
    pub description: Nullable,
    pub status: String,
    pub created_at: String,
    pub updated_at: String,
    /// JSON text of an object: branch, commit, confidence, files, prompt, and what else was added.
    #[cfg_attr(feature = "catalog", schemars(with = "serde_json::Value"))]
    pub metadata_json: Nullable,
}

impl From<&Node> for NodeOut {
    fn from(node: &Node) -> Self {
        NodeOut {
            id: node.id,
            change_id: node.change_id.clone(),
            node_type: node.node_type.clone(),
            title: node.title.clone(),
            description: node.description.clone(),
            status: node.status.clone(),
            created_at: time::shown(node.created_at, node.created_text.as_deref()),
            updated_at: time::shown(node.updated_at, node.updated_text.as_deref()),
            metadata_json: metadata::written(node),
        }
    }
}

/// An edge, with its ends by number and by identity.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct EdgeOut {
    pub id: u32,
    pub from_node_id: u32,
    pub to_node_id: u32,
    pub from_change_id: String,
    pub to_change_id: String,
    pub edge_type: String,
    pub weight: f64,
    #[cfg_attr(feature = "catalog", schemars(with = "serde_json::Value"))]
    pub rationale: Nullable,
    pub created_at: String,
}

impl EdgeOut {
    pub(crate) fn new(edge: &Edge, from_change_id: &str, to_change_id: &str) -> Self {
        EdgeOut {
            id: edge.id,
            from_node_id: edge.from_id,
            to_node_id: edge.to_id,
            from_change_id: from_change_id.to_owned(),
            to_change_id: to_change_id.to_owned(),
            edge_type: edge.edge_type.clone(),
            weight: edge.weight,
            rationale: edge.rationale.clone(),
            created_at: time::shown(edge.created_at, edge.created_text.as_deref()),
        }
    }
}

/// A theme.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct ThemeOut {
    pub id: u32,
    pub name: String,
    pub color: String,
    #[cfg_attr(feature = "catalog", schemars(with = "serde_json::Value"))]
    pub description: Nullable,
    pub created_at: String,
}

impl From<&Theme> for ThemeOut {
    fn from(theme: &Theme) -> Self {
        ThemeOut {
            id: theme.id,
            name: theme.name.clone(),
            color: theme.color.clone(),
            description: theme.description.clone(),
            created_at: time::show(theme.created_at),
        }
    }
}

/// A node's tag.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct TagOut {
    pub node_id: u32,
    pub node_change_id: String,
    pub theme: String,
    pub created_at: String,
}

impl TagOut {
    pub(crate) fn new(tag: &NodeTheme, node_change_id: &str) -> Self {
        TagOut {
            node_id: tag.node_id,
            node_change_id: node_change_id.to_owned(),
            theme: tag.theme.clone(),
            created_at: time::show(tag.created_at),
        }
    }
}

/// An attached document, without its bytes: those are the blob `sha256`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct DocumentOut {
    pub id: u32,
    pub change_id: String,
    pub node_id: u32,
    pub node_change_id: String,
    pub name: String,
    pub path: String,
    pub sha256: String,
    pub size_bytes: i64,
    pub media_type: String,
    #[cfg_attr(feature = "catalog", schemars(with = "serde_json::Value"))]
    pub description: Nullable,
    pub created_at: String,
}

impl DocumentOut {
    pub(crate) fn new(document: &Document, node_change_id: &str) -> Self {
        DocumentOut {
            id: document.id,
            change_id: document.change_id.clone(),
            node_id: document.node_id,
            node_change_id: node_change_id.to_owned(),
            name: document.name.clone(),
            path: document.path.clone(),
            sha256: document.sha256.clone(),
            size_bytes: document.size_bytes,
            media_type: document.media_type.clone(),
            description: document.description.clone(),
            created_at: time::show(document.created_at),
        }
    }
}

/// A session with the nodes written in it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct SessionOut {
    pub id: u32,
    pub change_id: String,
    pub name: String,
    pub root_change_id: String,
    #[cfg_attr(feature = "catalog", schemars(with = "serde_json::Value"))]
    pub summary: Nullable,
    pub started_at: String,
    #[cfg_attr(feature = "catalog", schemars(with = "serde_json::Value"))]
    pub ended_at: Nullable,
    pub node_change_ids: Vec<String>,
}

impl SessionOut {
    pub(crate) fn new(session: &Session, root: &str, members: Vec<String>) -> Self {
        SessionOut {
            id: session.id,
            change_id: session.change_id.clone(),
            name: session.name.clone(),
            root_change_id: root.to_owned(),
            summary: session.summary.clone(),
            started_at: time::show(session.started_at),
            ended_at: session.ended_at.map(time::show),
            node_change_ids: members,
        }
    }
}
