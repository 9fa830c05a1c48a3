//! The graph in pages. An edge comes with the page of its later end, so the pages together hold everything once.
//!
//! A cursor is the place behind what was told: `c12` goes on behind node 12, `c12.300` at its 301st edge, `s4` behind
//! session 4.

use crate::args::{Limit, Word};
use crate::around::briefs;
use crate::cx::{Cx, Scan};
use crate::exchange::{DocumentOut, EdgeOut, NodeOut, SessionOut, TagOut, ThemeOut};
use crate::graph::Graph;
use crate::ledger::LOCAL;
use crate::model::{Document, Edge, Node, NodeTheme, Session, SessionNode, Theme, node_key};
use crate::page::fitting;
use crate::refuse::{Step, bad_argument, stop};
use deciduous_boundary::Cell;
use std::collections::BTreeMap;

/// What fits is told at once up to here, unless the caller asks for a page size.
const WHOLE_BYTES: usize = 50_000;
/// As [`WHOLE_BYTES`], for a host that writes every page to a file.
const STREAM_BYTES: usize = 1_000_000;
/// A node or an edge takes at least this much of a page.
const LEAST_BYTES: usize = 200;
/// A hub's edges are told in parts of this many, whatever the page size.
const EDGES_A_PAGE: usize = 20_000;

/// How much of the shape is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Nodes and edges.
    Graph,
    /// Themes, tags and documents too.
    Tagged,
    /// Sessions too.
    Whole,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub part: Part,
    /// Only nodes of this branch, and edges between them.
    pub branch: Option<String>,
    /// Nodes in a page.
    pub limit: Option<Limit>,
    pub cursor: Option<Word>,
}

impl Wanted {
    /// How much a page may take.
    fn bytes(&self) -> usize {
        match (&self.limit, self.part) {
            (Some(_), _) => usize::MAX,
            (None, Part::Whole) => STREAM_BYTES,
            (None, _) => WHOLE_BYTES,
        }
    }
}

/// One page.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphPage {
    pub nodes: Vec<NodeOut>,
    pub edges: Vec<EdgeOut>,
    /// With the first page.
    pub themes: Vec<ThemeOut>,
    /// With their nodes.
    pub node_themes: Vec<TagOut>,
    pub documents: Vec<DocumentOut>,
    /// Behind the last node.
    pub sessions: Vec<SessionOut>,
    pub total_nodes: usize,
    pub total_edges: usize,
    pub truncated: bool,
    pub cursor: Option<String>,
}

/// A place between two things told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Behind this node and so many of the next one's edges: (node, edges of it told; none: all).
    Node(u32, Option<usize>),
    Session(u32),
}

impl Place {
    fn read(cursor: Option<Word>) -> Step<Place> {
        let text = match cursor {
            None => return Ok(Place::Node(0, None)),
            Some(Word(text)) if text.is_empty() => return Ok(Place::Node(0, None)),
            Some(Word(text)) => text,
        };
        let node = |rest: &str| match rest.split_once('.') {
            Some((id, told)) => Some(Place::Node(id.parse().ok()?, Some(told.parse().ok()?))),
            None => Some(Place::Node(rest.parse().ok()?, None)),
        };
        let session = |rest: &str| Some(Place::Session(rest.parse().ok()?));
        let read = match text.split_at_checked(1) {
            Some(("c", rest)) => node(rest),
            Some(("s", rest)) => session(rest),
            _ => None,
        };
        read.map_or_else(
            || {
                stop(bad_argument(
                    "cursor",
                    format!("`{text}` is no cursor"),
                    "pass the `cursor` of the former page, or leave it out",
                ))
            },
            Ok,
        )
    }

    fn shown(self) -> String {
        match self {
            Place::Node(id, None) => format!("c{id}"),
            Place::Node(id, Some(told)) => format!("c{id}.{told}"),
            Place::Session(id) => format!("s{id}"),
        }
    }
}

/// (from, type's name, to).
type EdgeKey = (u32, &'static str, u32);

/// What a page could hold, before the sizes are known.
#[derive(Default)]
struct Plan {
    /// Each with its edges to older nodes, and how many of these were told before.
    nodes: Vec<(u32, Vec<EdgeKey>, usize)>,
    /// Whether these are the last nodes.
    last: bool,
    total_nodes: usize,
    total_edges: usize,
}

/// The page that `wanted` asks for.
pub(crate) fn page(cx: &Cx, wanted: Wanted) -> Step<GraphPage> {
    let place = Place::read(wanted.cursor.clone())?;
    let plan = plan(&*cx.graph(LOCAL)?, &wanted, place);
    let mut page = GraphPage {
        total_nodes: plan.total_nodes,
        total_edges: plan.total_edges,
        ..GraphPage::default()
    };
    let end = fill(cx, &wanted, &plan, &mut page)?;
    if wanted.part != Part::Graph && place == Place::Node(0, None) {
        page.themes = themes(cx)?;
    }
    let cursor = match (end, place) {
        (Some(end), _) => Some(end),
        (None, Place::Node(..)) if wanted.part == Part::Whole => {
            sessions(cx, &wanted, 0, &mut page)?
        }
        (None, Place::Session(id)) => sessions(cx, &wanted, id, &mut page)?,
        (None, Place::Node(..)) => None,
    };
    page.truncated = cursor.is_some();
    page.cursor = cursor.map(Place::shown);
    Ok(page)
}

fn plan(graph: &Graph, wanted: &Wanted, place: Place) -> Plan {
    let inside = |position: u32| {
        wanted.branch.is_none() || graph.branch(position) == wanted.branch.as_deref()
    };
    let nodes = || graph.live().filter(|(position, _)| inside(*position));
    let mut plan = Plan {
        total_nodes: nodes().count(),
        ..Plan::default()
    };
    plan.total_edges = graph
        .live_edges()
        .filter(|(from, _, to)| inside(*from) && inside(*to))
        .count();
    let Place::Node(behind, told) = place else {
        plan.last = true;
        return plan;
    };
    let most = wanted
        .limit
        .as_ref()
        .map_or(wanted.bytes() / LEAST_BYTES, |limit| limit.0 as usize);
    let mut held = 0;
    for (position, node) in nodes() {
        // A node that was told in part is gone through again for the rest of its edges.
        if node.id < behind || (node.id == behind && told.is_none()) {
            continue;
        }
        let full = if wanted.limit.is_some() {
            plan.nodes.len() >= most
        } else {
            held >= most
        };
        if full {
            return plan;
        }
        let older = |other: &u32| *other < position && inside(*other);
        let out = graph
            .out(position)
            .filter(|(_, to)| older(to))
            .map(|(kind, to)| (node.id, kind.name(), graph.id(to)));
        let into = graph
            .into(position)
            .filter(|(_, from)| older(from))
            .map(|(kind, from)| (graph.id(from), kind.name(), node.id));
        let edges: Vec<EdgeKey> = out.chain(into).collect();
        let skipped = if node.id == behind {
            told.unwrap_or(0)
        } else {
            0
        };
        held += 1 + edges.len().saturating_sub(skipped);
        plan.nodes.push((node.id, edges, skipped));
    }
    plan.last = true;
    plan
}

/// Tells the plan's nodes and edges as far as they fit; says where it stopped before their end.
fn fill(cx: &Cx, wanted: &Wanted, plan: &Plan, page: &mut GraphPage) -> Step<Option<Place>> {
    let keys: Vec<_> = plan
        .nodes
        .iter()
        .map(|(id, ..)| node_key(LOCAL, *id))
        .collect();
    let edges_of = |(_, edges, told): &(u32, Vec<EdgeKey>, usize)| {
        edges
            .iter()
            .skip(*told)
            .take(EDGES_A_PAGE)
            .copied()
            .collect::<Vec<_>>()
    };
    let edge_keys: Vec<EdgeKey> = plan.nodes.iter().flat_map(edges_of).collect();
    let cells = |(from, kind, to): &EdgeKey| -> Vec<Cell> {
        vec![LOCAL.into(), (*from).into(), (*to).into(), (*kind).into()]
    };
    let nodes = cx.rows::<Node>(&keys);
    let edges = cx.rows::<Edge>(&edge_keys.iter().map(cells).collect::<Vec<_>>());
    let ends = briefs(cx, edge_keys.iter().flat_map(|(from, _, to)| [*from, *to]));
    let tags = below_each::<NodeTheme>(cx, wanted, "primary", &keys);
    let documents = below_each::<Document>(cx, wanted, "document_by_node", &keys);
    let (nodes, edges, ends) = (nodes?, edges?, ends?);
    let (tags, documents) = (tags?, documents?);

    let mut edges = edges.into_iter();
    let mut tags = tags.into_iter();
    let mut documents = documents.into_iter();
    let mut left = wanted.bytes();
    let mut before = Place::Node(0, None);
    for (planned, node) in plan.nodes.iter().zip(nodes) {
        let (id, all, told) = planned;
        let outs: Vec<EdgeOut> = edges
            .by_ref()
            .take(edges_of(planned).len())
            .flatten()
            .filter_map(|edge| {
                let (from, to) = (ends.get(&edge.from_id)?, ends.get(&edge.to_id)?);
                Some(EdgeOut::new(&edge, &from.change_id, &to.change_id))
            })
            .collect();
        let out = node.filter(|_| *told == 0).map(|node| NodeOut::from(&node));
        let node_bytes = out.as_ref().map_or(0, size);
        let empty = page.nodes.is_empty() && page.edges.is_empty();
        if node_bytes > left && !empty {
            return Ok(Some(before));
        }
        let change_id = out.as_ref().map(|node| node.change_id.clone());
        page.nodes.extend(out);
        left = left.saturating_sub(node_bytes);
        if let Some(change_id) = change_id {
            let tags = tags
                .next()
                .into_iter()
                .flatten()
                .filter(|tag| tag.deleted_at.is_none());
            page.node_themes
                .extend(tags.map(|tag| TagOut::new(&tag, &change_id)));
            let documents = documents
                .next()
                .into_iter()
                .flatten()
                .filter(|document| document.deleted_at.is_none());
            page.documents
                .extend(documents.map(|document| DocumentOut::new(&document, &change_id)));
        } else {
            // Its tags and documents were told with the node itself.
            let _ = (tags.next(), documents.next());
        }
        let fit = if left == usize::MAX || outs.is_empty() {
            outs.len()
        } else {
            fitting(&outs, left)
        };
        let told = told + fit;
        left = left.saturating_sub(outs.iter().take(fit).map(size).sum());
        page.edges.extend(outs.into_iter().take(fit));
        if told < all.len() {
            return Ok(Some(Place::Node(*id, Some(told))));
        }
        before = Place::Node(*id, None);
    }
    Ok((!plan.last).then_some(before))
}

fn size(item: &impl serde::Serialize) -> usize {
    serde_json::to_string(item).map_or(0, |json| json.len() + 1)
}

fn below_each<R: crate::cx::Row>(
    cx: &Cx,
    wanted: &Wanted,
    index: &'static str,
    keys: &[Vec<Cell>],
) -> Step<Vec<Vec<R>>> {
    if wanted.part == Part::Graph {
        return Ok(Vec::new());
    }
    cx.scan::<R>(Scan::of(index).below_each(keys.iter().cloned()))
}

fn themes(cx: &Cx) -> Step<Vec<ThemeOut>> {
    let themes = cx.scan_one::<Theme>(Scan::of("primary").below(vec![LOCAL.into()]))?;
    Ok(themes
        .iter()
        .filter(|theme| theme.deleted_at.is_none())
        .map(ThemeOut::from)
        .collect())
}

/// Sessions behind `behind`, with their members; says where it stopped before the last one.
fn sessions(cx: &Cx, wanted: &Wanted, behind: u32, page: &mut GraphPage) -> Step<Option<Place>> {
    let most = wanted.limit.as_ref().map_or(100, |limit| limit.0);
    let scan = Scan::of("primary")
        .below(vec![LOCAL.into()])
        .after(vec![LOCAL.into(), behind.into()])
        .limit(most.saturating_add(1));
    let mut found = cx.scan_one::<Session>(scan)?;
    let more = found.len() > most as usize;
    found.truncate(most as usize);
    let last = found.last().map(|session| session.id);
    // A session that was only heard of has no event of its own yet.
    found.retain(|session| session.last_event.is_some());
    let below = found
        .iter()
        .map(|session| vec![LOCAL.into(), session.id.into()]);
    let members = cx.scan::<SessionNode>(Scan::of("primary").below_each(below))?;
    let live = |members: Vec<SessionNode>| {
        members
            .into_iter()
            .filter(|member| member.deleted_at.is_none())
            .map(|member| member.node_id)
            .collect::<Vec<_>>()
    };
    let members: Vec<Vec<u32>> = members.into_iter().map(live).collect();
    let keys: std::collections::BTreeSet<u32> = members
        .iter()
        .flatten()
        .copied()
        .chain(found.iter().map(|session| session.root_id))
        .collect();
    let keys: Vec<_> = keys.into_iter().map(|id| node_key(LOCAL, id)).collect();
    let names: BTreeMap<u32, String> = cx
        .rows::<Named>(&keys)?
        .into_iter()
        .flatten()
        .map(|node| (node.id, node.change_id))
        .collect();
    let named = |ids: &[u32]| {
        ids.iter()
            .filter_map(|id| names.get(id).cloned())
            .collect::<Vec<_>>()
    };
    page.sessions = found
        .iter()
        .zip(&members)
        .map(|(session, members)| {
            SessionOut::new(
                session,
                names.get(&session.root_id).map_or("", String::as_str),
                named(members),
            )
        })
        .collect();
    Ok(last.filter(|_| more).map(Place::Session))
}

crate::cx::row! {
    /// A node's two names.
    struct Named in "node" {
        id: u32,
        change_id: String,
    }
}
