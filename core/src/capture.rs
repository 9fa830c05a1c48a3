//! Several nodes and edges recorded as one write: what the capture tools have in common.
//!
//! Owns: how a part that a caller told becomes a node, and what such a write answers. Never: which node leads to which;
//! each tool knows that. At least one end of every edge is new here, so there is nothing for `rules::edges` to refuse.

use crate::args::{CommaWords, Confidence, NewStatus, Text, Title, Titled, Word};
use crate::cx::Cx;
use crate::ledger::{NewNode, Tx, fields};
use crate::model::{EdgeType, Node, NodeType, Status};
use crate::refuse::Step;
use crate::render::view::{Page, plain, tone};
use crate::rules::origin;
use crate::text::check::filled;
use serde::{Deserialize, Serialize};

/// A node as a caller tells it: a title, or an object.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Told {
    pub title: Title,
    pub description: Option<Text>,
    /// Why it follows from what leads to it.
    pub rationale: Option<Text>,
    pub confidence: Option<Confidence>,
    pub status: Option<NewStatus>,
    pub prompt: Option<Text>,
    pub files: Option<CommaWords>,
    pub commit: Option<Word>,
}

impl Titled for Told {
    fn titled(title: Title) -> Self {
        Told {
            title,
            description: None,
            rationale: None,
            confidence: None,
            status: None,
            prompt: None,
            files: None,
            commit: None,
        }
    }
}

impl Told {
    /// Why it is there, when that was told.
    pub(crate) fn why(&self) -> Option<String> {
        filled(self.rationale.clone().map(|text| text.0))
    }

    /// The node that it becomes, `status` where none was told. Asks for the commit that `HEAD` stands for, so call it
    /// before anything asks for rows.
    pub(crate) fn node(self, cx: &Cx, kind: NodeType, status: Status) -> Step<NewNode> {
        let commit = origin::commit(cx, self.commit)?;
        Ok(NewNode {
            status: self.status.map_or(status, |status| status.0),
            description: filled(self.description.map(|text| text.0)),
            confidence: self.confidence.map(|confidence| confidence.0),
            prompt: filled(self.prompt.map(|text| text.0)),
            files: origin::paths(self.files.map(|files| files.0).unwrap_or_default()),
            commit,
            ..NewNode::of(kind, self.title.0)
        })
    }
}

/// A node of the write.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Made {
    pub id: u32,
    pub change_id: String,
    pub node_type: String,
    pub title: String,
    pub status: String,
}

impl From<&Node> for Made {
    fn from(node: &Node) -> Self {
        Made {
            id: node.id,
            change_id: node.change_id.clone(),
            node_type: node.node_type.clone(),
            title: node.title.clone(),
            status: node.status.clone(),
        }
    }
}

/// An edge of the write.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Joined {
    pub from_id: u32,
    pub to_id: u32,
    pub edge_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

/// The write under way.
pub(crate) struct Capture<'a, 'c> {
    pub tx: Tx<'a, 'c>,
    branch: Option<String>,
    pub edges: Vec<Joined>,
}

impl<'a, 'c> Capture<'a, 'c> {
    pub(crate) fn new(tx: Tx<'a, 'c>, branch: Option<String>) -> Self {
        Capture {
            tx,
            branch,
            edges: Vec::new(),
        }
    }

    /// Adds a node on the branch of the write.
    pub(crate) fn add(&mut self, new: NewNode) -> Step<Node> {
        self.tx.add_node(NewNode {
            branch: self.branch.clone(),
            ..new
        })
    }

    /// Joins two nodes, one of them new.
    pub(crate) fn join(
        &mut self,
        from: &Node,
        to: &Node,
        kind: EdgeType,
        why: Option<String>,
    ) -> Step<()> {
        let edge = self
            .tx
            .add_edge((from, to), kind, None, fields! { rationale: why })?;
        self.edges.push(Joined {
            from_id: from.id,
            to_id: to.id,
            edge_type: kind.name(),
            rationale: edge.rationale,
        });
        Ok(())
    }

    /// Ends the write. The branch it was for is the one that is shown as worked on, whatever it was joined to.
    pub(crate) fn finish(mut self) -> Vec<Joined> {
        self.tx.on_branch(self.branch.as_deref());
        self.tx.finish();
        self.edges
    }
}

/// Draws the nodes and edges of a write.
pub(crate) fn draw<'n>(
    page: &mut Page,
    nodes: impl IntoIterator<Item = &'n Made>,
    edges: &[Joined],
) {
    for node in nodes {
        page.node(0, &node.node_type, node.id, &node.title, &node.status);
    }
    for edge in edges {
        let why = edge
            .rationale
            .as_ref()
            .map_or(String::new(), |why| format!("  {why}"));
        page.indented(
            1,
            vec![
                plain(format!(
                    "#{} → #{}  {}",
                    edge.from_id, edge.to_id, edge.edge_type
                )),
                tone("dim", why),
            ],
        );
    }
}
