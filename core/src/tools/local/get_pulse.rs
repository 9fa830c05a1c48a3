//! `get_pulse`: how the graph is doing.

use crate::answer::Answer;
use crate::args::{Flag, Word};
use crate::around;
use crate::cx::{Cx, Scan, row};
use crate::ledger::{LOCAL, conflict};
use crate::model::NodeBrief;
use crate::pulse::{self, Group, Groups, Orphans};
pub(crate) use crate::pulse::Output;
use crate::refuse::Step;
use crate::rules::health::{self, Few, Health};
use crate::shapes::NodeMark;
use crate::text::folded_words;
use crate::tool::tool;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Open goals and recent nodes that are named.
const NAMED: usize = 10;
/// The first of the fields that a merge decided.
const CONFLICTS: u32 = 5;
/// The newest nodes whose titles are compared.
const TITLES: u32 = 100;

tool! {
    title: "Pulse",
    about: "Check the graph's health before and after work: totals, open goals, recent nodes, orphans, decisions without a choice, goals without an outcome, stale actions, cycles.",
    effect: Read,
    cli: {
        command: &["pulse"],
        summary: "Show how the graph is doing",
        short: &[("branch", "b")],
        examples: &["deciduous pulse", "deciduous pulse -b main", "deciduous pulse --summary"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Only this git branch
    branch: Option<Word>,
    /// Only the counts, without the nodes
    summary: Option<Flag>,
}

row! {
    /// A title to compare.
    pub struct Titled in "node" {
        id: u32,
        node_type: String,
        title: String,
        branch: Option<String>,
        deleted_at: Option<i64>,
    }
}

row! {
    /// How many concurrent edits a merge decided and nobody settled since.
    pub struct Decided in "workspace" {
        conflicts: u32,
    }
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let health = cx.once("health", || {
        let graph = cx.graph(LOCAL)?;
        health::look(&graph, args.branch.as_ref().map(|name| name.0.as_str()), cx.now(), NAMED)
    });
    let newest = cx.scan_one::<Titled>(Scan::of("primary").below(vec![LOCAL.into()]).desc().limit(TITLES));
    let merged = cx.row::<Decided>(vec![LOCAL.into()]);
    let (health, newest, merged) = (health?, newest?, merged?);
    let lists = [&health.goals, &health.recent, &health.orphans, &health.no_choice, &health.no_outcome, &health.stale];
    let briefs = around::briefs(cx, lists.iter().flat_map(|few| few.ids.iter().copied()))?;
    let branch = args.branch.map(|name| name.0);
    let duplicates = same_titles(&newest, branch.as_deref());
    let concurrent_edits = merged.map_or(0, |decided| decided.conflicts as usize);
    let conflicts = if concurrent_edits == 0 { Vec::new() } else { conflict::told(cx, CONFLICTS)? };
    let mut output = told(&health, &briefs, branch, duplicates, (concurrent_edits, conflicts));
    let (lead, next) = pulse::said(&output);
    if args.summary.is_some_and(|flag| flag.0) {
        pulse::leave_counts(&mut output);
    }
    Ok(Answer::new(output).lead(lead).next(next).view(cx, pulse::draw))
}

fn told(health: &Health, briefs: &BTreeMap<u32, NodeBrief>, branch: Option<String>, duplicate_titles: Groups, (concurrent_edits, conflicts): (usize, Vec<conflict::Told>)) -> Output {
    let marks = |few: &Few| few.ids.iter().filter_map(|id| briefs.get(id)).map(NodeMark::from).collect::<Vec<_>>();
    let group = |few: &Few| Group { total: few.total, nodes: marks(few) };
    Output {
        total_nodes: health.nodes,
        total_edges: health.edges,
        branch,
        density: (health.edges * 100 / health.nodes.max(1)) as f64 / 100.0,
        by_type: health.by_type.iter().map(|(kind, count)| (kind.name(), *count)).collect(),
        by_status: health.by_status.iter().map(|(status, count)| (status.name(), *count)).collect(),
        active_goals: group(&health.goals),
        recent: marks(&health.recent),
        orphans: Orphans {
            total: health.orphans.total,
            by_rule: health.by_rule.iter().map(|(rule, count)| (rule.name(), *count)).collect(),
            nodes: marks(&health.orphans),
        },
        decisions_without_choice: group(&health.no_choice),
        goals_without_outcome: group(&health.no_outcome),
        stale_actions: group(&health.stale),
        cycles: Groups { total: health.cycles, nodes: health.cycle.clone() },
        duplicate_edges: Groups { total: health.parallel, nodes: health.pairs.iter().map(|(from, to)| vec![*from, *to]).collect() },
        duplicate_titles,
        concurrent_edits,
        conflicts,
    }
}

/// Nodes of one type that are called the same but for case and punctuation.
fn same_titles(newest: &[Titled], branch: Option<&str>) -> Groups {
    let mut groups: BTreeMap<(&str, String), Vec<u32>> = BTreeMap::new();
    for node in newest.iter().filter(|node| node.deleted_at.is_none() && (branch.is_none() || node.branch.as_deref() == branch)) {
        groups.entry((&node.node_type, folded_words(&node.title))).or_default().push(node.id);
    }
    let mut same: Vec<Vec<u32>> = groups.into_iter().filter(|((_, title), ids)| ids.len() > 1 && !title.is_empty()).map(|(_, ids)| ids).collect();
    same.sort_unstable_by(|a, b| b.cmp(a));
    Groups { total: same.len(), nodes: same.into_iter().take(5).collect() }
}
