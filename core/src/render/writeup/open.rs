//! What is still open. Most nodes keep the status they were made with, so what followed counts before the status.

use super::story::{Story, Verdict};
use crate::model::{Node, NodeType, Status};

/// Nodes with something left to do, each with what.
pub(super) fn questions<'a>(story: &Story<'a>) -> Vec<(&'a Node, &'static str)> {
    let open = |node: &&Node| Status::parse(&node.status).is_some_and(Status::is_open);
    let open = story.nodes().filter(open);
    open.filter_map(|node| Some((node, left(story, node)?)))
        .collect()
}

fn left(story: &Story, node: &Node) -> Option<&'static str> {
    let why = match node.kind()? {
        NodeType::Goal if !story.comes_out(node.id) => "no outcome yet",
        NodeType::Decision => undecided(story, node)?,
        NodeType::Option if !story.is_weighed(node.id) && is_untouched(story, node) => {
            "neither chosen nor rejected"
        }
        NodeType::Action if node.commit.is_none() && !story.comes_out(node.id) => "no outcome yet",
        NodeType::Revisit if story.relations(node.id).is_empty() => "being reconsidered",
        NodeType::Observation | NodeType::Outcome | NodeType::Feedback => return None,
        _ if node.status == Status::Active.name() => "still active",
        _ => return None,
    };
    Some(why)
}

fn undecided(story: &Story, decision: &Node) -> Option<&'static str> {
    let choices = story.choices(decision.id);
    let chosen = choices
        .iter()
        .any(|choice| choice.verdict == Verdict::Chosen);
    let followed = story.out(decision.id).any(|(_, node, _)| is_work(node));
    if chosen {
        (decision.status == Status::Active.name()).then_some("still active")
    } else if !choices.is_empty() {
        Some("none of its options is marked as chosen")
    } else {
        (!followed).then_some("not decided yet")
    }
}

/// Whether nothing was said about an option and nothing done on it.
fn is_untouched(story: &Story, option: &Node) -> bool {
    story.verdict_of(option).is_none() && !story.out(option.id).any(|(_, node, _)| is_work(node))
}

fn is_work(node: &Node) -> bool {
    matches!(node.kind(), Some(NodeType::Action | NodeType::Outcome))
}
