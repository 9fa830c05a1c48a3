//! The part of the graph that a document is about.
//!
//! What a caller names is taken whole. A whole graph that is large is cut to its newest stories: goals, newest first,
//! each with all that follows from it, since a heap of unconnected nodes tells nobody anything.

use crate::args::{LimitOrAll, Picks};
use crate::cx::{Cx, Row, Scan, row};
use crate::graph::{Direction, Graph, walk};
use crate::ledger::LOCAL;
use crate::lookup;
use crate::model::reference::NodeRef;
use crate::model::{EdgeType, NodeType, node_key};
use crate::refuse::{Step, bad_argument, refusal, stop};
use crate::text::{counted, shorten};
use deciduous_boundary::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many nodes of a whole graph are shown unless the caller says: about 20 kB.
const WHOLE: usize = 100;
/// From so many nodes on, reading the whole table is cheaper than naming each row.
const MANY: usize = 2_000;

/// What a caller asked for; `roots` and `nodes` add up.
#[derive(Debug)]
pub(crate) struct Asked {
    pub roots: Option<Picks>,
    pub nodes: Option<Picks>,
    pub limit: Option<LimitOrAll>,
    /// Whether the options weighed for a decision come along with it.
    pub with_options: bool,
}

/// Live nodes by local number, in order.
#[derive(Debug)]
pub(crate) struct Excerpt {
    pub ids: Vec<u32>,
    /// How many there would be without a limit.
    pub total: usize,
    pub truncated: bool,
}

row! {
    /// An edge as documents show it.
    pub struct EdgeLine in "edge" {
        from_id: u32,
        to_id: u32,
        edge_type: String,
        rationale: Option<String>,
        deleted_at: Option<i64>,
    }
}

impl EdgeLine {
    pub(crate) fn kind(&self) -> Option<EdgeType> {
        EdgeType::parse(&self.edge_type)
    }
}

/// One part of `nodes`.
#[derive(Debug, PartialEq)]
enum Pick {
    One(NodeRef),
    Range(u32, u32),
}

impl Excerpt {
    pub(crate) fn of(cx: &Cx, asked: &Asked) -> Step<Arc<Excerpt>> {
        let roots = parts(asked.roots.as_ref(), "roots")?
            .iter()
            .map(|part| reference("roots", part))
            .collect::<Step<Vec<_>>>()?;
        let picks = parts(asked.nodes.as_ref(), "nodes")?
            .iter()
            .map(|part| pick(part))
            .collect::<Step<Vec<_>>>()?;
        cx.once("excerpt", || {
            let graph = cx.graph(LOCAL);
            let roots: Vec<_> = roots.iter().map(|root| lookup::node(cx, root)).collect();
            let ones = picks.iter().filter_map(|pick| match pick {
                Pick::One(node) => Some(lookup::node(cx, node)),
                Pick::Range(..) => None,
            });
            let ones: Vec<_> = ones.collect();
            let graph = graph?;
            let position =
                |node: Step<crate::model::Node>| Ok(graph.position(node?.id).unwrap_or(u32::MAX));
            let roots = roots
                .into_iter()
                .map(position)
                .collect::<Step<Vec<u32>>>()?;
            let mut chosen = Chosen::new(&graph);
            chosen.extend(
                walk(&graph, &roots, Direction::Outgoing, None, |_| true)
                    .iter()
                    .map(|visit| visit.position),
            );
            chosen.extend(ones.into_iter().map(position).collect::<Step<Vec<u32>>>()?);
            for pick in &picks {
                if let Pick::Range(from, to) = pick {
                    chosen.extend(range(&graph, *from, *to)?);
                }
            }
            let whole = asked.roots.is_none() && asked.nodes.is_none();
            let limit = asked.limit.as_ref().map(|limit| limit.0 as usize);
            let limit = limit
                .or(whole.then_some(WHOLE))
                .filter(|limit| *limit > 0)
                .unwrap_or(usize::MAX);
            let total = if whole {
                graph.live().count()
            } else {
                chosen.order.len()
            };
            if whole && total <= limit {
                chosen.extend(graph.live().map(|(position, _)| position));
            } else if whole {
                newest_stories(&graph, &mut chosen, limit)?;
            }
            chosen.order.truncate(limit);
            if asked.with_options {
                chosen.add_options(&graph);
            }
            let mut ids: Vec<u32> = chosen
                .order
                .iter()
                .map(|position| graph.id(*position))
                .collect();
            ids.sort_unstable();
            let truncated = total > limit;
            let total = if truncated { total } else { ids.len() };
            Ok(Excerpt {
                ids,
                total,
                truncated,
            })
        })
    }

    /// How many nodes were left out.
    pub(crate) fn omitted(&self) -> usize {
        if self.truncated {
            self.total - self.ids.len().min(self.total)
        } else {
            0
        }
    }

    /// `40 of 790 nodes`, for a lead.
    pub(crate) fn counted(&self) -> String {
        if self.truncated {
            format!("{} of {}", self.ids.len(), counted(self.total, "node"))
        } else {
            counted(self.ids.len(), "node")
        }
    }

    pub(crate) fn has(&self, id: u32) -> bool {
        self.ids.binary_search(&id).is_ok()
    }

    /// The nodes, in their order.
    pub(crate) fn nodes<R: Row>(&self, cx: &Cx, id: fn(&R) -> u32) -> Step<Vec<R>> {
        if self.ids.len() < MANY {
            let keys: Vec<Vec<Cell>> = self.ids.iter().map(|id| node_key(LOCAL, *id)).collect();
            return Ok(cx.rows::<R>(&keys)?.into_iter().flatten().collect());
        }
        let all = cx.scan_one::<R>(Scan::of("primary").below(vec![LOCAL.into()]))?;
        Ok(all.into_iter().filter(|row| self.has(id(row))).collect())
    }

    /// The live edges among the nodes, by their ends.
    pub(crate) fn edges(&self, cx: &Cx) -> Step<Vec<EdgeLine>> {
        let scan = Scan::of("primary");
        let scan = if self.ids.len() < MANY {
            scan.below_each(self.ids.iter().map(|id| node_key(LOCAL, *id)))
        } else {
            scan.below(vec![LOCAL.into()])
        };
        let edges = cx.scan::<EdgeLine>(scan)?.into_iter().flatten();
        let inside = |edge: &EdgeLine| {
            self.has(edge.from_id)
                && self.has(edge.to_id)
                && edge.deleted_at.is_none()
                && edge.kind().is_some()
        };
        Ok(edges.filter(inside).collect())
    }
}

/// Positions, each once, in the order in which they were chosen.
struct Chosen {
    order: Vec<u32>,
    seen: Vec<bool>,
}

impl Chosen {
    fn new(graph: &Graph) -> Self {
        Chosen {
            order: Vec::new(),
            seen: vec![false; graph.node_bound()],
        }
    }

    fn extend(&mut self, positions: impl IntoIterator<Item = u32>) {
        for position in positions {
            if let Some(mark) = self.seen.get_mut(position as usize).filter(|mark| !**mark) {
                *mark = true;
                self.order.push(position);
            }
        }
    }

    /// Beside each decision the options at its edges, and what it chose or rejected.
    fn add_options(&mut self, graph: &Graph) {
        let mut beside = BTreeSet::new();
        for decision in self
            .order
            .iter()
            .copied()
            .filter(|position| graph.kind(*position) == Some(NodeType::Decision))
        {
            let around = graph.into(decision).chain(graph.out(decision));
            beside.extend(around.filter_map(|(kind, other)| {
                let weighed = matches!(kind, EdgeType::Chosen | EdgeType::Rejected)
                    || graph.kind(other) == Some(NodeType::Option);
                weighed.then_some(other)
            }));
        }
        self.extend(beside);
    }
}

/// Goals, newest first, each with what follows from it, as many as fit whole; the first is cut where it must be.
fn newest_stories(graph: &Graph, chosen: &mut Chosen, limit: usize) -> Step<()> {
    let newest = graph.newest()?;
    for goal in newest
        .iter()
        .copied()
        .filter(|position| graph.kind(*position) == Some(NodeType::Goal))
    {
        let story = walk(graph, &[goal], Direction::Outgoing, None, |_| true);
        let news = story
            .iter()
            .filter(|visit| {
                !chosen
                    .seen
                    .get(visit.position as usize)
                    .copied()
                    .unwrap_or(true)
            })
            .count();
        if !chosen.order.is_empty() && chosen.order.len() + news > limit {
            return Ok(());
        }
        chosen.extend(story.iter().map(|visit| visit.position));
    }
    let room = limit.saturating_sub(chosen.order.len());
    let rest: Vec<u32> = newest
        .iter()
        .copied()
        .filter(|position| !chosen.seen.get(*position as usize).copied().unwrap_or(true))
        .take(room)
        .collect();
    chosen.extend(rest);
    Ok(())
}

fn range(graph: &Graph, from: u32, to: u32) -> Step<Vec<u32>> {
    let found: Vec<u32> = graph
        .live_after(from.saturating_sub(1))
        .take_while(|(_, node)| node.id <= to)
        .map(|(position, _)| position)
        .collect();
    if found.is_empty() {
        return stop(refusal(
            404,
            format!("there is no node in `{from}-{to}`"),
            "list what there is with list_nodes",
        ));
    }
    Ok(found)
}

/// The parts of an argument; given and empty is a mistake, since it would mean the whole graph.
fn parts<'a>(given: Option<&'a Picks>, name: &str) -> Step<&'a [String]> {
    match given {
        None => Ok(&[]),
        Some(Picks(parts)) if parts.is_empty() => stop(bad_argument(
            name,
            "names no node",
            "name one, or leave it out for the whole graph",
        )),
        Some(Picks(parts)) => Ok(parts),
    }
}

fn reference(argument: &str, part: &str) -> Step<NodeRef> {
    let part = part.trim();
    match NodeRef::parse(part) {
        Some(node) => Ok(node),
        None => stop(bad_argument(
            argument,
            format!("holds `{}`, which names no node", shorten(part, 60)),
            "write numbers or ids with commas between, such as `1,42`",
        )),
    }
}

fn pick(part: &str) -> Step<Pick> {
    let Some((from, to)) = ends(part) else {
        return match NodeRef::parse(part.trim()) {
            Some(node) => Ok(Pick::One(node)),
            None => stop(bad_argument(
                "nodes",
                format!(
                    "holds `{}`, which is neither a node nor a range",
                    shorten(part, 60)
                ),
                "write nodes and ranges with commas between, such as `1,3,5-10`",
            )),
        };
    };
    if from > to {
        return stop(bad_argument(
            "nodes",
            format!("holds `{}`, which runs backwards", shorten(part, 60)),
            format!("write `{to}-{from}`"),
        ));
    }
    Ok(Pick::Range(from, to))
}

/// Both ends of a range; a number beyond all that there can be is the greatest.
fn ends(part: &str) -> Option<(u32, u32)> {
    let (from, to) = part.split_once('-')?;
    let number = |text: &str| {
        let text = text.trim();
        let digits = text.strip_prefix('#').unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number
            .then(|| digits.parse().unwrap_or(u32::MAX))
            .filter(|number| *number > 0)
    };
    Some((number(from)?, number(to)?))
}

#[cfg(test)]
mod tests {
    use super::{Pick, ends, pick};
    use crate::model::reference::NodeRef;

    #[test]
    fn parts_are_nodes_or_ranges() {
        assert_eq!(ends("1-11"), Some((1, 11)));
        assert_eq!(ends(" #5 - #10 "), Some((5, 10)));
        assert_eq!(ends("7-99999999999999999999"), Some((7, u32::MAX)));
        assert!(matches!(pick("42"), Ok(Pick::One(NodeRef::Number(42)))));
        assert!(matches!(
            pick("24861a-12"),
            Ok(Pick::One(NodeRef::Prefix(_)))
        ));
        for bad in ["", "5-", "-5", "0-3", "1-2-3", "5..7", "9-3", "1;2", "-"] {
            assert!(pick(bad).is_err(), "{bad}");
        }
    }
}
