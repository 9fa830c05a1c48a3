//! What is still open. Most nodes keep the status they were made with, so what followed counts before the status.

use super::story::Story;
use crate::model::{EdgeType, Node, NodeType, Status};

/// Nodes with something left to do, each with what.
pub(super) fn questions<'a>(story: &Story<'a>) -> Vec<(&'a Node, &'static str)> {
    let open = |node: &&Node| Status::parse(&node.status).is_some_and(Status::is_open);
    story
        .nodes()
        .filter(open)
        .filter_map(|node| Some((node, left(story, node)?)))
        .collect()
}

fn left(story: &Story, node: &Node) -> Option<&'static str> {
    let leads_to = |kinds: &[NodeType]| {
        story
            .out(node.id)
            .any(|(_, other, _)| other.kind().is_some_and(|kind| kinds.contains(&kind)))
    };
    let settled = |kind: EdgeType| {
        story
            .out(node.id)
            .chain(story.into(node.id))
            .any(|(found, _, _)| found == kind)
    };
    let why = match node.kind()? {
        NodeType::Goal if story.outcomes_of(node.id).is_empty() => "no outcome yet",
        NodeType::Decision
            if !settled(EdgeType::Chosen) && !leads_to(&[NodeType::Action, NodeType::Outcome]) =>
        {
            "not decided yet"
        }
        NodeType::Option if story.verdict_of(node).is_none() && !decided(story, node) => {
            "neither chosen nor rejected"
        }
        NodeType::Action if !leads_to(&[NodeType::Outcome]) => "no outcome yet",
        NodeType::Revisit if !settled(EdgeType::Supersedes) => "being reconsidered",
        NodeType::Observation | NodeType::Outcome | NodeType::Feedback => return None,
        _ if node.status == Status::Active.name() => "still active",
        _ => return None,
    };
    Some(why)
}

/// Whether the option was taken up or passed over without a word: something was done on it, or its decision chose.
fn decided(story: &Story, option: &Node) -> bool {
    let around = || {
        story
            .out(option.id)
            .chain(story.into(option.id))
            .map(|(_, node, _)| node)
    };
    let acted = story
        .out(option.id)
        .any(|(_, node, _)| matches!(node.kind(), Some(NodeType::Action | NodeType::Outcome)));
    let chose = |decision: &Node| {
        story
            .out(decision.id)
            .chain(story.into(decision.id))
            .any(|(kind, _, _)| kind == EdgeType::Chosen)
    };
    acted
        || around()
            .filter(|node| node.kind() == Some(NodeType::Decision))
            .any(chose)
}
