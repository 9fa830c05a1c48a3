//! Compressed adjacency: for each node, its edges in one run.
//!
//! A run that changes is written anew behind the last one, so that one edge more does not move all others.

use crate::model::EdgeType;

/// A type and the other end.
type Hop = (EdgeType, u32);

/// Runs longer than so many in all, of which half are of use, are worth writing anew.
const SPARE: usize = 4_096;

/// One direction of the adjacency.
#[derive(Debug, Default)]
pub(crate) struct Csr {
    /// Where each node's run begins, and how long it is.
    runs: Vec<(u32, u32)>,
    /// Positions of edges, grouped by node.
    edges: Vec<u32>,
    /// Type and other end of each of these, so that a walk reads one run of memory.
    steps: Vec<Hop>,
    /// How many of them are in a run.
    used: usize,
}

impl Csr {
    /// Groups the edges by `end(edge)`, skipping those for which it is none; each group is sorted by `order`.
    /// `step` says the type and the other end of the edges that are not skipped.
    pub(crate) fn build<K: Ord>(
        nodes: usize,
        edges: usize,
        end: impl Fn(usize) -> Option<u32>,
        order: impl Fn(u32) -> K,
        step: impl Fn(u32) -> Hop,
    ) -> Self {
        let mut runs = vec![(0_u32, 0_u32); nodes];
        for node in (0..edges).filter_map(&end) {
            if let Some((_, length)) = runs.get_mut(node as usize) {
                *length += 1;
            }
        }
        let mut sum = 0;
        for (start, length) in &mut runs {
            *start = sum;
            sum += *length;
            *length = 0;
        }
        let mut grouped = vec![0_u32; sum as usize];
        for edge in 0..edges {
            let Some((start, length)) = end(edge).and_then(|node| runs.get_mut(node as usize))
            else {
                continue;
            };
            let slot = grouped.get_mut((*start + *length) as usize);
            if let (Some(cell), Ok(edge)) = (slot, u32::try_from(edge)) {
                *cell = edge;
                *length += 1;
            }
        }
        // The order must not tell a graph read whole from one kept up to date by deltas.
        for (start, length) in &runs {
            if let Some(group) = grouped.get_mut(run(*start, *length))
                && group.len() > 1
                && !group.is_sorted_by_key(|edge| order(*edge))
            {
                group.sort_unstable_by_key(|edge| order(*edge));
            }
        }
        Csr {
            steps: grouped.iter().map(|edge| step(*edge)).collect(),
            used: grouped.len(),
            edges: grouped,
            runs,
        }
    }

    /// Adds an edge to a node's run, in its place by `order`.
    pub(crate) fn insert<K: Ord>(
        &mut self,
        node: u32,
        edge: u32,
        step: Hop,
        order: impl Fn(u32) -> K,
    ) {
        let (mut edges, mut steps) = (self.edges(node).to_vec(), self.steps(node).to_vec());
        let at = edges.partition_point(|other| order(*other) < order(edge));
        edges.insert(at, edge);
        steps.insert(at, step);
        self.write(node, &edges, &steps);
    }

    /// Takes an edge out of a node's run, if it is there.
    pub(crate) fn remove(&mut self, node: u32, edge: u32) {
        let (mut edges, mut steps) = (self.edges(node).to_vec(), self.steps(node).to_vec());
        if let Some(at) = edges.iter().position(|other| *other == edge) {
            edges.remove(at);
            steps.remove(at);
            self.write(node, &edges, &steps);
        }
    }

    fn write(&mut self, node: u32, edges: &[u32], steps: &[Hop]) {
        let place = node as usize;
        if self.runs.len() <= place {
            self.runs.resize(place + 1, (0, 0));
        }
        let start = u32::try_from(self.edges.len());
        let length = u32::try_from(edges.len());
        if let (Some(cell), Ok(start), Ok(length)) = (self.runs.get_mut(place), start, length) {
            self.used = self.used + edges.len() - cell.1 as usize;
            *cell = (start, length);
            self.edges.extend_from_slice(edges);
            self.steps.extend_from_slice(steps);
        }
    }

    /// How many edges there are.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Whether more room is lost than used.
    pub(crate) fn is_scattered(&self) -> bool {
        self.edges.len() > 2 * self.used + SPARE
    }

    /// Type and other end of a node's edges.
    pub(crate) fn steps(&self, node: u32) -> &[Hop] {
        let run = self.run(node);
        run.and_then(|run| self.steps.get(run)).unwrap_or_default()
    }

    pub(crate) fn edges(&self, node: u32) -> &[u32] {
        let run = self.run(node);
        run.and_then(|run| self.edges.get(run)).unwrap_or_default()
    }

    fn run(&self, node: u32) -> Option<std::ops::Range<usize>> {
        let (start, length) = self.runs.get(node as usize)?;
        Some(run(*start, *length))
    }
}

fn run(start: u32, length: u32) -> std::ops::Range<usize> {
    start as usize..(start + length) as usize
}
