//! The rows of many nodes at once: those that stand close together are read in one walk along their numbers.

use crate::cx::{Cx, Row, Scan};
use crate::graph::EdgeCells;
use crate::ledger::LOCAL;
use crate::model::{Edge, Node, node_key};
use crate::refuse::Step;
use std::collections::BTreeMap;

/// A walk may pass this many rows for each one that is wanted; looking one up costs about as much.
const PASSED: usize = 4;

/// The first number and the one behind the last, where the numbers between are mostly wanted.
fn span(ids: &[u32]) -> Option<(u32, i64)> {
    let (first, last) = (ids.iter().min()?, ids.iter().max()?);
    let passed = (last - first) as usize;
    (passed <= ids.len() * PASSED).then_some((*first, i64::from(*last) + 1))
}

/// The nodes with these numbers, in their order.
pub(super) fn nodes(cx: &Cx, ids: &[u32]) -> Step<Vec<Option<Node>>> {
    let Some((first, end)) = span(ids) else {
        let keys: Vec<_> = ids.iter().map(|id| node_key(LOCAL, *id)).collect();
        return cx.rows::<Node>(&keys);
    };
    let scan = Scan::of("primary").below(vec![LOCAL.into()]);
    let found = cx.scan_one::<Node>(scan.from(first).to(end))?;
    let mut found: BTreeMap<u32, Node> = found.into_iter().map(|node| (node.id, node)).collect();
    Ok(ids.iter().map(|id| found.remove(id)).collect())
}

/// These edges, in their order. Most lead from an older node to a younger one, so that the edges to neighbouring nodes
/// are asked for together.
pub(super) fn edges(cx: &Cx, edges: &[EdgeCells]) -> Step<Vec<Option<Edge>>> {
    let is_forward = |edge: &&EdgeCells| edge.from_id < edge.to_id;
    let forward: Vec<u32> = edges
        .iter()
        .filter(is_forward)
        .map(|edge| edge.to_id)
        .collect();
    let walked = span(&forward);
    let alone = edges
        .iter()
        .filter(|edge| walked.is_none() || !is_forward(edge));
    let keys: Vec<_> = alone.clone().map(|edge| edge.row_key(LOCAL)).collect();
    let rows = cx.rows::<Edge>(&keys);
    let walk = walked.map_or(Ok(Vec::new()), |(first, end)| {
        let scan = Scan::of("edge_by_target").below(vec![LOCAL.into()]);
        cx.scan_one::<Edge>(scan.from(first).to(end))
    });
    let (rows, walk) = (rows?, walk?);
    let rows = rows.into_iter().flatten().chain(walk);
    let mut found: BTreeMap<u32, Edge> = rows.map(|edge| (edge.id, edge)).collect();
    Ok(edges.iter().map(|edge| found.remove(&edge.id)).collect())
}

/// Rows that belong to these nodes, by node, in the order of an index that goes on with the node's number.
pub(super) fn below<R: Row>(
    cx: &Cx,
    index: &'static str,
    ids: &[u32],
    node: impl Fn(&R) -> u32,
) -> Step<BTreeMap<u32, Vec<R>>> {
    let scan = match span(ids) {
        Some((first, end)) => Scan::of(index)
            .below(vec![LOCAL.into()])
            .from(first)
            .to(end),
        None => Scan::of(index).below_each(ids.iter().map(|id| node_key(LOCAL, *id))),
    };
    let mut found: BTreeMap<u32, Vec<R>> = BTreeMap::new();
    for row in cx.scan::<R>(scan)?.into_iter().flatten() {
        found.entry(node(&row)).or_default().push(row);
    }
    Ok(found)
}
