//! Chains: a walk from one node, as an answer in pages.
//!
//! Owns: what `trace_chain`, `get_ancestors` and `get_descendants` answer. Never: a walk that stops silently.
//! Pages follow the order of the walk; an edge comes with the page of its later end, so that the pages together hold
//! the walked part of the graph once.

use crate::answer::Answer;
use crate::args::{Limit, Ref, Word};
use crate::around;
use crate::cx::{Cx, row};
use crate::graph::{Direction, Graph, Visit, walk};
use crate::ledger::LOCAL;
use crate::lookup;
use crate::model::{EdgeType, Node, NodeBrief};
use crate::page::{Pages, fitting};
use crate::refuse::{Step, refusal};
use crate::render::view::{Page, glyph, plain, title, tone};
use crate::text::{counted, shorten};
use serde::Serialize;
use std::collections::BTreeMap;

/// Nodes of a page unless the caller says how many.
const PAGE: u32 = 50;
/// About how many bytes nodes and edges take then.
const NODE_BYTES: usize = 12_000;
const EDGE_BYTES: usize = 10_000;
/// How much of a rationale a chain shows; `show_node` has it whole.
const RATIONALE: usize = 240;
/// Deeper trees are drawn no further to the right.
const DEEPEST: usize = 24;

/// What to walk.
pub(crate) struct Chain {
    pub node: Ref,
    pub direction: Direction,
    /// 0 for no bound.
    pub max_depth: u32,
    pub limit: Option<Limit>,
    pub cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Visited {
    id: u32,
    node_type: String,
    title: String,
    status: String,
    depth: u32,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Link {
    from_id: u32,
    to_id: u32,
    edge_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rationale: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    start_node_id: u32,
    node_count: usize,
    edge_count: usize,
    nodes: Vec<Visited>,
    edges: Vec<Link>,
    /// Edges of the chain that are not in this answer.
    edges_omitted: usize,
    total: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// For a view: from which node and over which edge each node was reached.
    #[serde(skip)]
    reached: BTreeMap<u32, (u32, EdgeType, bool)>,
}

/// What a page shows of a walk, by local numbers.
#[derive(Debug, Default)]
struct Walked {
    nodes: usize,
    edges: usize,
    /// (id, depth) of the nodes that may be on the page.
    page: Vec<(u32, u32)>,
    /// Edges whose later end is on the page, with that end's place in the page.
    links: Vec<(usize, u32, u32, EdgeType)>,
    reached: BTreeMap<u32, (u32, EdgeType, bool)>,
}

row! {
    /// Why an edge is there.
    pub struct Reason in "edge" {
        rationale: Option<String>,
    }
}

pub(crate) fn answer(cx: &Cx, chain: Chain) -> Step<Answer<Output>> {
    let explicit = chain.limit.is_some();
    let pages = Pages::read(
        Some(chain.limit.as_ref().map_or(PAGE, |limit| limit.0)),
        chain.cursor.clone(),
    )?;
    let (start, graph) = (lookup::node(cx, &chain.node.0), cx.graph(LOCAL).map(drop));
    let (start, ()) = (start?, graph?);
    let walked = cx.once("walk", || {
        walked(&*cx.graph(LOCAL)?, &start, &chain, &pages)
    })?;
    let keys: Vec<_> = walked
        .links
        .iter()
        .map(|(_, from, to, kind)| {
            vec![
                LOCAL.into(),
                (*from).into(),
                (*to).into(),
                kind.name().into(),
            ]
        })
        .collect();
    let ids: Vec<u32> = walked.page.iter().map(|(id, _)| *id).collect();
    let (briefs, reasons) = (
        around::briefs(cx, ids.iter().copied()),
        cx.rows::<Reason>(&keys),
    );
    let (briefs, reasons) = (briefs?, reasons?);
    let mut nodes: Vec<Visited> = walked
        .page
        .iter()
        .filter_map(|(id, depth)| Some(visited(briefs.get(id)?, *depth)))
        .collect();
    let mut links: Vec<(usize, Link)> = walked
        .links
        .iter()
        .zip(reasons)
        .map(|(link, reason)| (link.0, shown(link, reason)))
        .collect();
    if !explicit {
        nodes.truncate(fitting(&nodes, NODE_BYTES));
    }
    links.retain(|(place, _)| *place < nodes.len());
    let mut edges: Vec<Link> = links.into_iter().map(|(_, link)| link).collect();
    if !explicit {
        edges.truncate(fitting(&edges, EDGE_BYTES));
    }
    let cursor = pages.after(nodes.len(), walked.nodes);
    let output = Output {
        start_node_id: start.id,
        node_count: walked.nodes,
        edge_count: walked.edges,
        edges_omitted: walked.edges.saturating_sub(edges.len()),
        total: walked.nodes,
        truncated: cursor.is_some(),
        cursor,
        nodes,
        edges,
        reached: walked.reached.clone(),
    };
    let deepest = output
        .nodes
        .iter()
        .map(|node| node.depth)
        .max()
        .unwrap_or(0);
    let lead = format!(
        "{} {} #{} `{}`: {}, {}; {} here, down to depth {deepest}.",
        match chain.direction {
            Direction::Outgoing => "From",
            Direction::Incoming => "Up from",
            Direction::Both => "Around",
        },
        start.node_type,
        start.id,
        shorten(&start.title, 80),
        counted(output.node_count, "node"),
        counted(output.edge_count, "edge"),
        counted(output.nodes.len(), "node"),
    );
    let next = if output.truncated {
        "call again with `cursor`, or with a smaller `max_depth`"
    } else {
        ""
    };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, draw))
}

/// A whole walk, kept for its further pages until the graph changes.
#[derive(Debug)]
struct Way {
    visits: Vec<Visit>,
    /// For each position its place among the visits; the greatest number for none.
    ranks: Vec<u32>,
    /// Edges between visited nodes.
    edges: usize,
}

impl Way {
    fn walk(graph: &Graph, position: u32, chain: &Chain) -> Way {
        let bound = (chain.max_depth > 0).then_some(chain.max_depth);
        let visits = walk(graph, &[position], chain.direction, bound, |_| true);
        let mut ranks = vec![u32::MAX; graph.node_bound()];
        for (rank, visit) in (0_u32..).zip(&visits) {
            if let Some(cell) = ranks.get_mut(visit.position as usize) {
                *cell = rank;
            }
        }
        let seen = |position: u32| ranks.get(position as usize) != Some(&u32::MAX);
        let count = |visit: &Visit| {
            let out = graph.out(visit.position);
            out.filter(|(_, to)| seen(*to)).count()
        };
        let edges = visits.iter().map(count).sum();
        Way {
            visits,
            ranks,
            edges,
        }
    }
}

fn walked(graph: &Graph, start: &Node, chain: &Chain, pages: &Pages) -> Step<Walked> {
    let Some(position) = graph.position(start.id) else {
        return Err(refusal(500, "the columns lack the node", "run `deciduous doctor`").into());
    };
    let key = format!(
        "{} {} {}",
        start.id,
        chain.direction.name(),
        chain.max_depth
    );
    let way = graph.latest("way", key, |graph| Ok(Way::walk(graph, position, chain)))?;
    let Way {
        visits,
        ranks,
        edges,
    } = &way.1;
    let rank = |position: u32| {
        let rank = ranks.get(position as usize).copied();
        rank.filter(|rank| *rank != u32::MAX)
    };
    let mut walked = Walked {
        nodes: visits.len(),
        edges: *edges,
        ..Walked::default()
    };
    let page = pages.slice(visits);
    for (place, visit) in page.iter().enumerate() {
        let (id, own) = (graph.id(visit.position), rank(visit.position).unwrap_or(0));
        walked.page.push((id, visit.depth));
        let earlier = |other: &u32| rank(*other).is_some_and(|rank| rank < own);
        walked.links.extend(
            graph
                .into(visit.position)
                .filter(|(_, from)| earlier(from))
                .map(|(kind, from)| (place, graph.id(from), id, kind)),
        );
        walked.links.extend(
            graph
                .out(visit.position)
                .filter(|(_, to)| earlier(to))
                .map(|(kind, to)| (place, id, graph.id(to), kind)),
        );
        if let Some((from, kind)) = visit.via {
            let forward = graph.out(from).any(|edge| edge == (kind, visit.position));
            walked.reached.insert(id, (graph.id(from), kind, forward));
        }
    }
    Ok(walked)
}

fn visited(node: &NodeBrief, depth: u32) -> Visited {
    Visited {
        id: node.id,
        node_type: node.node_type.clone(),
        title: node.title.clone(),
        status: node.status.clone(),
        depth,
    }
}

fn shown((_, from, to, kind): &(usize, u32, u32, EdgeType), reason: Option<Reason>) -> Link {
    let rationale = reason
        .and_then(|reason| reason.rationale)
        .map(|text| shorten(&text, RATIONALE));
    Link {
        from_id: *from,
        to_id: *to,
        edge_type: kind.name(),
        rationale,
    }
}

/// A tree: each node below the one it was reached from, with the edge that led there.
fn draw(page: &mut Page, output: &Output) {
    let mut below: BTreeMap<u32, Vec<&Visited>> = BTreeMap::new();
    let here: BTreeMap<u32, &Visited> = output.nodes.iter().map(|node| (node.id, node)).collect();
    let mut roots = Vec::new();
    for node in &output.nodes {
        match output
            .reached
            .get(&node.id)
            .filter(|(from, ..)| here.contains_key(from))
        {
            Some((from, ..)) => below.entry(*from).or_default().push(node),
            None => roots.push(node),
        }
    }
    let mut stack: Vec<(&Visited, usize)> = roots.into_iter().rev().map(|node| (node, 0)).collect();
    while let Some((node, level)) = stack.pop() {
        branch(page, node, level, output);
        stack.extend(
            below
                .remove(&node.id)
                .unwrap_or_default()
                .into_iter()
                .rev()
                .map(|node| (node, level + 1)),
        );
    }
    if output.truncated {
        page.line(vec![tone(
            "dim",
            format!(
                "… {} more nodes",
                output.total.saturating_sub(output.nodes.len())
            ),
        )]);
    }
}

fn branch(page: &mut Page, node: &Visited, level: usize, output: &Output) {
    let mut spans = Vec::new();
    if let Some((from, kind, forward)) = output.reached.get(&node.id) {
        let arrow = if *forward { "→" } else { "←" };
        let kind = if *kind == EdgeType::LeadsTo {
            String::new()
        } else {
            format!(" {}", kind.name())
        };
        let from = if level == 0 {
            format!(" #{from}")
        } else {
            String::new()
        };
        spans.push(tone("dim", format!("{arrow}{kind}{from} ")));
    }
    spans.extend([
        glyph(&node.node_type, node.node_type.as_str()),
        plain(format!(" #{} ", node.id)),
        title(&node.title, &node.status),
    ]);
    page.indented(u8::try_from(level.min(DEEPEST)).unwrap_or(0), spans);
}
