//! The edges of one graph and where they lead, kept up to date edge by edge.
//!
//! An edge is seen when it and both its ends live; the others wait, since each may come back.

use crate::graph::csr::Csr;
use crate::model::EdgeType;
use deciduous_boundary::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// One edge's columns; `id` is its local number, which counts up in the order of writing and
/// therefore orders them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EdgeCells {
    pub id: u32,
    pub from_id: u32,
    pub to_id: u32,
    pub kind: Option<EdgeType>,
    pub(super) deleted: bool,
}

type EdgeKey = (u32, u32, Option<EdgeType>);

/// The positions of an edge's ends; none where it is not to be seen.
type Ends = Option<(u32, u32)>;

impl EdgeCells {
    /// The key of the edge's row.
    pub(crate) fn row_key(&self, workspace: u32) -> Vec<Cell> {
        let kind = self.kind.map_or("", EdgeType::name);
        vec![
            workspace.into(),
            self.from_id.into(),
            self.to_id.into(),
            kind.into(),
        ]
    }

    fn key(&self) -> EdgeKey {
        (self.from_id, self.to_id, self.kind)
    }

    /// The positions of both ends, as `live` tells them.
    fn ends(&self, live: impl Fn(u32) -> Option<u32>) -> Ends {
        if self.deleted || self.kind.is_none() {
            return None;
        }
        Some((live(self.from_id)?, live(self.to_id)?))
    }
}

/// Edges by position, with the adjacency of those that are seen.
#[derive(Debug, Default)]
pub(crate) struct Links {
    edges: Vec<EdgeCells>,
    ends: Vec<Ends>,
    /// The edges that are not seen.
    hidden: BTreeMap<EdgeKey, u32>,
    /// Numbers of the nodes for which some of these wait.
    awaited: BTreeSet<u32>,
    out: Csr,
    into: Csr,
}

impl Links {
    pub(super) fn outgoing(&self) -> &Csr {
        &self.out
    }

    pub(super) fn incoming(&self) -> &Csr {
        &self.into
    }

    pub(super) fn edge(&self, edge: u32) -> Option<&EdgeCells> {
        self.edges.get(edge as usize)
    }

    /// Edges that are seen.
    pub(super) fn seen(&self) -> impl Iterator<Item = &EdgeCells> {
        let seen = self.edges.iter().zip(&self.ends);
        seen.filter_map(|(edge, ends)| ends.is_some().then_some(edge))
    }

    /// All edges; whether each is seen.
    pub(super) fn all(&self) -> impl Iterator<Item = (&EdgeCells, bool)> {
        self.edges.iter().zip(self.ends.iter().map(Option::is_some))
    }

    /// Whether an edge would be seen if there were such a node.
    pub(super) fn awaits(&self, id: u32) -> bool {
        self.awaited.contains(&id)
    }

    /// Takes edges in without looking where they lead: [`Links::build`] follows.
    pub(super) fn take(&mut self, news: impl Iterator<Item = EdgeCells>) {
        if self.edges.is_empty() {
            self.edges = news.collect();
            return;
        }
        let mut news: BTreeMap<EdgeKey, EdgeCells> = news.map(|edge| (edge.key(), edge)).collect();
        for edge in &mut self.edges {
            if let Some(new) = news.remove(&edge.key()) {
                *edge = new;
            }
        }
        self.edges.extend(news.into_values());
    }

    /// Finds out anew where all edges lead, among so many nodes.
    pub(super) fn build(&mut self, nodes: usize, live: impl Fn(u32) -> Option<u32>) {
        self.ends = self.edges.iter().map(|edge| edge.ends(&live)).collect();
        self.hidden.clear();
        self.awaited.clear();
        for (at, edge) in (0_u32..).zip(&self.edges) {
            if self.ends.get(at as usize).copied().flatten().is_none() {
                self.hidden.insert(edge.key(), at);
                if !edge.deleted {
                    self.awaited.extend([edge.from_id, edge.to_id]);
                }
            }
        }
        let end = |edge: usize| self.ends.get(edge).copied().flatten();
        let key = |edge: u32| self.edges.get(edge as usize).map(EdgeCells::key);
        let step = |edge: u32, other: fn((u32, u32)) -> u32| {
            let kind = self.edges.get(edge as usize).and_then(|edge| edge.kind);
            // An edge without ends or without a type is in no group.
            let step = kind.zip(end(edge as usize).map(other));
            step.unwrap_or((EdgeType::LeadsTo, u32::MAX))
        };
        let count = self.edges.len();
        let out = Csr::build(
            nodes,
            count,
            |edge| end(edge).map(|(from, _)| from),
            key,
            |edge| step(edge, |(_, to)| to),
        );
        let into = Csr::build(
            nodes,
            count,
            |edge| end(edge).map(|(_, to)| to),
            key,
            |edge| step(edge, |(from, _)| from),
        );
        (self.out, self.into) = (out, into);
    }

    /// Takes one edge in, new or changed, and has it lead where it leads now.
    pub(super) fn put(&mut self, edge: EdgeCells, live: impl Fn(u32) -> Option<u32>) {
        let key = edge.key();
        let ends = edge.ends(&live);
        let place = self.place(&key, &live);
        let at = place.unwrap_or_else(|| {
            self.edges.push(edge);
            self.ends.push(None);
            u32::try_from(self.edges.len() - 1).unwrap_or(u32::MAX)
        });
        let former = self.ends.get(at as usize).copied().flatten();
        if let (Some(cell), Some(old)) = (
            self.edges.get_mut(at as usize),
            self.ends.get_mut(at as usize),
        ) {
            (*cell, *old) = (edge, ends);
        }
        let edges = &self.edges;
        let order = |edge: u32| edges.get(edge as usize).map(EdgeCells::key);
        if let Some((from, to)) = former.filter(|_| former != ends) {
            self.out.remove(from, at);
            self.into.remove(to, at);
        }
        match (ends, edge.kind) {
            (Some((from, to)), Some(kind)) => {
                if former != ends {
                    self.out.insert(from, at, (kind, to), order);
                    self.into.insert(to, at, (kind, from), order);
                }
                self.hidden.remove(&key);
            }
            _ => {
                self.hidden.insert(key, at);
                if !edge.deleted {
                    self.awaited.extend([edge.from_id, edge.to_id]);
                }
            }
        }
    }

    fn place(&self, key: &EdgeKey, live: impl Fn(u32) -> Option<u32>) -> Option<u32> {
        if let Some(at) = self.hidden.get(key) {
            return Some(*at);
        }
        let group = self.out.edges(live(key.0)?);
        let order = |edge: &u32| self.edge(*edge).map(EdgeCells::key);
        let at = group.binary_search_by_key(&Some(*key), order).ok()?;
        group.get(at).copied()
    }

    /// Whether so much was moved about that building anew takes less room.
    pub(super) fn is_scattered(&self) -> bool {
        self.out.is_scattered() || self.into.is_scattered()
    }
}
