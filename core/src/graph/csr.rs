//! Compressed adjacency: for each node, its edges in one run.

use crate::model::EdgeType;

/// One direction of the adjacency.
#[derive(Debug, Default)]
pub(crate) struct Csr {
    starts: Vec<u32>,
    /// Positions of edges, grouped by node.
    edges: Vec<u32>,
    /// Type and other end of each of these, so that a walk reads one run of memory.
    steps: Vec<(EdgeType, u32)>,
}

impl Csr {
    /// Groups the edges by `end(edge)`, skipping those for which it is none; each group is sorted by `order`.
    /// `step` says the type and the other end of the edges that are not skipped.
    pub(crate) fn build<K: Ord>(
        nodes: usize,
        edges: usize,
        end: impl Fn(usize) -> Option<u32>,
        order: impl Fn(u32) -> K,
        step: impl Fn(u32) -> (EdgeType, u32),
    ) -> Self {
        let mut starts = vec![0_u32; nodes + 1];
        for node in (0..edges).filter_map(&end) {
            if let Some(count) = starts.get_mut(node as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut grouped = vec![0_u32; sum as usize];
        for edge in 0..edges {
            let Some(slot) = end(edge).and_then(|node| next.get_mut(node as usize)) else {
                continue;
            };
            if let (Some(cell), Ok(edge)) = (grouped.get_mut(*slot as usize), u32::try_from(edge)) {
                *cell = edge;
                *slot += 1;
            }
        }
        let mut csr = Csr {
            starts,
            edges: grouped,
            steps: Vec::new(),
        }
        .sorted(order);
        csr.steps = csr.edges.iter().map(|edge| step(*edge)).collect();
        csr
    }

    /// The order must not tell a graph read whole from one kept up to date by deltas.
    fn sorted<K: Ord>(mut self, order: impl Fn(u32) -> K) -> Self {
        for bounds in self.starts.windows(2) {
            let [from, to] = bounds else { continue };
            if let Some(group) = self.edges.get_mut(*from as usize..*to as usize)
                && group.len() > 1
                && !group.is_sorted_by_key(|edge| order(*edge))
            {
                group.sort_unstable_by_key(|edge| order(*edge));
            }
        }
        self
    }

    /// How many edges there are.
    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }

    /// Type and other end of a node's edges.
    pub(crate) fn steps(&self, node: u32) -> &[(EdgeType, u32)] {
        let bounds = self
            .starts
            .get(node as usize)
            .zip(self.starts.get(node as usize + 1));
        bounds
            .and_then(|(from, to)| self.steps.get(*from as usize..*to as usize))
            .unwrap_or_default()
    }

    pub(crate) fn edges(&self, node: u32) -> &[u32] {
        let bounds = self
            .starts
            .get(node as usize)
            .zip(self.starts.get(node as usize + 1));
        bounds
            .and_then(|(from, to)| self.edges.get(*from as usize..*to as usize))
            .unwrap_or_default()
    }
}
