//! `list_edges`: edges, oldest first.

use crate::answer::Answer;
use crate::args::{Limit, Ref, Word};
use crate::around;
use crate::cx::Cx;
use crate::graph::EdgeCells;
use crate::ledger::LOCAL;
use crate::lookup;
use crate::model::{Edge, NodeBrief};
use crate::page::{Pages, fitting, key_after, key_cursor, least};
use crate::refuse::Step;
use crate::render::view::{Page, plain, title, tone};
use crate::shapes::EdgeItem;
use crate::text::{counted, shorten};
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

tool! {
    title: "List edges",
    about: "List edges with their rationale, oldest first: all, or those at one node. To follow a line of thought use trace_chain.",
    effect: Read,
    cli: {
        command: &["edges"],
        summary: "List edges, oldest first",
        long: &[("node_id", "node")],
        pages: &["edges"],
        examples: &["deciduous edges", "deciduous edges --node 42"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Only edges at this node
    node_id: Option<Ref>,
    /// Page size (default: what fits 20 kB)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    total: usize,
    edges: Vec<EdgeItem>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(args.limit, None)?;
    let [after] = key_after::<1>(args.cursor.as_ref())?.unwrap_or([0]);
    let node = args.node_id.map(|node| lookup::node(cx, &node.0)).transpose();
    let graph = cx.graph(LOCAL);
    let (graph, node) = (graph?, node?);
    let found = cx.once("found", || {
        Ok(match node.as_ref().and_then(|node| graph.position(node.id)) {
            Some(position) => pick(graph.edge_cells_at(position), after, pages.most()),
            None => pick(graph.edge_cells(), after, pages.most()),
        })
    })?;
    drop(graph);
    let (total, left, page) = &*found;
    let rows = cx.rows::<Edge>(&page.iter().map(|edge| edge.row_key(LOCAL)).collect::<Vec<_>>());
    let ends = match cx.wants_view() {
        true => around::briefs(cx, page.iter().flat_map(|edge| [edge.from_id, edge.to_id])),
        false => Ok(BTreeMap::new()),
    };
    let (rows, ends) = (rows?, ends?);
    let mut edges: Vec<EdgeItem> = rows.iter().flatten().map(EdgeItem::from).collect();
    edges.truncate(pages.bound(fitting(&edges, pages.bytes())));
    let cursor = edges.last().filter(|_| edges.len() < *left).map(|last| key_cursor([i64::from(last.id)]));
    let at = node.map_or(String::new(), |node| format!(" at {} #{} `{}`", node.node_type, node.id, node.title));
    let shown = if edges.len() < *total { format!("; {} shown", edges.len()) } else { String::new() };
    let next = if cursor.is_some() { "pass `cursor` for the next ones" } else { "" };
    let output = Output { count: edges.len(), total: *total, truncated: cursor.is_some(), edges, cursor };
    Ok(Answer::new(output).lead(format!("{}{at}{shown}.", counted(*total, "edge"))).next(next).view(cx, |page, output| draw(page, output, &ends)))
}

/// How many there are, how many behind the number `after`, and the first `most` of those.
fn pick<'a>(edges: impl Iterator<Item = &'a EdgeCells>, after: i64, most: usize) -> (usize, usize, Vec<EdgeCells>) {
    let (mut total, mut behind) = (0, Vec::new());
    for edge in edges {
        total += 1;
        if i64::from(edge.id) > after {
            behind.push(*edge);
        }
    }
    (total, behind.len(), least(behind, most))
}

fn draw(page: &mut Page, output: &Output, ends: &BTreeMap<u32, NodeBrief>) {
    let end = |id: u32| match ends.get(&id) {
        Some(node) => title(&format!("#{id} {}", shorten(&node.title, 40)), &node.status),
        None => plain(format!("#{id}")),
    };
    let row = |edge: &EdgeItem| vec![end(edge.from_id), tone("dim", edge.edge_type.as_str()), end(edge.to_id), plain(edge.rationale.clone().unwrap_or_default())];
    page.table(&["from", "type", "to", "rationale"], 3, output.edges.iter().map(row).collect());
}
