//! Lets petgraph's algorithms run over [`Graph`].

use crate::graph::Graph;
use crate::model::EdgeType;
use fixedbitset::FixedBitSet;
use petgraph::Direction;
use petgraph::visit::{
    GraphBase, GraphRef, IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers, NodeIndexable,
    Visitable,
};

/// A borrowed graph, as petgraph wants it: `Copy`.
#[derive(Clone, Copy)]
pub(crate) struct View<'a>(pub &'a Graph);

impl GraphBase for View<'_> {
    type NodeId = u32;
    type EdgeId = (u32, u32);
}

impl GraphRef for View<'_> {}

impl NodeIndexable for View<'_> {
    fn node_bound(&self) -> usize {
        self.0.node_bound()
    }
    fn to_index(&self, node: u32) -> usize {
        node as usize
    }
    fn from_index(&self, index: usize) -> u32 {
        u32::try_from(index).unwrap_or(u32::MAX)
    }
}

impl<'a> IntoNeighbors for View<'a> {
    type Neighbors = Box<dyn Iterator<Item = u32> + 'a>;
    fn neighbors(self, node: u32) -> Self::Neighbors {
        Box::new(self.0.out(node).map(|(_, to)| to))
    }
}

impl<'a> IntoNeighborsDirected for View<'a> {
    type NeighborsDirected = Box<dyn Iterator<Item = u32> + 'a>;
    fn neighbors_directed(self, node: u32, direction: Direction) -> Self::NeighborsDirected {
        match direction {
            Direction::Outgoing => self.neighbors(node),
            Direction::Incoming => Box::new(self.0.into(node).map(|(_, from)| from)),
        }
    }
}

impl<'a> IntoNodeIdentifiers for View<'a> {
    type NodeIdentifiers = Box<dyn Iterator<Item = u32> + 'a>;
    fn node_identifiers(self) -> Self::NodeIdentifiers {
        Box::new(self.0.live().map(|(position, _)| position))
    }
}

impl Visitable for View<'_> {
    type Map = FixedBitSet;
    fn visit_map(&self) -> Self::Map {
        FixedBitSet::with_capacity(self.0.node_bound())
    }
    fn reset_map(&self, map: &mut Self::Map) {
        map.clear();
    }
}

impl Graph {
    /// Groups of nodes that reach each other, each sorted by position, the group with the first node first.
    /// Two nodes of which one took from the other are no cycle.
    pub(crate) fn cycles(&self) -> Vec<Vec<u32>> {
        if self.is_acyclic() {
            return Vec::new();
        }
        let borrowed = |group: &Vec<u32>| {
            let [a, b] = group.as_slice() else {
                return false;
            };
            let took = |from: u32, to: u32| {
                self.out(from)
                    .any(|(kind, end)| end == to && kind == EdgeType::TookFrom)
            };
            took(*a, *b) || took(*b, *a)
        };
        let mut groups: Vec<Vec<u32>> = petgraph::algo::kosaraju_scc(View(self))
            .into_iter()
            .filter(|group| group.len() > 1 && !borrowed(group))
            .collect();
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort_unstable();
        groups
    }

    /// Takes away, one after the other, nodes that nothing leads to; in most graphs none stays, and that is found
    /// much sooner than the groups above.
    fn is_acyclic(&self) -> bool {
        let mut left = vec![0_u32; self.node_bound()];
        for (_, _, to) in self.live_edges() {
            if let Some(count) = left.get_mut(to as usize) {
                *count += 1;
            }
        }
        let mut free: Vec<u32> = self
            .live()
            .map(|(position, _)| position)
            .filter(|position| left.get(*position as usize) == Some(&0))
            .collect();
        let mut next = 0;
        while let Some(position) = free.get(next).copied() {
            next += 1;
            for (_, to) in self.out(position) {
                if let Some(count) = left.get_mut(to as usize) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(to);
                    }
                }
            }
        }
        free.len() == self.live().count()
    }
}
