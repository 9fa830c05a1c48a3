//! Which edges may be drawn.

use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::model::{Edge, EdgeType, Node};
use crate::refuse::{Step, refusal, stop};
use deciduous_boundary::Cell;

/// A longer cycle is looked for among this many nodes.
const CYCLE_NODES: usize = 1_000;

/// What stands between two nodes already.
pub(crate) struct Between {
    /// The row of the same edge, live or removed.
    pub same: Option<Edge>,
    /// Nodes from the new edge's target back to its source, when the edge would close a cycle.
    pub cycle: Option<Vec<u32>>,
}

fn key(from: u32, to: u32) -> Vec<Cell> {
    vec![LOCAL.into(), from.into(), to.into()]
}

/// Checks the edge `from -> to`. Refuses a self-loop and the reverse of an edge that stands.
pub(crate) fn check(cx: &Cx, from: &Node, to: &Node, kind: EdgeType) -> Step<Between> {
    if from.id == to.id {
        return stop(refusal(
            422,
            format!("`#{}` cannot be linked to itself", from.id),
            "link two different nodes",
        ));
    }
    let there = cx.scan_one::<Edge>(Scan::of("primary").below(key(from.id, to.id)));
    let back = cx.scan_one::<Edge>(Scan::of("primary").below(key(to.id, from.id)));
    let (there, back) = (there?, back?);
    let stands = |edge: &&Edge| edge.deleted_at.is_none();
    let reverse = back
        .iter()
        .filter(stands)
        .find(|edge| kind != EdgeType::TookFrom && edge.edge_type != EdgeType::TookFrom.name());
    if let Some(edge) = reverse {
        return stop(refusal(
            422,
            format!(
                "`#{}` leads to `#{}` already (`{}`), so the reverse is refused",
                to.id, from.id, edge.edge_type
            ),
            "unlink the other one first if it is the wrong way round",
        ));
    }
    let same = there.into_iter().find(|edge| edge.edge_type == kind.name());
    let cycle = if same.as_ref().is_some_and(|edge| edge.deleted_at.is_none()) {
        None
    } else {
        cycle(cx, from.id, to.id)?
    };
    Ok(Between { same, cycle })
}

/// A path from `to` to `from` along live edges, level by level, within [`CYCLE_NODES`].
fn cycle(cx: &Cx, from: u32, to: u32) -> Step<Option<Vec<u32>>> {
    let mut reached_from = std::collections::BTreeMap::from([(to, to)]);
    let mut level = vec![to];
    while !level.is_empty() && reached_from.len() <= CYCLE_NODES {
        let scan = Scan::of("primary")
            .below_each(level.iter().map(|id| vec![LOCAL.into(), (*id).into()]))
            .limit(CYCLE_NODES as u32);
        let mut next = Vec::new();
        for edge in cx
            .scan::<Edge>(scan)?
            .into_iter()
            .flatten()
            .filter(|edge| edge.deleted_at.is_none())
        {
            if reached_from.contains_key(&edge.to_id) {
                continue;
            }
            reached_from.insert(edge.to_id, edge.from_id);
            if edge.to_id == from {
                let mut path = vec![from];
                while let Some(at) = path
                    .last()
                    .copied()
                    .filter(|at| *at != to)
                    .and_then(|at| reached_from.get(&at))
                {
                    path.push(*at);
                }
                path.reverse();
                return Ok(Some(path));
            }
            next.push(edge.to_id);
        }
        level = next;
    }
    Ok(None)
}
