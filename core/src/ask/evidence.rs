//! From nodes whose texts fit a question to those that answer it, along the graph.
//!
//! Owns: which edges are followed, how much weaker each step is, and what is said about it. Never: texts.

use crate::ask::question::{Question, Scope};
use crate::graph::{Direction, Graph};
use crate::model::{EdgeType, NodeType, Status};
use crate::rules::succession;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Nodes reached from one anchor by one kind of step.
const REACHED: usize = 4;
/// Decisions stand so near to what they decided.
const NEAR: u32 = 3;
/// The newest nodes that are recent.
const RECENT: usize = 100;

/// A node that may answer, by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub position: u32,
    pub score: u64,
    pub why: Cow<'static, str>,
}

/// Whether a node is in the scope.
pub(crate) fn in_scope(graph: &Graph, scope: Scope, newest: &[u32], position: u32) -> bool {
    let kind = graph.kind(position);
    match scope {
        Scope::All => true,
        Scope::Active => graph.status(position).is_some_and(Status::is_open),
        Scope::Decisions => matches!(kind, Some(NodeType::Decision | NodeType::Revisit)),
        Scope::Goals => kind == Some(NodeType::Goal),
        Scope::Observations => kind == Some(NodeType::Observation),
        Scope::Recent => {
            let key = |position: u32| graph.node(position).map(|node| (node.created_at, node.id));
            let oldest = newest
                .get(..RECENT.min(newest.len()))
                .and_then(<[u32]>::last);
            oldest.is_some_and(|oldest| key(position) >= key(*oldest))
        }
    }
}

/// What answers, best first: the anchors and what the graph says around them.
pub(crate) fn gather(graph: &Graph, question: &Question, anchors: Vec<Evidence>) -> Vec<Evidence> {
    let mut found: BTreeMap<u32, Evidence> = BTreeMap::new();
    for anchor in &anchors {
        add(&mut found, anchor.clone());
    }
    for anchor in &anchors {
        around(graph, question, anchor, &mut found);
    }
    let mut all: Vec<Evidence> = found.into_values().collect();
    for one in &mut all {
        one.score = weighed(graph, question, one);
    }
    all.sort_by(|a, b| b.score.cmp(&a.score).then(b.position.cmp(&a.position)));
    all
}

fn add(found: &mut BTreeMap<u32, Evidence>, one: Evidence) {
    let known = found.entry(one.position).or_insert_with(|| Evidence {
        score: 0,
        ..one.clone()
    });
    // A second reason counts a little; the better one is told.
    let more = known.score.min(one.score) / 8;
    if one.score > known.score {
        *known = one;
    }
    known.score += more;
}

fn around(
    graph: &Graph,
    question: &Question,
    anchor: &Evidence,
    found: &mut BTreeMap<u32, Evidence>,
) {
    let at = anchor.position;
    let Some(kind) = graph.kind(at) else { return };
    let named = format!("{} #{}", kind.name(), graph.id(at));
    let mut reached = |position: u32, tenths: u64, why: String| {
        add(
            found,
            Evidence {
                position,
                score: anchor.score * tenths / 10,
                why: why.into(),
            },
        )
    };
    let is = |position: u32, kinds: &[NodeType]| {
        graph
            .kind(position)
            .is_some_and(|kind| kinds.contains(&kind))
    };
    match kind {
        NodeType::Option => {
            let next = graph
                .into(at)
                .chain(graph.out(at))
                .filter(|(_, other)| is(*other, &[NodeType::Decision]));
            for (edge, decision) in next.take(REACHED) {
                let verdict = match edge {
                    EdgeType::Chosen => "which it chose",
                    EdgeType::Rejected => "which it rejected",
                    _ => "which it considered",
                };
                reached(decision, 9, format!("decides on {named}, {verdict}"));
            }
        }
        NodeType::Action
        | NodeType::Outcome
        | NodeType::Observation
        | NodeType::Revisit
        | NodeType::Feedback => {
            for (position, depth) in near(graph, at, Direction::Incoming, &[NodeType::Decision]) {
                reached(
                    position,
                    9 - 2 * u64::from(depth.min(3)),
                    format!("led to {named}"),
                );
            }
        }
        NodeType::Goal => {
            for (position, depth) in near(graph, at, Direction::Outgoing, &[NodeType::Decision]) {
                reached(
                    position,
                    9 - 2 * u64::from(depth.min(3)),
                    format!("decided on the way from {named}"),
                );
            }
        }
        NodeType::Decision => {}
    }
    if matches!(kind, NodeType::Decision | NodeType::Action | NodeType::Goal) {
        let tenths = if question.kinds.contains(&NodeType::Outcome) {
            8
        } else {
            4
        };
        for (position, _) in near(graph, at, Direction::Outgoing, &[NodeType::Outcome]) {
            reached(position, tenths, format!("came of {named}"));
        }
    }
    if let Some(next) = succession::in_graph(graph, at) {
        reached(next, 10, format!("holds instead of {named}"));
    }
    for (_, old) in graph
        .into(at)
        .filter(|(edge, _)| *edge == EdgeType::Supersedes)
        .take(REACHED)
    {
        reached(old, 5, format!("was replaced on the way to {named}"));
    }
}

/// The nearest nodes of these types in a direction, with their depth.
fn near(graph: &Graph, from: u32, direction: Direction, kinds: &[NodeType]) -> Vec<(u32, u32)> {
    let leads = |edge| !matches!(edge, EdgeType::Supersedes | EdgeType::Blocks);
    let visits = bounded(graph, from, direction, leads);
    let wanted = visits.into_iter().filter(|(position, depth)| {
        *depth > 0
            && graph
                .kind(*position)
                .is_some_and(|kind| kinds.contains(&kind))
    });
    wanted.take(REACHED).collect()
}

/// A walk of a few steps that reads no more than the first edges of a hub.
fn bounded(
    graph: &Graph,
    from: u32,
    direction: Direction,
    follow: impl Fn(EdgeType) -> bool,
) -> Vec<(u32, u32)> {
    const EDGES: usize = 64;
    let mut visits = vec![(from, 0)];
    let mut next = 0;
    while let Some((at, depth)) = visits.get(next).copied() {
        next += 1;
        if depth >= NEAR || visits.len() > 8 * EDGES {
            break;
        }
        let step = |visits: &mut Vec<(u32, u32)>, (edge, to): (EdgeType, u32)| {
            if follow(edge) && !visits.iter().any(|(seen, _)| *seen == to) {
                visits.push((to, depth + 1));
            }
        };
        if direction == Direction::Outgoing {
            graph
                .out(at)
                .take(EDGES)
                .for_each(|edge| step(&mut visits, edge));
        } else {
            graph
                .into(at)
                .take(EDGES)
                .for_each(|edge| step(&mut visits, edge));
        }
    }
    visits
}

/// What the question's hints and a node's standing make of its score.
fn weighed(graph: &Graph, question: &Question, one: &Evidence) -> u64 {
    let (kind, status) = (graph.kind(one.position), graph.status(one.position));
    let mut tenths = 10;
    if kind.is_some_and(|kind| question.kinds.contains(&kind)) {
        tenths += 6;
    }
    if question.why && kind == Some(NodeType::Decision) {
        tenths += 12;
    }
    let asked = status.is_some_and(|status| question.statuses.contains(&status));
    if asked {
        tenths += 6;
    } else if status.is_some_and(|status| !status.stands()) && kind != Some(NodeType::Option) {
        tenths = tenths * 6 / 10;
    }
    one.score * tenths / 10
}

/// Nodes that fit the hints of a question that names nothing: newest first.
pub(crate) fn hinted(
    graph: &Graph,
    question: &Question,
    newest: &[u32],
    scope: Scope,
) -> Vec<Evidence> {
    let (kinds, statuses) = (&question.kinds, &question.statuses);
    let fits = |position: &u32| {
        let kind = kinds.is_empty()
            || graph
                .kind(*position)
                .is_some_and(|kind| kinds.contains(&kind));
        let status = graph
            .status(*position)
            .is_some_and(|status| statuses.contains(&status));
        let status = statuses.is_empty() || status || rejected_by_edge(graph, question, *position);
        kind && status && in_scope(graph, scope, newest, *position)
    };
    let why = || Cow::Borrowed("is what was asked for, by type, status or time");
    newest
        .iter()
        .copied()
        .filter(fits)
        .map(|position| Evidence {
            position,
            score: 1,
            why: why(),
        })
        .collect()
}

/// An option may be rejected by its edge alone.
fn rejected_by_edge(graph: &Graph, question: &Question, position: u32) -> bool {
    question.statuses.contains(&Status::Rejected)
        && graph.kind(position) == Some(NodeType::Option)
        && graph
            .out(position)
            .chain(graph.into(position))
            .any(|(edge, _)| edge == EdgeType::Rejected)
}

/// The parents of a node, of which the reasons are told.
pub(crate) fn parents(graph: &Graph, position: u32, most: usize) -> Vec<(u32, u32, EdgeType)> {
    let id = graph.id(position);
    graph
        .into(position)
        .take(most)
        .map(|(kind, from)| (graph.id(from), id, kind))
        .collect()
}

/// The first nodes around a node: (id, edge).
pub(crate) fn neighbours(
    graph: &Graph,
    position: u32,
    most: usize,
) -> Vec<(u32, (u32, u32, EdgeType))> {
    let id = graph.id(position);
    let into = graph
        .into(position)
        .take(most)
        .map(|(kind, from)| (graph.id(from), (graph.id(from), id, kind)));
    let out = graph
        .out(position)
        .take(most)
        .map(|(kind, to)| (graph.id(to), (id, graph.id(to), kind)));
    into.chain(out).collect()
}
