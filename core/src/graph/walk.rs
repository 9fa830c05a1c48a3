//! Breadth-first walks: cycle-safe, each node once, at its least depth.

use crate::graph::Graph;
use crate::model::EdgeType;

/// Which edges a walk follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Outgoing,
    Incoming,
    Both,
}

impl Direction {
    pub(crate) const ALL: &'static [Direction] =
        &[Direction::Both, Direction::Outgoing, Direction::Incoming];

    /// The name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Direction::Outgoing => "outgoing",
            Direction::Incoming => "incoming",
            Direction::Both => "both",
        }
    }
}

/// One visited node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Visit {
    pub position: u32,
    pub depth: u32,
    /// The node it was reached from and over which edge; none at the start.
    pub via: Option<(u32, EdgeType)>,
}

/// Visits from `starts` on, down to `max_depth` (none: no bound), over the edges for which `follow` holds.
pub(crate) fn walk(
    graph: &Graph,
    starts: &[u32],
    direction: Direction,
    max_depth: Option<u32>,
    follow: impl Fn(EdgeType) -> bool,
) -> Vec<Visit> {
    let mut seen = vec![false; graph.node_bound()];
    let mut visits = Vec::new();
    for start in starts {
        push(
            &mut visits,
            &mut seen,
            Visit {
                position: *start,
                depth: 0,
                via: None,
            },
        );
    }
    let mut next = 0;
    while let Some(visit) = visits.get(next).copied() {
        next += 1;
        if max_depth.is_some_and(|deepest| visit.depth >= deepest) {
            continue;
        }
        let reach = |(kind, position)| {
            (follow(kind)).then_some(Visit {
                position,
                depth: visit.depth + 1,
                via: Some((visit.position, kind)),
            })
        };
        if direction != Direction::Incoming {
            for reached in graph.out(visit.position).filter_map(reach) {
                push(&mut visits, &mut seen, reached);
            }
        }
        if direction != Direction::Outgoing {
            for reached in graph.into(visit.position).filter_map(reach) {
                push(&mut visits, &mut seen, reached);
            }
        }
    }
    visits
}

fn push(visits: &mut Vec<Visit>, seen: &mut [bool], visit: Visit) {
    if let Some(mark) = seen.get_mut(visit.position as usize)
        && !*mark
    {
        *mark = true;
        visits.push(visit);
    }
}
