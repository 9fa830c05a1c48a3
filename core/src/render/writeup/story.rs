//! A part of the graph, read as a story: what follows from what, and how options fared.

use crate::model::{EdgeType, Node, NodeType, Status};
use crate::render::excerpt::EdgeLine;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes by number with the edges at them; every edge has both its ends here.
pub(super) struct Story<'a> {
    nodes: BTreeMap<u32, &'a Node>,
    out: BTreeMap<u32, Vec<&'a EdgeLine>>,
    into: BTreeMap<u32, Vec<&'a EdgeLine>>,
    /// Option to the decision it is told at.
    weighed: BTreeMap<u32, u32>,
    /// What an outcome follows from, however far.
    coming_out: BTreeSet<u32>,
}

/// How an option fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Chosen,
    Rejected,
    Considered,
}

impl Verdict {
    pub(super) fn label(self) -> &'static str {
        match self {
            Verdict::Chosen => "Chosen",
            Verdict::Rejected => "Rejected",
            Verdict::Considered => "Considered",
        }
    }

    pub(super) fn suffix(self) -> &'static str {
        match self {
            Verdict::Chosen => ": chosen",
            Verdict::Rejected => ": rejected",
            Verdict::Considered => "",
        }
    }
}

/// One thing weighed at a decision.
pub(super) struct Choice<'a> {
    pub verdict: Verdict,
    pub node: &'a Node,
    pub rationale: Option<&'a str>,
    /// Whether it is told here what the option is.
    pub first: bool,
}

impl<'a> Story<'a> {
    pub(super) fn new(nodes: &'a [Node], edges: &'a [EdgeLine]) -> Self {
        let mut story = Story {
            nodes: nodes.iter().map(|node| (node.id, node)).collect(),
            out: BTreeMap::new(),
            into: BTreeMap::new(),
            weighed: BTreeMap::new(),
            coming_out: BTreeSet::new(),
        };
        for edge in edges {
            story.out.entry(edge.from_id).or_default().push(edge);
            story.into.entry(edge.to_id).or_default().push(edge);
        }
        let decisions: Vec<u32> = story.of(NodeType::Decision).map(|node| node.id).collect();
        for decision in decisions {
            for other in story.weighed_at(decision).into_keys() {
                story.weighed.entry(other).or_insert(decision);
            }
        }
        let outcomes: Vec<u32> = story.of(NodeType::Outcome).map(|node| node.id).collect();
        story.coming_out = story.reach(outcomes, |story, id| {
            story.into(id).map(|(_, node, _)| node).collect()
        });
        story
    }

    /// What is reached from `starts`, which are in it.
    fn reach(&self, starts: Vec<u32>, step: impl Fn(&Self, u32) -> Vec<&'a Node>) -> BTreeSet<u32> {
        let (mut seen, mut next) = (BTreeSet::from_iter(starts.iter().copied()), starts);
        while let Some(id) = next.pop() {
            for node in step(self, id) {
                if seen.insert(node.id) {
                    next.push(node.id);
                }
            }
        }
        seen
    }

    /// Whether an outcome follows from the node.
    pub(super) fn comes_out(&self, id: u32) -> bool {
        self.coming_out.contains(&id)
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &'a Node> {
        self.nodes.values().copied()
    }

    pub(super) fn of(&self, kind: NodeType) -> impl Iterator<Item = &'a Node> {
        self.nodes().filter(move |node| node.kind() == Some(kind))
    }

    pub(super) fn out(&self, id: u32) -> impl Iterator<Item = (EdgeType, &'a Node, &'a EdgeLine)> {
        self.ends(self.out.get(&id), |edge| edge.to_id)
    }

    pub(super) fn into(&self, id: u32) -> impl Iterator<Item = (EdgeType, &'a Node, &'a EdgeLine)> {
        self.ends(self.into.get(&id), |edge| edge.from_id)
    }

    fn ends(
        &self,
        edges: Option<&Vec<&'a EdgeLine>>,
        end: fn(&EdgeLine) -> u32,
    ) -> impl Iterator<Item = (EdgeType, &'a Node, &'a EdgeLine)> {
        let edges = edges.into_iter().flatten();
        edges.filter_map(move |edge| Some((edge.kind()?, *self.nodes.get(&end(edge))?, *edge)))
    }

    /// What led to an outcome.
    pub(super) fn sources(&self, id: u32) -> impl Iterator<Item = &'a Node> {
        self.into(id)
            .filter(|(_, node, _)| node.kind() == Some(NodeType::Action))
            .map(|(_, node, _)| node)
    }

    /// The outcomes that follow from a goal, up to the next goals.
    pub(super) fn outcomes_of(&self, goal: u32) -> Vec<&'a Node> {
        let seen = self.reach(vec![goal], |story, id| {
            let ends = story.out(id).map(|(_, node, _)| node);
            ends.filter(|node| node.kind() != Some(NodeType::Goal))
                .collect()
        });
        let nodes = seen.iter().filter_map(|id| self.nodes.get(id).copied());
        nodes
            .filter(|node| node.kind() == Some(NodeType::Outcome))
            .collect()
    }

    /// What was weighed at a decision, with the edge that says most: a verdict before a mere link, a reason before none.
    fn weighed_at(&self, decision: u32) -> BTreeMap<u32, (Verdict, &'a Node, Option<&'a str>)> {
        let mut found: BTreeMap<u32, (Verdict, &Node, Option<&str>)> = BTreeMap::new();
        for (kind, node, edge) in self.into(decision).chain(self.out(decision)) {
            let verdict = match kind {
                EdgeType::Chosen => Verdict::Chosen,
                EdgeType::Rejected => Verdict::Rejected,
                EdgeType::LeadsTo if node.kind() == Some(NodeType::Option) => {
                    self.verdict_of(node).unwrap_or(Verdict::Considered)
                }
                _ => continue,
            };
            let entry = found.entry(node.id).or_insert((verdict, node, None));
            let rationale = edge.rationale.as_deref();
            if verdict < entry.0 {
                *entry = (verdict, node, rationale.or(entry.2));
            } else if verdict == entry.0 || entry.2.is_none() {
                entry.2 = entry.2.or(rationale);
            }
        }
        found
    }

    /// The choices of a decision: chosen, rejected, considered.
    pub(super) fn choices(&self, decision: u32) -> Vec<Choice<'a>> {
        let weighed = self.weighed_at(decision).into_values();
        let mut choices: Vec<Choice> = weighed
            .map(|(verdict, node, rationale)| Choice {
                verdict,
                node,
                rationale,
                first: node.kind() == Some(NodeType::Option)
                    && self.weighed.get(&node.id) == Some(&decision),
            })
            .collect();
        choices.sort_by_key(|choice| (choice.verdict, choice.node.id));
        choices
    }

    /// Whether a decision tells of the option.
    pub(super) fn is_weighed(&self, option: u32) -> bool {
        self.weighed.contains_key(&option)
    }

    /// How an option fared as far as its own edges and status tell, wherever it was decided.
    pub(super) fn verdict_of(&self, option: &Node) -> Option<Verdict> {
        let at = |kind| {
            self.into(option.id)
                .chain(self.out(option.id))
                .any(|(found, _, _)| found == kind)
        };
        let status = Status::parse(&option.status);
        if at(EdgeType::Chosen) {
            Some(Verdict::Chosen)
        } else if at(EdgeType::Rejected) || status.is_some_and(|status| !status.stands()) {
            Some(Verdict::Rejected)
        } else if matches!(status, Some(Status::Completed | Status::Done)) {
            Some(Verdict::Chosen)
        } else {
            None
        }
    }

    /// What a node has to do with others beyond leading to them: words, the other, the reason.
    pub(super) fn relations(&self, id: u32) -> Vec<(&'static str, &'a Node, Option<&'a str>)> {
        let out = self
            .out(id)
            .map(|(kind, node, edge)| (outgoing(kind), node, edge));
        let into = self
            .into(id)
            .map(|(kind, node, edge)| (incoming(kind), node, edge));
        out.chain(into)
            .filter_map(|(words, node, edge)| Some((words?, node, edge.rationale.as_deref())))
            .collect()
    }
}

fn outgoing(kind: EdgeType) -> Option<&'static str> {
    match kind {
        EdgeType::Supersedes => Some("Superseded by"),
        EdgeType::Requires => Some("Requires"),
        EdgeType::Blocks => Some("Blocks"),
        EdgeType::Enables => Some("Enables"),
        EdgeType::TookFrom => Some("Reused in"),
        EdgeType::LeadsTo | EdgeType::Chosen | EdgeType::Rejected => None,
    }
}

fn incoming(kind: EdgeType) -> Option<&'static str> {
    match kind {
        EdgeType::Supersedes => Some("Supersedes"),
        EdgeType::Requires => Some("Required by"),
        EdgeType::Blocks => Some("Blocked by"),
        EdgeType::Enables => Some("Enabled by"),
        EdgeType::TookFrom => Some("Taken from"),
        EdgeType::LeadsTo | EdgeType::Chosen | EdgeType::Rejected => None,
    }
}
