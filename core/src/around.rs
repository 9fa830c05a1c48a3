//! What stands around nodes: live neighbours over live edges, themes, documents.

use crate::cx::{Cx, Scan, row};
use crate::ledger::LOCAL;
use crate::model::{Document, Edge, Node, NodeBrief, NodeName, NodeTheme, SessionNode, node_key};
use crate::refuse::Step;
use crate::shapes::Neighbour;
use std::collections::BTreeMap;

/// Removed edges among those of a hub that are skipped before it is counted.
const SPARE: u32 = 64;

row! {
    /// An edge as it is seen from its ends.
    pub struct Seen in "edge" {
        from_id: u32,
        to_id: u32,
        edge_type: String,
        rationale: Option<String>,
        deleted_at: Option<i64>,
    }
}

row! {
    /// An edge without its texts.
    pub struct EdgeMark in "edge" {
        to_id: u32,
        edge_type: String,
        deleted_at: Option<i64>,
    }
}

/// The live edges at a node, before the other ends are known.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    pub incoming: Vec<Seen>,
    pub outgoing: Vec<Seen>,
    /// How many of each there are beyond the bound asked for.
    pub omitted: usize,
}

/// The live edges at a node, each with its other end.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    pub incoming: Vec<Neighbour>,
    pub outgoing: Vec<Neighbour>,
    /// How many of each there are beyond the bound asked for.
    pub omitted: usize,
}

/// The edges at `id`, oldest neighbour first, at most `most` in each direction: a hub has thousands, and the rest of
/// them are counted, not read.
pub(crate) fn ends(cx: &Cx, id: u32, most: usize) -> Step<Ends> {
    let out = side(cx, "primary", id, most);
    let into = side(cx, "edge_by_target", id, most);
    let ((outgoing, more_out), (incoming, more_in)) = (out?, into?);
    Ok(Ends {
        incoming,
        outgoing,
        omitted: more_out + more_in,
    })
}

fn side(cx: &Cx, index: &'static str, id: u32, most: usize) -> Step<(Vec<Seen>, usize)> {
    let limit = u32::try_from(most)
        .unwrap_or(u32::MAX)
        .saturating_add(SPARE);
    let read = cx.scan_one::<Seen>(Scan::of(index).below(node_key(LOCAL, id)).limit(limit))?;
    let all = if read.len() < limit as usize {
        read.len()
    } else {
        cx.count::<Seen>(index, node_key(LOCAL, id))? as usize
    };
    let removed = read.iter().filter(|edge| edge.deleted_at.is_some()).count();
    let mut live: Vec<Seen> = read
        .into_iter()
        .filter(|edge| edge.deleted_at.is_none())
        .collect();
    live.truncate(most);
    let omitted = all.saturating_sub(removed + live.len());
    Ok((live, omitted))
}

/// As [`ends`], with what stands at the other ends.
pub(crate) fn edges(cx: &Cx, id: u32, most: usize) -> Step<Edges> {
    let ends = ends(cx, id, most)?;
    let others = briefs(cx, ends.others())?;
    Ok(ends.named(&others))
}

impl Ends {
    /// Numbers of the nodes at the other ends.
    pub(crate) fn others(&self) -> impl Iterator<Item = u32> + '_ {
        let into = self.incoming.iter().map(|edge| edge.from_id);
        self.outgoing.iter().map(|edge| edge.to_id).chain(into)
    }

    pub(crate) fn named(self, others: &BTreeMap<u32, NodeBrief>) -> Edges {
        let seen = |edges: Vec<Seen>, other: fn(&Seen) -> u32| {
            let named = edges
                .into_iter()
                .filter_map(|edge| Some(Neighbour::new(others.get(&other(&edge))?, edge)));
            named.collect::<Vec<_>>()
        };
        Edges {
            incoming: seen(self.incoming, |edge| edge.from_id),
            outgoing: seen(self.outgoing, |edge| edge.to_id),
            omitted: self.omitted,
        }
    }
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
