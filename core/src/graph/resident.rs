//! The columns an instance keeps, by workspace, with what has changed since told as a delta.
//!
//! Positions (`u32`) stand for nodes and edges inside this module and the walks; a node's position is its rank by
//! local number among all nodes, deleted ones included.

use crate::cx::Memo;
use crate::graph::columns::Columns;
use crate::graph::links::{EdgeCells, Links};
use crate::model::{EdgeType, NodeType, Status};
use crate::refuse::Step;
use deciduous_boundary::{ColumnKind, ColumnsFact, Fetch, Millis};
use std::any::Any;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const NODE_COLUMNS: &[(&str, ColumnKind)] = &[
    ("id", ColumnKind::U32),
    ("node_type", ColumnKind::Dict),
    ("status", ColumnKind::Dict),
    ("branch", ColumnKind::Dict),
    ("created_at", ColumnKind::I64),
    ("deleted_at", ColumnKind::Present),
];

const EDGE_COLUMNS: &[(&str, ColumnKind)] = &[
    ("from_id", ColumnKind::U32),
    ("to_id", ColumnKind::U32),
    ("edge_type", ColumnKind::Dict),
    ("deleted_at", ColumnKind::Present),
    ("id", ColumnKind::U32),
];

/// So many numbers without a node are no reason to look nodes up otherwise.
const SPARSE: usize = 65_536;
/// So many changed edges are put in one by one; for more, building anew is quicker.
const FEW: usize = 1_024;
/// Marks a node without a branch.
const NO_BRANCH: u32 = u32::MAX;

/// The graphs of all workspaces asked for so far.
#[derive(Debug, Default)]
pub(crate) struct Resident {
    graphs: BTreeMap<u32, Graph>,
}

/// A branch as the columns name it; valid as long as the graph it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BranchCode(u32);

/// One node's columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeCells {
    pub id: u32,
    pub kind: Option<NodeType>,
    pub status: Option<Status>,
    branch: u32,
    pub created_at: Millis,
    deleted: bool,
}

impl NodeCells {
    /// Neither deleted nor only heard of.
    pub(crate) fn is_live(&self) -> bool {
        !self.deleted && self.kind.is_some()
    }

    pub(crate) fn is_on(&self, branch: BranchCode) -> bool {
        self.branch == branch.0
    }
}

/// One workspace's graph.
#[derive(Debug)]
pub(crate) struct Graph {
    nodes: Vec<NodeCells>,
    links: Links,
    branches: Vec<String>,
    node_seq: i64,
    edge_seq: i64,
    unsettled: bool,
    /// Position by local number, where numbers are dense enough.
    dense: Vec<u32>,
    derived: Memo,
}

impl Resident {
    /// What to ask so that `table`'s columns are up to date.
    pub(crate) fn fetch(&self, workspace: u32, table: &str) -> Fetch {
        let graph = self.graphs.get(&workspace);
        let (columns, since) = match table {
            Graph::NODES => (NODE_COLUMNS, graph.map_or(-1, |graph| graph.node_seq)),
            _ => (EDGE_COLUMNS, graph.map_or(-1, |graph| graph.edge_seq)),
        };
        Fetch::Columns {
            table: table.to_owned(),
            cols: columns
                .iter()
                .map(|(name, kind)| ((*name).to_owned(), *kind))
                .collect(),
            prefix: vec![workspace.into()],
            since,
        }
    }

    pub(crate) fn learn(
        &mut self,
        workspace: u32,
        table: &str,
        fact: &ColumnsFact,
        attachment: &[u8],
    ) -> Result<(), String> {
        let graph = self.graphs.entry(workspace).or_default();
        let columns = Columns::new(fact, attachment);
        // Most calls learn that nothing changed, and that costs nothing.
        if columns.rows() == 0 && graph.knows(table) {
            return Ok(());
        }
        graph.derived.clear();
        match table {
            Graph::NODES => graph.learn_nodes(&columns, fact.seq),
            Graph::EDGES => graph.learn_edges(&columns, fact.seq),
            _ => Err(format!("columns of `{table}` were not asked for")),
        }
    }

    /// Makes the adjacency fit the columns.
    pub(crate) fn settle(&mut self, workspace: u32) {
        self.graphs.entry(workspace).or_default().settle();
    }

    pub(crate) fn is_settled(&self, workspace: u32) -> bool {
        self.graph(workspace).is_some_and(|graph| !graph.unsettled)
    }

    pub(crate) fn graph(&self, workspace: u32) -> Option<&Graph> {
        self.graphs.get(&workspace)
    }
}

impl Default for Graph {
    fn default() -> Self {
        Graph {
            nodes: Vec::new(),
            links: Links::default(),
            branches: Vec::new(),
            node_seq: -1,
            edge_seq: -1,
            unsettled: false,
            dense: Vec::new(),
            derived: Memo::default(),
        }
    }
}

impl Graph {
    const NODES: &'static str = "node";
    const EDGES: &'static str = "edge";
    /// The tables whose columns make a graph.
    pub(crate) const TABLES: [&'static str; 2] = [Graph::NODES, Graph::EDGES];

    /// Whether a table's columns were learned before.
    fn knows(&self, table: &str) -> bool {
        let seq = if table == Graph::NODES {
            self.node_seq
        } else {
            self.edge_seq
        };
        seq >= 0
    }

    fn learn_nodes(&mut self, columns: &Columns, seq: i64) -> Result<(), String> {
        let branches = &mut self.branches;
        let mut branch_code = |name: &str| {
            let position = branches
                .iter()
                .position(|known| known == name)
                .unwrap_or_else(|| {
                    branches.push(name.to_owned());
                    branches.len() - 1
                });
            u32::try_from(position).unwrap_or(NO_BRANCH)
        };
        let cells = columns
            .u32s(0)?
            .zip(columns.dict(1, None, &mut NodeType::parse)?)
            .zip(columns.dict(2, None, &mut Status::parse)?)
            .zip(columns.dict(3, NO_BRANCH, &mut branch_code)?)
            .zip(columns.i64s(4)?)
            .zip(columns.present(5)?)
            .map(
                |(((((id, kind), status), branch), created_at), deleted)| NodeCells {
                    id,
                    kind,
                    status,
                    branch,
                    created_at,
                    deleted,
                },
            );
        let known = self.nodes.len();
        self.nodes.reserve(columns.rows());
        for node in cells {
            let place = self
                .nodes
                .get(..known)
                .and_then(|old| old.binary_search_by_key(&node.id, |old| old.id).ok());
            match place.and_then(|place| self.nodes.get_mut(place)) {
                Some(old) => {
                    // A node that dies or comes back takes its edges along.
                    self.unsettled |= old.is_live() != node.is_live();
                    *old = node;
                }
                None => {
                    self.append(node);
                }
            }
        }
        if !self.nodes.is_sorted_by_key(|node| node.id) {
            self.nodes.sort_unstable_by_key(|node| node.id);
        }
        self.node_seq = seq;
        Ok(())
    }

    /// A new node behind all others has no edges yet, and moves nothing.
    fn append(&mut self, node: NodeCells) {
        let last = self.nodes.last().map_or(0, |node| node.id);
        let position = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let slot = node.id as usize;
        if self.nodes.is_empty() || node.id <= last || self.links.awaits(node.id) {
            self.unsettled = true;
        } else if !self.unsettled && !self.dense.is_empty() {
            if slot <= self.dense.len() + SPARSE {
                self.dense.resize(slot + 1, u32::MAX);
                if let Some(cell) = self.dense.get_mut(slot) {
                    *cell = position;
                }
            } else {
                self.unsettled = true;
            }
        }
        self.nodes.push(node);
    }

    fn learn_edges(&mut self, columns: &Columns, seq: i64) -> Result<(), String> {
        let cells = columns
            .u32s(0)?
            .zip(columns.u32s(1)?)
            .zip(columns.dict(2, None, &mut EdgeType::parse)?)
            .zip(columns.present(3)?)
            .zip(columns.u32s(4)?)
            .map(|((((from_id, to_id), kind), deleted), id)| EdgeCells {
                id,
                from_id,
                to_id,
                kind,
                deleted,
            });
        let few = columns.rows() <= FEW && self.edge_seq >= 0;
        if few && !self.unsettled {
            let (nodes, dense) = (&self.nodes, &self.dense);
            for edge in cells {
                self.links.put(edge, |id| live(nodes, dense, id));
            }
            self.unsettled = self.links.is_scattered();
        } else {
            self.unsettled |= columns.rows() > 0;
            self.links.take(cells);
        }
        self.edge_seq = seq;
        Ok(())
    }

    fn settle(&mut self) {
        if !self.unsettled {
            return;
        }
        self.unsettled = false;
        let greatest = self.nodes.last().map_or(0, |node| node.id as usize);
        self.dense.clear();
        if greatest <= self.nodes.len() * 8 + SPARSE {
            self.dense.resize(greatest + 1, u32::MAX);
            for (position, node) in (0_u32..).zip(&self.nodes) {
                if let Some(cell) = self.dense.get_mut(node.id as usize) {
                    *cell = position;
                }
            }
        }
        let (nodes, dense) = (&self.nodes, &self.dense);
        self.links.build(nodes.len(), |id| live(nodes, dense, id));
    }

    /// What a pass over the whole graph found, kept until the graph changes.
    pub(crate) fn derived<T: Any + Send + Sync>(
        &self,
        name: &'static str,
        make: impl FnOnce(&Graph) -> T,
    ) -> Step<Arc<T>> {
        self.derived.once(name, || Ok(make(self)))
    }

    /// Names of the branches that live nodes stand on, sorted.
    pub(crate) fn branches(&self) -> BTreeSet<&str> {
        let codes: BTreeSet<u32> = self.live().map(|(_, node)| node.branch).collect();
        codes
            .iter()
            .filter_map(|code| self.branches.get(*code as usize))
            .map(String::as_str)
            .collect()
    }

    /// As [`Graph::derived`], for one `key` at a time: the same question is often asked again, for its next page.
    pub(crate) fn latest<T: Any + Send + Sync>(
        &self,
        name: &'static str,
        key: String,
        make: impl FnOnce(&Graph) -> Step<T>,
    ) -> Step<Arc<(String, T)>> {
        self.derived.latest(name, key, || make(self))
    }

    /// Live nodes newest first; of the same time, the greater number first.
    pub(crate) fn newest(&self) -> Step<Arc<Vec<u32>>> {
        self.derived("newest", |graph| {
            let mut order: Vec<u32> = graph.live().map(|(position, _)| position).collect();
            let key = |position: &u32| {
                graph
                    .node(*position)
                    .map(|node| Reverse((node.created_at, node.id)))
            };
            order.sort_unstable_by_key(key);
            order
        })
    }

    /// The position of the node with this local number, deleted ones included.
    pub(crate) fn position(&self, id: u32) -> Option<u32> {
        position(&self.nodes, &self.dense, id)
    }

    pub(crate) fn node(&self, position: u32) -> Option<&NodeCells> {
        self.nodes.get(position as usize)
    }

    /// The local number at a position.
    pub(crate) fn id(&self, position: u32) -> u32 {
        self.node(position).map_or(0, |node| node.id)
    }

    pub(crate) fn kind(&self, position: u32) -> Option<NodeType> {
        self.node(position).and_then(|node| node.kind)
    }

    pub(crate) fn status(&self, position: u32) -> Option<Status> {
        self.node(position).and_then(|node| node.status)
    }

    pub(crate) fn branch(&self, position: u32) -> Option<&str> {
        let code = self.node(position)?.branch;
        self.branches.get(code as usize).map(String::as_str)
    }

    /// The code of a branch that some node, live or not, is on.
    pub(crate) fn branch_code(&self, name: &str) -> Option<BranchCode> {
        let place = self.branches.iter().position(|known| known == name)?;
        u32::try_from(place).ok().map(BranchCode)
    }

    /// Live nodes by position, oldest number first.
    pub(crate) fn live(&self) -> impl DoubleEndedIterator<Item = (u32, &NodeCells)> + Clone {
        self.nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.is_live())
            .filter_map(|(at, node)| Some((u32::try_from(at).ok()?, node)))
    }

    /// Room for one value a node.
    pub(crate) fn node_bound(&self) -> usize {
        self.nodes.len()
    }

    /// Edges that leave a node: (type, the other end).
    pub(crate) fn out(&self, position: u32) -> impl Iterator<Item = (EdgeType, u32)> + Clone + '_ {
        self.links.outgoing().steps(position).iter().copied()
    }

    /// Edges that reach a node: (type, the other end).
    pub(crate) fn into(&self, position: u32) -> impl Iterator<Item = (EdgeType, u32)> + Clone + '_ {
        self.links.incoming().steps(position).iter().copied()
    }

    pub(crate) fn degree(&self, position: u32) -> usize {
        self.links.outgoing().edges(position).len() + self.links.incoming().edges(position).len()
    }

    /// Live nodes whose number is greater than `id`, oldest number first.
    pub(crate) fn live_after(&self, id: u32) -> impl Iterator<Item = (u32, &NodeCells)> {
        let start = self.nodes.partition_point(|node| node.id <= id);
        let behind = self.nodes.iter().enumerate().skip(start);
        behind
            .filter(|(_, node)| node.is_live())
            .filter_map(|(at, node)| Some((u32::try_from(at).ok()?, node)))
    }

    pub(crate) fn live_edge_count(&self) -> usize {
        self.links.outgoing().len()
    }

    /// Live edges with their numbers, in no order that means anything.
    pub(crate) fn edge_cells(&self) -> impl Iterator<Item = &EdgeCells> {
        self.links.seen()
    }

    /// All edges, those that are deleted or not to be seen too; whether each is live.
    pub(crate) fn all_edge_cells(&self) -> impl Iterator<Item = (&EdgeCells, bool)> {
        self.links.all()
    }

    /// The live edges at a node, those that leave it first.
    pub(crate) fn edge_cells_at(&self, position: u32) -> impl Iterator<Item = &EdgeCells> {
        let (out, into) = (
            self.links.outgoing().edges(position),
            self.links.incoming().edges(position),
        );
        out.iter()
            .chain(into)
            .filter_map(|edge| self.links.edge(*edge))
    }

    /// Live edges: (from, type, to) by positions.
    pub(crate) fn live_edges(&self) -> impl Iterator<Item = (u32, EdgeType, u32)> + '_ {
        self.live()
            .flat_map(|(from, _)| self.out(from).map(move |(kind, to)| (from, kind, to)))
    }
}

/// The position of the node with this local number; `dense` is empty where numbers are not.
fn position(nodes: &[NodeCells], dense: &[u32], id: u32) -> Option<u32> {
    if dense.is_empty() {
        let place = nodes.binary_search_by_key(&id, |node| node.id).ok();
        return place.and_then(|place| u32::try_from(place).ok());
    }
    let position = dense.get(id as usize).copied();
    position.filter(|position| *position != u32::MAX)
}

/// As [`position`], of a node that lives.
fn live(nodes: &[NodeCells], dense: &[u32], id: u32) -> Option<u32> {
    let position = position(nodes, dense, id)?;
    let is_live = nodes.get(position as usize).is_some_and(NodeCells::is_live);
    is_live.then_some(position)
}
