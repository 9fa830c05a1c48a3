//! A decision's options and what became of each.

use crate::graph::Graph;
use crate::model::{EdgeType, NodeType, Status};
use std::collections::BTreeMap;

/// What became of an option; the first of these that an edge or a status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Chosen,
    Rejected,
    Considered,
}

impl Verdict {
    /// The name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Chosen => EdgeType::Chosen.name(),
            Verdict::Rejected => EdgeType::Rejected.name(),
            Verdict::Considered => "considered",
        }
    }
}

/// One option of a decision, with the edge that says so: (from, to, type), by local numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub option: u32,
    pub verdict: Verdict,
    pub edge: (u32, u32, EdgeType),
}

/// The options of the decision at a position, chosen ones first. People draw these edges in either direction.
pub(crate) fn options(graph: &Graph, decision: u32) -> Vec<Choice> {
    let own = graph.id(decision);
    let into = graph
        .into(decision)
        .map(|(kind, from)| (from, (graph.id(from), own, kind)));
    let out = graph
        .out(decision)
        .map(|(kind, to)| (to, (own, graph.id(to), kind)));
    let mut best: BTreeMap<u32, Choice> = BTreeMap::new();
    for (other, edge) in into.chain(out) {
        let is_option = graph.kind(other) == Some(NodeType::Option);
        let verdict = match edge.2 {
            EdgeType::Chosen => Verdict::Chosen,
            EdgeType::Rejected => Verdict::Rejected,
            _ if !is_option => continue,
            _ if graph
                .status(other)
                .is_some_and(|status| matches!(status, Status::Rejected | Status::Abandoned)) =>
            {
                Verdict::Rejected
            }
            _ => Verdict::Considered,
        };
        let choice = Choice {
            option: graph.id(other),
            verdict,
            edge,
        };
        let known = best.entry(choice.option).or_insert(choice);
        if choice.verdict < known.verdict {
            *known = choice;
        }
    }
    let mut choices: Vec<Choice> = best.into_values().collect();
    choices.sort_by_key(|choice| (choice.verdict, choice.option));
    choices
}
