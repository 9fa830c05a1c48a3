//! The graph in pages. An edge comes with the page of its later end, so the pages together hold everything once.
//!
//! A cursor is the place behind what was told: `c12` goes on behind node 12, `c12.300` behind its edge 300, `s4` behind
//! session 4. Places are numbers, not counts: what is added or taken away meanwhile moves none of them, and no page
//! goes through what stands before it.

use crate::args::{Limit, Word};
use crate::cx::{Cx, Scan};
use crate::exchange::{DocumentOut, EdgeOut, NodeOut, SessionOut, TagOut, ThemeOut, gather};
use crate::graph::{EdgeCells, Graph};
use crate::ledger::LOCAL;
use crate::model::{Document, Edge, EdgeType, NodeTheme, Session, SessionNode, Theme, node_key};
use crate::page::fitting;
use crate::refuse::{Step, bad_argument, stop};
use std::collections::BTreeMap;

/// What fits is told at once up to here, unless the caller asks for a page size.
const WHOLE_BYTES: usize = 50_000;
/// As [`WHOLE_BYTES`], for a host that writes every page to a file.
const STREAM_BYTES: usize = 1_000_000;
/// A node or an edge takes at least this much of a page that is to be whole where it can.
const LEAST_BYTES: usize = 200;
/// What one usually takes: where nobody minds a page more, what does not fit is not read in vain.
const USUAL_BYTES: usize = 700;
/// A hub's edges are told in parts of this many, whatever the page size.
const EDGES_A_PAGE: usize = 20_000;

/// How much of the shape is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Nodes and edges.
    Graph,
    /// Themes, tags, documents and sessions too.
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
    /// How many things a page can hold, before their sizes are known.
    fn most(&self) -> usize {
        match (&self.limit, self.part) {
            (Some(limit), _) => limit.0 as usize,
            (None, Part::Whole) => self.bytes() / USUAL_BYTES,
            (None, Part::Graph) => self.bytes() / LEAST_BYTES,
        }
    }

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
    /// Behind this node, or behind one of its edges when not all of them were told.
    Node(u32, Option<u32>),
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

/// A node that a page could hold.
struct Planned {
    id: u32,
    /// Whether it was told before, and only some of its edges were not.
    told: bool,
    /// Its edges to older nodes that are to be told, oldest first.
    edges: Vec<EdgeCells>,
}

/// What a page could hold, before the sizes are known.
#[derive(Default)]
struct Plan {
    nodes: Vec<Planned>,
    /// Whether these are the last nodes.
    last: bool,
    total_nodes: usize,
    total_edges: usize,
}

/// The page that `wanted` asks for.
pub(crate) fn page(cx: &Cx, wanted: Wanted) -> Step<GraphPage> {
    let place = Place::read(wanted.cursor.clone())?;
    let plan = cx.once("plan", || plan(&*cx.graph(LOCAL)?, &wanted, place))?;
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

fn plan(graph: &Graph, wanted: &Wanted, place: Place) -> Step<Plan> {
    let inside = |position: u32| {
        wanted.branch.is_none() || graph.branch(position) == wanted.branch.as_deref()
    };
    let (total_nodes, total_edges) = totals(graph, wanted, inside)?;
    let mut plan = Plan {
        total_nodes,
        total_edges,
        ..Plan::default()
    };
    let Place::Node(behind, told) = place else {
        plan.last = true;
        return Ok(plan);
    };
    let older_edges = |position: u32, id: u32, told: u32| {
        let older = graph.edge_cells_at(position).filter(|edge| {
            let other = if edge.from_id == id {
                edge.to_id
            } else {
                edge.from_id
            };
            other < id && edge.id > told && graph.position(other).is_some_and(inside)
        });
        let mut edges: Vec<EdgeCells> = older.copied().collect();
        edges.sort_unstable();
        edges
    };
    // A node that was told in part is gone through again for the rest of its edges.
    if let (Some(told), Some(position)) = (told, graph.position(behind)) {
        let edges = older_edges(position, behind, told);
        plan.nodes.extend((!edges.is_empty()).then_some(Planned {
            id: behind,
            told: true,
            edges,
        }));
    }
    let most = wanted.most();
    let mut held: usize = plan.nodes.iter().map(|node| node.edges.len()).sum();
    let mut nodes = 0;
    for (position, node) in graph.live_after(behind) {
        if !inside(position) {
            continue;
        }
        let full = if wanted.limit.is_some() {
            nodes >= most
        } else {
            held >= most
        };
        if full {
            return Ok(plan);
        }
        let edges = older_edges(position, node.id, 0);
        held += 1 + edges.len();
        nodes += 1;
        plan.nodes.push(Planned {
            id: node.id,
            told: false,
            edges,
        });
    }
    plan.last = true;
    Ok(plan)
}

/// How many nodes and edges all pages hold; of the whole graph it is known without counting for each page.
fn totals(graph: &Graph, wanted: &Wanted, inside: impl Fn(u32) -> bool) -> Step<(usize, usize)> {
    if wanted.branch.is_none() {
        let nodes = graph.derived("live nodes", |graph| graph.live().count())?;
        return Ok((*nodes, graph.live_edge_count()));
    }
    let nodes = graph
        .live()
        .filter(|(position, _)| inside(*position))
        .count();
    let within = |edge: &(u32, EdgeType, u32)| inside(edge.0) && inside(edge.2);
    Ok((nodes, graph.live_edges().filter(within).count()))
}

/// Tells the plan's nodes and edges as far as they fit; says where it stopped before their end.
fn fill(cx: &Cx, wanted: &Wanted, plan: &Plan, page: &mut GraphPage) -> Step<Option<Place>> {
    let ids: Vec<u32> = plan.nodes.iter().map(|node| node.id).collect();
    // Of a hub no more edges are read than a page can hold.
    let most = wanted
        .limit
        .as_ref()
        .map_or(wanted.most(), |_| EDGES_A_PAGE);
    let edges_of = |node: &Planned| node.edges.len().min(most);
    let edge_keys: Vec<EdgeCells> = plan
        .nodes
        .iter()
        .flat_map(|node| node.edges.iter().take(edges_of(node)))
        .copied()
        .collect();
    // Of a node whose edges take several pages not all of them are walked for each.
    let in_part = |node: &Planned| node.told || edges_of(node) < node.edges.len();
    let in_parts = plan.nodes.iter().any(in_part);
    let mut ends: Vec<u32> = edge_keys
        .iter()
        .flat_map(|edge| [edge.from_id, edge.to_id])
        .collect();
    ends.sort_unstable();
    ends.dedup();
    let whole: &[u32] = if wanted.part == Part::Graph {
        &[]
    } else {
        &ids
    };
    let nodes = gather::nodes(cx, &ids);
    let edges = if in_parts {
        let keys: Vec<_> = edge_keys.iter().map(|edge| edge.row_key(LOCAL)).collect();
        cx.rows::<Edge>(&keys)
    } else {
        gather::edges(cx, &edge_keys)
    };
    let ends = names(cx, ends);
    let tags = gather::below(cx, "primary", whole, |tag: &NodeTheme| tag.node_id);
    let documents = gather::below(cx, "document_by_node", whole, |document: &Document| {
        document.node_id
    });
    let (nodes, edges, ends) = (nodes?, edges?, ends?);
    let (mut tags, mut documents) = (tags?, documents?);

    let mut edges = edges.into_iter();
    let mut left = wanted.bytes();
    let mut before = Place::Node(0, None);
    for (planned, node) in plan.nodes.iter().zip(nodes) {
        let outs: Vec<EdgeOut> = edges
            .by_ref()
            .take(edges_of(planned))
            .flatten()
            .filter_map(|edge| {
                let (from, to) = (ends.get(&edge.from_id)?, ends.get(&edge.to_id)?);
                Some(EdgeOut::new(&edge, from, to))
            })
            .collect();
        let out = node
            .filter(|_| !planned.told)
            .map(|node| NodeOut::from(&node));
        let node_bytes = out.as_ref().map_or(0, size);
        let empty = page.nodes.is_empty() && page.edges.is_empty();
        if node_bytes > left && !empty {
            return Ok(Some(before));
        }
        let change_id = out.as_ref().map(|node| node.change_id.clone());
        page.nodes.extend(out);
        left = left.saturating_sub(node_bytes);
        if let Some(change_id) = change_id {
            let tags = tags.remove(&planned.id).unwrap_or_default();
            let tags = tags.into_iter().filter(|tag| tag.deleted_at.is_none());
            page.node_themes
                .extend(tags.map(|tag| TagOut::new(&tag, &change_id)));
            let documents = documents.remove(&planned.id).unwrap_or_default();
            let documents = documents
                .into_iter()
                .filter(|document| document.deleted_at.is_none());
            page.documents
                .extend(documents.map(|document| DocumentOut::new(&document, &change_id)));
        }
        let fit = if left == usize::MAX || outs.is_empty() {
            outs.len()
        } else {
            fitting(&outs, left)
        };
        left = left.saturating_sub(outs.iter().take(fit).map(size).sum());
        let read = edges_of(planned);
        // The last edge that is told: at least one fits, so that every page goes on.
        let last = if fit < outs.len() {
            outs.get(..fit)
                .and_then(<[EdgeOut]>::last)
                .map(|edge| edge.id)
        } else {
            planned
                .edges
                .get(..read)
                .and_then(<[EdgeCells]>::last)
                .map(|edge| edge.id)
        };
        let cut = fit < outs.len() || read < planned.edges.len();
        page.edges.extend(outs.into_iter().take(fit));
        if let (true, Some(last)) = (cut, last) {
            return Ok(Some(Place::Node(planned.id, Some(last))));
        }
        before = Place::Node(planned.id, None);
    }
    Ok((!plan.last).then_some(before))
}

fn size(item: &impl serde::Serialize) -> usize {
    serde_json::to_string(item).map_or(0, |json| json.len() + 1)
}

/// The identities of nodes.
fn names(cx: &Cx, ids: impl IntoIterator<Item = u32>) -> Step<BTreeMap<u32, String>> {
    let keys: Vec<_> = ids.into_iter().map(|id| node_key(LOCAL, id)).collect();
    let found = cx.rows::<Named>(&keys)?.into_iter().flatten();
    Ok(found.map(|node| (node.id, node.change_id)).collect())
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
    found.retain(|session| session.last_event.is_some() && session.deleted_at.is_none());
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
    let names = names(cx, keys)?;
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
