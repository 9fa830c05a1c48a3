//! What stands around nodes: live neighbours over live edges, themes, documents.

use crate::cx::{Cx, Scan, row};
use crate::ledger::LOCAL;
use crate::model::{Document, Edge, Node, NodeBrief, NodeName, NodeTheme, SessionNode, node_key};
use crate::refuse::Step;
use crate::shapes::Neighbour;
use std::collections::BTreeMap;

/// The live edges at a node, each with its other end.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    pub incoming: Vec<Neighbour>,
    pub outgoing: Vec<Neighbour>,
    /// How many of each there are beyond the bound asked for.
    pub omitted: usize,
}

/// The edges at `id`, oldest neighbour first, at most `most` in each direction (a hub may have thousands).
pub(crate) fn edges(cx: &Cx, id: u32, most: usize) -> Step<Edges> {
    let out = cx.scan_one::<Edge>(Scan::of("primary").below(node_key(LOCAL, id)));
    let into = cx.scan_one::<Edge>(Scan::of("edge_by_target").below(node_key(LOCAL, id)));
    let live = |edges: Vec<Edge>| {
        edges
            .into_iter()
            .filter(|edge| edge.deleted_at.is_none())
            .collect::<Vec<_>>()
    };
    let (mut out, mut into) = (live(out?), live(into?));
    let omitted = out.len().saturating_sub(most) + into.len().saturating_sub(most);
    out.truncate(most);
    into.truncate(most);
    let others = briefs(
        cx,
        out.iter()
            .map(|edge| edge.to_id)
            .chain(into.iter().map(|edge| edge.from_id)),
    )?;
    let seen = |edges: &[Edge], other: fn(&Edge) -> u32| {
        edges
            .iter()
            .filter_map(|edge| Some(Neighbour::new(edge, others.get(&other(edge))?)))
            .collect::<Vec<_>>()
    };
    Ok(Edges {
        incoming: seen(&into, |edge| edge.from_id),
        outgoing: seen(&out, |edge| edge.to_id),
        omitted,
    })
}

/// The live nodes among `ids`, by number.
pub(crate) fn briefs(cx: &Cx, ids: impl Iterator<Item = u32>) -> Step<BTreeMap<u32, NodeBrief>> {
    let mut ids: Vec<u32> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    let keys: Vec<_> = ids.iter().map(|id| node_key(LOCAL, *id)).collect();
    let live = |node: &NodeBrief| node.deleted_at.is_none() && !node.node_type.is_empty();
    Ok(cx
        .rows::<NodeBrief>(&keys)?
        .into_iter()
        .flatten()
        .filter(live)
        .map(|node| (node.id, node))
        .collect())
}

/// The live nodes `ids`, in their order.
pub(crate) fn briefs_in_order(cx: &Cx, ids: &[u32]) -> Step<Vec<NodeBrief>> {
    let mut found = briefs(cx, ids.iter().copied())?;
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

/// Names of the node's themes.
pub(crate) fn themes(cx: &Cx, id: u32) -> Step<Vec<String>> {
    let tags = cx.scan_one::<NodeTheme>(Scan::of("primary").below(node_key(LOCAL, id)))?;
    Ok(tags
        .into_iter()
        .filter(|tag| tag.deleted_at.is_none())
        .map(|tag| tag.theme)
        .collect())
}

/// The node's documents, oldest first.
pub(crate) fn documents(cx: &Cx, id: u32) -> Step<Vec<Document>> {
    let documents =
        cx.scan_one::<Document>(Scan::of("document_by_node").below(node_key(LOCAL, id)))?;
    Ok(documents
        .into_iter()
        .filter(|document| document.deleted_at.is_none())
        .collect())
}

row! {
    /// A node's place in a session.
    pub struct Member in "session_node" {
        node_id: u32,
        deleted_at: Option<i64>,
    }
}

/// The nodes of each session, oldest number first.
pub(crate) fn members(cx: &Cx, sessions: impl Iterator<Item = u32>) -> Step<Vec<Vec<u32>>> {
    let scan = Scan::of("primary").below_each(sessions.map(|id| vec![LOCAL.into(), id.into()]));
    let here = |members: Vec<Member>| {
        let here = members.into_iter().filter(|one| one.deleted_at.is_none());
        here.map(|member| member.node_id).collect()
    };
    Ok(cx.scan::<Member>(scan)?.into_iter().map(here).collect())
}

row! {
    /// Which session this is.
    pub struct SessionName in "session" {
        id: u32,
        change_id: String,
        name: String,
        root_id: u32,
    }
}

/// Everything that goes when a node goes.
pub(crate) struct Hanging {
    pub node: Node,
    /// Edges, oldest first, with the `change_id`s of their ends.
    pub edges: Vec<(Edge, (String, String))>,
    pub tags: Vec<NodeTheme>,
    pub documents: Vec<Document>,
    pub sessions: Vec<(SessionNode, SessionName)>,
}

/// What hangs on the node.
pub(crate) fn hanging(cx: &Cx, node: &Node) -> Step<Hanging> {
    let key = || node_key(LOCAL, node.id);
    let out = cx.scan_one::<Edge>(Scan::of("primary").below(key()));
    let into = cx.scan_one::<Edge>(Scan::of("edge_by_target").below(key()));
    let tags = cx.scan_one::<NodeTheme>(Scan::of("primary").below(key()));
    let documents = documents(cx, node.id);
    let members = cx.scan_one::<SessionNode>(Scan::of("session_node_by_node").below(key()));
    let (out, into, tags, documents, members) = (out?, into?, tags?, documents?, members?);
    let edges = out.into_iter().chain(into);
    let mut edges: Vec<Edge> = edges.filter(|edge| edge.deleted_at.is_none()).collect();
    edges.sort_unstable_by_key(|edge| edge.id);
    let here = members.into_iter().filter(|one| one.deleted_at.is_none());
    let members: Vec<SessionNode> = here.collect();

    let other = |edge: &Edge| {
        if edge.from_id == node.id {
            edge.to_id
        } else {
            edge.from_id
        }
    };
    let others: Vec<_> = edges
        .iter()
        .map(|edge| node_key(LOCAL, other(edge)))
        .collect();
    let ids = members.iter().map(|one| node_key(LOCAL, one.session_id));
    let names = cx.rows::<NodeName>(&others);
    let sessions = cx.rows::<SessionName>(&ids.collect::<Vec<_>>());
    let (names, sessions) = (names?, sessions?);
    let with_ends = |(edge, name): (Edge, Option<NodeName>)| {
        let (here, there) = (node.change_id.clone(), name?.change_id);
        let ends = if edge.from_id == node.id {
            (here, there)
        } else {
            (there, here)
        };
        Some((edge, ends))
    };
    Ok(Hanging {
        node: node.clone(),
        edges: edges.into_iter().zip(names).filter_map(with_ends).collect(),
        tags: tags
            .into_iter()
            .filter(|tag| tag.deleted_at.is_none())
            .collect(),
        documents,
        sessions: members
            .into_iter()
            .zip(sessions)
            .filter_map(|(one, session)| Some((one, session?)))
            .collect(),
    })
}
