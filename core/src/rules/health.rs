//! What a graph lacks: one pass over its columns, on a branch or as a whole.
//!
//! Owns: what counts as open, stale, without an outcome, without a choice. Never: texts.

use crate::graph::{BranchCode, Direction, Graph, walk};
use crate::lookup;
use crate::model::{EdgeType, NodeType, Status};
use crate::refuse::Step;
use crate::rules::orphans::{self, Rule};
use deciduous_boundary::Millis;
use std::collections::BTreeMap;

/// An action that stays open so long without an outcome is stale.
const STALE: Millis = 14 * 24 * 60 * 60 * 1_000;
/// Nodes that a list of health names.
const NAMED: usize = 5;

/// Nodes by local number, of which only the first are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Few {
    pub total: usize,
    pub ids: Vec<u32>,
}

impl Few {
    pub(crate) fn push(&mut self, id: u32, most: usize) {
        self.total += 1;
        if self.ids.len() < most {
            self.ids.push(id);
        }
    }
}

/// What one pass finds; nodes are named newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Health {
    pub nodes: usize,
    pub edges: usize,
    pub by_type: BTreeMap<NodeType, usize>,
    pub by_status: BTreeMap<Status, usize>,
    pub goals: Few,
    pub recent: Few,
    pub orphans: Few,
    pub by_rule: BTreeMap<Rule, usize>,
    pub no_choice: Few,
    pub no_outcome: Few,
    pub stale: Few,
    /// Nodes that lead to each other.
    pub cycles: usize,
    pub cycle: Vec<Vec<u32>>,
    /// Pairs of nodes joined by more than one edge in the same direction.
    pub parallel: usize,
    pub pairs: Vec<(u32, u32)>,
}

/// What a survey finds whatever the time.
#[derive(Debug, Default)]
struct Survey {
    health: Health,
    /// Open actions without an outcome, newest first.
    waiting: Vec<(Millis, u32)>,
}

/// Looks at the nodes on a branch, or at all. `named` says how many goals and recent nodes are named.
pub(crate) fn look(graph: &Graph, branch: Option<&str>, now: Millis, named: usize) -> Step<Health> {
    let code = branch.map(|name| lookup::branch(graph, name)).transpose()?;
    // No branch has a name with a line feed.
    let key = format!("{named}\n{}", branch.unwrap_or("\n"));
    let survey = graph.latest("health", key, |graph| survey(graph, code, named))?;
    let mut health = survey.1.health.clone();
    let old = |(at, _): &&(Millis, u32)| now.saturating_sub(*at) > STALE;
    for (_, id) in survey.1.waiting.iter().filter(old) {
        health.stale.push(*id, NAMED);
    }
    Ok(health)
}

fn survey(graph: &Graph, branch: Option<BranchCode>, named: usize) -> Step<Survey> {
    let mut waiting = Vec::new();
    let mut health = Health::default();
    let broken = graph.derived("orphans", orphans::all)?;
    let reaching = graph.derived("reaching an outcome", reaching_outcomes)?;
    let is_here = |position: u32| {
        branch.is_none_or(|branch| graph.node(position).is_some_and(|node| node.is_on(branch)))
    };
    let mut pending_goals = Few::default();
    let (mut types, mut statuses) = (vec![0; NodeType::ALL.len()], vec![0; Status::ALL.len()]);
    for position in graph.newest()?.iter().copied() {
        let Some(node) = graph.node(position).filter(|_| is_here(position)) else {
            continue;
        };
        let (id, kind, status) = (node.id, node.kind, node.status);
        health.nodes += 1;
        count(&mut types, kind.map(|kind| kind as usize));
        count(&mut statuses, status.map(|status| status as usize));
        health.recent.push(id, named);
        let (stands, open) = (
            status.is_none_or(Status::stands),
            status.is_some_and(Status::is_open),
        );
        match kind {
            Some(NodeType::Goal) => {
                if open && status == Some(Status::Active) {
                    health.goals.push(id, named);
                } else if open {
                    pending_goals.push(id, named);
                }
                if stands && reaching.get(position as usize) != Some(&true) {
                    health.no_outcome.push(id, NAMED);
                }
            }
            Some(NodeType::Decision) if stands && !has_choice(graph, position) => {
                health.no_choice.push(id, NAMED)
            }
            Some(NodeType::Action) if open && !has_outcome(graph, position) => {
                waiting.push((node.created_at, id));
            }
            _ => {}
        }
        edges_from(graph, position, &is_here, &mut health);
    }
    let kinds = NodeType::ALL.iter().copied().zip(types);
    health.by_type = kinds.filter(|(_, count)| *count > 0).collect();
    let states = Status::ALL.iter().copied().zip(statuses);
    health.by_status = states.filter(|(_, count)| *count > 0).collect();
    health.goals.total += pending_goals.total;
    health.goals.ids.extend(pending_goals.ids);
    health.goals.ids.truncate(named);
    for (position, rule) in broken
        .iter()
        .rev()
        .filter(|(position, _)| is_here(*position))
    {
        *health.by_rule.entry(*rule).or_default() += 1;
        health.orphans.push(graph.id(*position), NAMED);
    }
    let cycles = graph.derived("cycles", Graph::cycles)?;
    for cycle in cycles
        .iter()
        .filter(|cycle| cycle.iter().any(|position| is_here(*position)))
    {
        health.cycles += 1;
        if health.cycle.len() < NAMED {
            health.cycle.push(
                cycle
                    .iter()
                    .take(12)
                    .map(|position| graph.id(*position))
                    .collect(),
            );
        }
    }
    Ok(Survey { health, waiting })
}

/// Counting 100 000 nodes into a map takes longer than all the rest.
fn count(counts: &mut [usize], word: Option<usize>) {
    if let Some(count) = word.and_then(|word| counts.get_mut(word)) {
        *count += 1;
    }
}

/// Counts the edges that leave a node; those to the same node stand next to each other.
fn edges_from(graph: &Graph, position: u32, is_here: &dyn Fn(u32) -> bool, health: &mut Health) {
    let (mut last, mut counted) = (None, None);
    for (_, to) in graph.out(position).filter(|(_, to)| is_here(*to)) {
        health.edges += 1;
        if last == Some(to) && counted != Some(to) {
            counted = Some(to);
            health.parallel += 1;
            if health.pairs.len() < NAMED {
                health.pairs.push((graph.id(position), graph.id(to)));
            }
        }
        last = Some(to);
    }
}

/// Whether an option was chosen; people draw that edge in either direction.
pub(crate) fn has_choice(graph: &Graph, decision: u32) -> bool {
    graph
        .into(decision)
        .chain(graph.out(decision))
        .any(|(kind, _)| kind == EdgeType::Chosen)
}

fn has_outcome(graph: &Graph, action: u32) -> bool {
    graph
        .out(action)
        .any(|(_, to)| graph.kind(to) == Some(NodeType::Outcome))
}

/// For each position whether an outcome can be reached from it. What was only borrowed or blocks leads nowhere.
fn reaching_outcomes(graph: &Graph) -> Vec<bool> {
    let outcomes: Vec<u32> = graph
        .live()
        .filter(|(_, node)| node.kind == Some(NodeType::Outcome))
        .map(|(position, _)| position)
        .collect();
    let leads = |kind| !matches!(kind, EdgeType::TookFrom | EdgeType::Blocks);
    let mut reaching = vec![false; graph.node_bound()];
    for visit in walk(graph, &outcomes, Direction::Incoming, None, leads) {
        if let Some(mark) = reaching.get_mut(visit.position as usize) {
            *mark = true;
        }
    }
    reaching
}
