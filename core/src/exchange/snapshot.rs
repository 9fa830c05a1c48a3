//! The graph as one file that is the same in every store that holds the same events: `.deciduous/graph.json`.
//!
//! Owns: the file's order, its numbers and its lines. Local numbers are a store's own, so the file counts for itself:
//! nodes by their time and identity, edges by their later end. What is deleted keeps its number, so that deleting moves
//! no other line. One record a line, each with the comma before it: two lines that git puts side by side still read.

use crate::cx::{Cx, Scan, row};
use crate::exchange::{DocumentOut, EdgeOut, NodeOut, SessionOut, TagOut, ThemeOut, gather};
use crate::graph::{EdgeCells, Graph};
use crate::ledger::LOCAL;
use crate::model::{Document, Node, NodeTheme, Session, SessionNode, Theme, node_key};
use crate::refuse::Step;
use serde::Serialize;
use std::collections::BTreeMap;

/// Nodes in one piece, and edges.
const NODES: usize = 2_000;
const EDGES: usize = 4_000;
/// The lists, in the order of the file.
pub(super) const LISTS: [&str; 6] = [
    "nodes",
    "edges",
    "themes",
    "node_themes",
    "documents",
    "sessions",
];

row! {
    /// A node's two names.
    struct Named in "node" {
        id: u32,
        change_id: String,
    }
}

/// Where the file goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Nodes(usize),
    Edges(usize),
    Rest,
}

impl Piece {
    pub(crate) fn read(cursor: &str) -> Option<Piece> {
        let place = |rest: &str| rest.parse().ok();
        match cursor.split_at_checked(1)? {
            ("n", rest) => place(rest).map(Piece::Nodes),
            ("e", rest) => place(rest).map(Piece::Edges),
            ("r", "") => Some(Piece::Rest),
            _ => None,
        }
    }

    pub(crate) fn shown(self) -> String {
        match self {
            Piece::Nodes(place) => format!("n{place}"),
            Piece::Edges(place) => format!("e{place}"),
            Piece::Rest => "r".to_owned(),
        }
    }
}

/// The line before a list.
pub(super) fn opening(list: &str) -> String {
    match LISTS.first() {
        Some(first) if *first == list => format!("{{\"{list}\":["),
        _ => format!("],\"{list}\":["),
    }
}

/// The last line.
pub(super) const CLOSING: &str = "]}";

/// The file's order.
struct Order {
    /// Local numbers of the nodes, deleted ones included, in the file's order.
    nodes: Vec<u32>,
    /// Local number to number in the file.
    numbers: BTreeMap<u32, u32>,
    /// Live edges, each with its number.
    edges: Vec<(u32, EdgeCells)>,
    live: usize,
}

fn order(cx: &Cx) -> Step<std::sync::Arc<Order>> {
    cx.once("order", || {
        let graph = cx.graph(LOCAL)?;
        let known = (0..u32::try_from(graph.node_bound()).unwrap_or(u32::MAX))
            .filter_map(|position| graph.node(position))
            .filter(|node| node.kind.is_some());
        let mut nodes: Vec<(i64, u32)> = known.map(|node| (node.created_at, node.id)).collect();
        nodes.sort_unstable();
        let same = |pair: &[(i64, u32)]| matches!(pair, [a, b] if a.0 == b.0);
        let mut tied: Vec<u32> = Vec::new();
        for pair in nodes.windows(2).filter(|pair| same(pair)) {
            tied.extend(pair.iter().map(|(_, id)| *id));
        }
        tied.dedup();
        let keys: Vec<_> = tied.iter().map(|id| node_key(LOCAL, *id)).collect();
        let names: BTreeMap<u32, String> = cx
            .rows::<Named>(&keys)?
            .into_iter()
            .flatten()
            .map(|node| (node.id, node.change_id))
            .collect();
        nodes.sort_by(|a, b| (a.0, names.get(&a.1)).cmp(&(b.0, names.get(&b.1))));
        let nodes: Vec<u32> = nodes.into_iter().map(|(_, id)| id).collect();
        let numbers: BTreeMap<u32, u32> = nodes.iter().copied().zip(1..).collect();
        let edges = edges(&graph, &numbers);
        Ok(Order {
            live: graph.live().count(),
            nodes,
            numbers,
            edges,
        })
    })
}

/// Live edges in the file's order, with the numbers that they have among all.
fn edges(graph: &Graph, numbers: &BTreeMap<u32, u32>) -> Vec<(u32, EdgeCells)> {
    let mut edges: Vec<_> = graph
        .all_edge_cells()
        .filter_map(|(edge, live)| {
            let (from, to) = (*numbers.get(&edge.from_id)?, *numbers.get(&edge.to_id)?);
            let kind = edge.kind?.name();
            Some(((from.max(to), from, to, kind), *edge, live))
        })
        .collect();
    edges.sort_unstable_by_key(|(key, ..)| *key);
    edges
        .into_iter()
        .zip(1..)
        .filter(|((_, _, live), _)| *live)
        .map(|((_, edge, _), number)| (number, edge))
        .collect()
}

/// A piece of the file's text, and where the next one goes on.
pub(crate) struct Text {
    pub text: String,
    pub next: Option<Piece>,
    pub nodes: usize,
    pub edges: usize,
}

pub(crate) fn piece(cx: &Cx, piece: Piece) -> Step<Text> {
    let order = order(cx)?;
    let mut lines = Lines::default();
    let next = match piece {
        Piece::Nodes(begin) => {
            lines.open_if(begin == 0, "nodes");
            nodes(cx, &order, begin, &mut lines)?
        }
        Piece::Edges(begin) => {
            lines.open_if(begin == 0, "edges");
            edge_lines(cx, &order, begin, &mut lines)?
        }
        Piece::Rest => {
            rest(cx, &order, &mut lines)?;
            None
        }
    };
    Ok(Text {
        text: lines.text,
        next,
        nodes: order.live,
        edges: order.edges.len(),
    })
}

#[derive(Default)]
struct Lines {
    text: String,
    /// Whether the list under way has no line yet.
    empty: bool,
}

impl Lines {
    fn open_if(&mut self, yes: bool, list: &str) {
        if yes {
            self.text.push_str(&opening(list));
            self.text.push('\n');
        }
        self.empty = yes;
    }

    fn add(&mut self, record: &impl Serialize) {
        if !std::mem::take(&mut self.empty) {
            self.text.push(',');
        }
        self.text
            .push_str(&serde_json::to_string(record).unwrap_or_default());
        self.text.push('\n');
    }
}

fn nodes(cx: &Cx, order: &Order, begin: usize, lines: &mut Lines) -> Step<Option<Piece>> {
    let page: Vec<u32> = order
        .nodes
        .iter()
        .skip(begin)
        .take(NODES)
        .copied()
        .collect();
    let rows = gather::nodes(cx, &page)?;
    // The first line of the list stands on an earlier page, unless all before was deleted.
    lines.empty = order.first_live(cx)?.is_none_or(|first| first >= begin);
    for (node, id) in rows.into_iter().zip(&page) {
        if let (Some(node), Some(number)) = (node.filter(Node::is_live), order.numbers.get(id)) {
            lines.add(&NodeOut {
                id: *number,
                ..NodeOut::from(&node)
            });
        }
    }
    let end = begin + NODES;
    Ok(Some(if end < order.nodes.len() {
        Piece::Nodes(end)
    } else {
        Piece::Edges(0)
    }))
}

impl Order {
    /// The place of the first node that is not deleted.
    fn first_live(&self, cx: &Cx) -> Step<Option<usize>> {
        let graph = cx.graph(LOCAL)?;
        let live = |id: &u32| {
            let node = graph
                .position(*id)
                .and_then(|position| graph.node(position));
            node.is_some_and(|node| node.is_live())
        };
        Ok(self.nodes.iter().position(live))
    }

    fn number(&self, id: u32) -> u32 {
        self.numbers.get(&id).copied().unwrap_or(0)
    }
}

fn names(cx: &Cx, ids: impl Iterator<Item = u32>) -> Step<BTreeMap<u32, String>> {
    let ids: std::collections::BTreeSet<u32> = ids.collect();
    let keys: Vec<_> = ids.into_iter().map(|id| node_key(LOCAL, id)).collect();
    let rows = cx.rows::<Named>(&keys)?.into_iter().flatten();
    Ok(rows.map(|node| (node.id, node.change_id)).collect())
}

fn edge_lines(cx: &Cx, order: &Order, begin: usize, lines: &mut Lines) -> Step<Option<Piece>> {
    let page: Vec<&(u32, EdgeCells)> = order.edges.iter().skip(begin).take(EDGES).collect();
    let cells: Vec<EdgeCells> = page.iter().map(|(_, edge)| *edge).collect();
    let rows = gather::edges(cx, &cells);
    let names = names(
        cx,
        page.iter().flat_map(|(_, edge)| [edge.from_id, edge.to_id]),
    );
    let (rows, names) = (rows?, names?);
    let name = |id: u32| names.get(&id).map_or("", String::as_str);
    for (edge, (number, _)) in rows.into_iter().zip(page) {
        if let Some(edge) = edge {
            lines.add(&EdgeOut {
                id: *number,
                from_node_id: order.number(edge.from_id),
                to_node_id: order.number(edge.to_id),
                ..EdgeOut::new(&edge, name(edge.from_id), name(edge.to_id))
            });
        }
    }
    let end = begin + EDGES;
    Ok(Some(if end < order.edges.len() {
        Piece::Edges(end)
    } else {
        Piece::Rest
    }))
}

/// What there is little of: all at once.
fn rest(cx: &Cx, order: &Order, lines: &mut Lines) -> Step<()> {
    let below = || Scan::of("primary").below(vec![LOCAL.into()]);
    let themes = cx.scan_one::<Theme>(below());
    let tags = cx.scan_one::<NodeTheme>(below());
    let documents = cx.scan_one::<Document>(below());
    let sessions = cx.scan_one::<Session>(below());
    let members = cx.scan_one::<SessionNode>(below());
    let (themes, mut tags, mut documents) = (themes?, tags?, documents?);
    let (mut sessions, members) = (sessions?, members?);
    let graph = cx.graph(LOCAL)?;
    let live = |id: u32| {
        graph
            .position(id)
            .and_then(|position| graph.node(position))
            .is_some_and(|node| node.is_live())
    };
    tags.retain(|tag| tag.deleted_at.is_none() && live(tag.node_id));
    documents.retain(|document| document.deleted_at.is_none() && live(document.node_id));
    sessions.retain(|session| session.deleted_at.is_none() && session.last_event.is_some());
    drop(graph);
    let ids = tags
        .iter()
        .map(|tag| tag.node_id)
        .chain(documents.iter().map(|document| document.node_id));
    let ids = ids
        .chain(sessions.iter().map(|session| session.root_id))
        .chain(members.iter().map(|member| member.node_id));
    let names = names(cx, ids)?;
    let name = |id: u32| names.get(&id).map_or("", String::as_str);

    lines.open_if(true, "themes");
    for (theme, number) in themes
        .iter()
        .filter(|theme| theme.deleted_at.is_none())
        .zip(1..)
    {
        lines.add(&ThemeOut {
            id: number,
            ..ThemeOut::from(theme)
        });
    }
    lines.open_if(true, "node_themes");
    tags.sort_by(|a, b| {
        (order.number(a.node_id), &a.theme).cmp(&(order.number(b.node_id), &b.theme))
    });
    for tag in &tags {
        lines.add(&TagOut {
            node_id: order.number(tag.node_id),
            ..TagOut::new(tag, name(tag.node_id))
        });
    }
    lines.open_if(true, "documents");
    documents.sort_by(|a, b| {
        let key = |document: &Document| (order.number(document.node_id), document.created_at);
        (key(a), &a.change_id).cmp(&(key(b), &b.change_id))
    });
    for (document, number) in documents.iter().zip(1..) {
        let node_id = order.number(document.node_id);
        lines.add(&DocumentOut {
            id: number,
            node_id,
            ..DocumentOut::new(document, name(document.node_id))
        });
    }
    lines.open_if(true, "sessions");
    sessions.sort_by(|a, b| (a.started_at, &a.change_id).cmp(&(b.started_at, &b.change_id)));
    for (session, number) in sessions.iter().zip(1..) {
        let mut inside: Vec<u32> = members
            .iter()
            .filter(|member| member.session_id == session.id && member.deleted_at.is_none())
            .map(|member| member.node_id)
            .collect();
        inside.sort_by_key(|id| (order.number(*id), name(*id)));
        let inside = inside.into_iter().map(|id| name(id).to_owned()).collect();
        lines.add(&SessionOut {
            id: number,
            ..SessionOut::new(session, name(session.root_id), inside)
        });
    }
    lines.text.push_str(CLOSING);
    lines.text.push('\n');
    Ok(())
}
