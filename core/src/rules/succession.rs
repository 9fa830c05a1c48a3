//! What replaces what: from a node over `supersedes` edges, through revisits, to the one that holds now.

use crate::around::{self, EdgeMark};
use crate::cx::{Cx, Scan};
use crate::graph::Graph;
use crate::ledger::LOCAL;
use crate::model::{EdgeType, NodeType, Status, node_key};
use crate::refuse::Step;
use crate::shapes::NodeMark;
use std::collections::{BTreeMap, BTreeSet};

/// Replacements of replacements are followed so far.
const DEEPEST: usize = 12;
/// Edges of one node that are looked at, those to the newest nodes first.
const EDGES: u32 = 200;

/// The successors of those among `ids` that have one.
pub(crate) fn successors(cx: &Cx, ids: &[u32]) -> Step<BTreeMap<u32, NodeMark>> {
    // For each node the path's end so far, and the best end that is no revisit.
    let mut at: BTreeMap<u32, u32> = ids.iter().map(|id| (*id, *id)).collect();
    let mut seen: BTreeMap<u32, BTreeSet<u32>> =
        ids.iter().map(|id| (*id, BTreeSet::from([*id]))).collect();
    let mut best: BTreeMap<u32, NodeMark> = BTreeMap::new();
    for _ in 0..DEEPEST {
        let ends: BTreeSet<u32> = at.values().copied().collect();
        if ends.is_empty() {
            break;
        }
        let scan = Scan::of("primary")
            .below_each(ends.iter().map(|id| node_key(LOCAL, *id)))
            .desc()
            .limit(EDGES);
        let edges = cx.scan::<EdgeMark>(scan)?;
        let next: BTreeMap<u32, Vec<u32>> = ends
            .iter()
            .copied()
            .zip(edges.into_iter().map(superseding))
            .collect();
        let marks = around::briefs(cx, next.values().flatten().copied())?;
        let mut on = BTreeMap::new();
        for (id, end) in at {
            let seen = seen.entry(id).or_default();
            let ahead = next.get(&end).into_iter().flatten();
            let Some(mark) = ahead
                .filter(|next| !seen.contains(*next))
                .find_map(|next| marks.get(next))
            else {
                continue;
            };
            seen.insert(mark.id);
            if NodeType::parse(&mark.node_type) != Some(NodeType::Revisit) {
                best.insert(id, NodeMark::from(mark));
            }
            on.insert(id, mark.id);
        }
        at = on;
    }
    Ok(best)
}

fn superseding(edges: Vec<EdgeMark>) -> Vec<u32> {
    let live = edges.into_iter().filter(|edge| edge.deleted_at.is_none());
    live.filter(|edge| edge.edge_type == EdgeType::Supersedes.name())
        .map(|edge| edge.to_id)
        .collect()
}

/// How a title is marked when its node no longer holds: `superseded by #7`, else its status, else nothing.
pub(crate) fn mark(status: &str, successor: Option<&NodeMark>) -> String {
    match successor {
        Some(successor) => format!("superseded by #{}", successor.id),
        None if Status::parse(status).is_none_or(Status::stands) => String::new(),
        None => status.to_owned(),
    }
}

/// As [`successors`], for one node by position and from the columns.
pub(crate) fn in_graph(graph: &Graph, position: u32) -> Option<u32> {
    let (mut seen, mut end, mut best) = (vec![position], position, None);
    while seen.len() <= DEEPEST {
        let ahead = graph
            .out(end)
            .filter(|(kind, to)| *kind == EdgeType::Supersedes && !seen.contains(to));
        let Some((_, next)) = ahead.last() else { break };
        seen.push(next);
        end = next;
        if graph.kind(next) != Some(NodeType::Revisit) {
            best = Some(next);
        }
    }
    best
}
