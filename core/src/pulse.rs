//! The state of a graph: what `get_pulse` answers, how it reads, and how it is drawn.
//!
//! Owns: the order in which gaps are named. Never: what is one (`rules::health`).

use crate::ledger::conflict::Told;
use crate::model::NodeType;
use crate::render::view::{Page, glyph, plain, tone};
use crate::shapes::NodeMark;
use crate::text::{counted, shorten};
use serde::Serialize;
use std::collections::BTreeMap;

/// Nodes of one kind: how many there are, and the newest of them.
#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Group {
    pub total: usize,
    pub nodes: Vec<NodeMark>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Orphans {
    pub total: usize,
    pub by_rule: BTreeMap<&'static str, usize>,
    pub nodes: Vec<NodeMark>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Groups {
    pub total: usize,
    /// Local numbers of the first of them.
    pub nodes: Vec<Vec<u32>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    pub total_nodes: usize,
    pub total_edges: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Edges for each node.
    pub density: f64,
    pub by_type: BTreeMap<&'static str, usize>,
    pub by_status: BTreeMap<&'static str, usize>,
    pub active_goals: Group,
    pub recent: Vec<NodeMark>,
    pub orphans: Orphans,
    pub decisions_without_choice: Group,
    pub goals_without_outcome: Group,
    pub stale_actions: Group,
    pub cycles: Groups,
    /// Pairs joined by several edges.
    pub duplicate_edges: Groups,
    /// Among the newest nodes.
    pub duplicate_titles: Groups,
    /// Decided by a merge, and not settled since.
    pub concurrent_edits: usize,
    /// The first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Told>,
}

/// The lead, and what to do next.
pub(crate) fn said(output: &Output) -> (String, String) {
    let on = output
        .branch
        .as_ref()
        .map_or(String::new(), |branch| format!(" | branch: {branch}"));
    let mut lead = format!(
        "total_nodes: {} | total_edges: {}{on}",
        output.total_nodes, output.total_edges
    );
    if output.total_nodes == 0 {
        return (lead, "add_node goal for what is to be reached".to_owned());
    }
    let types: Vec<String> = in_order(&output.by_type)
        .map(|(kind, count)| format!("{}: {count}", kind.name()))
        .collect();
    lead.push_str(&format!("\nBy type: {}", types.join(", ")));
    if output.active_goals.total > 0 {
        let goals: Vec<String> = output
            .active_goals
            .nodes
            .iter()
            .map(|goal| format!("#{} \"{}\"", goal.id, shorten(&goal.title, 60)))
            .collect();
        let more = output.active_goals.total.saturating_sub(goals.len());
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        lead.push_str(&format!("\nActive goals: {}{more}", goals.join(", ")));
    }
    let gaps = gaps(output);
    let named: Vec<String> = gaps
        .iter()
        .map(|gap| format!("{} {}", gap.count, gap.what))
        .collect();
    lead.push_str(&format!(
        "\nGaps: {}",
        if named.is_empty() {
            "none".to_owned()
        } else {
            named.join(", ")
        }
    ));
    (
        lead,
        gaps.first()
            .map_or(String::new(), |gap| gap.next.to_owned()),
    )
}

/// Keeps the numbers and leaves out the nodes behind them.
pub(crate) fn leave_counts(output: &mut Output) {
    output.recent.clear();
    output.conflicts.clear();
    for group in [
        &mut output.active_goals,
        &mut output.decisions_without_choice,
        &mut output.goals_without_outcome,
        &mut output.stale_actions,
    ] {
        group.nodes.clear();
    }
    output.orphans.nodes.clear();
    for groups in [
        &mut output.cycles,
        &mut output.duplicate_edges,
        &mut output.duplicate_titles,
    ] {
        groups.nodes.clear();
    }
}

/// Something that wants care.
struct Gap<'a> {
    count: usize,
    what: String,
    next: &'static str,
    nodes: Vec<String>,
    marks: &'a [NodeMark],
}

/// What wants care, the most urgent first; nothing that is well.
fn gaps(output: &Output) -> Vec<Gap<'_>> {
    let numbers = |groups: &Groups, between: &str| {
        groups
            .nodes
            .iter()
            .map(|ids| {
                ids.iter()
                    .map(|id| format!("#{id}"))
                    .collect::<Vec<_>>()
                    .join(between)
            })
            .collect::<Vec<_>>()
    };
    let listed = |count: usize, (one, more): (&str, &str), next, marks| Gap {
        count,
        what: if count == 1 { one } else { more }.to_owned(),
        next,
        nodes: Vec::new(),
        marks,
    };
    let grouped = |groups: &Groups, what, next, between| Gap {
        nodes: numbers(groups, between),
        ..listed(groups.total, what, next, &[])
    };
    let mut gaps = vec![
        listed(
            output.orphans.total,
            ("orphan", "orphans"),
            "find_orphans says which rule each breaks and offers parents",
            &output.orphans.nodes,
        ),
        grouped(
            &output.cycles,
            ("cycle", "cycles"),
            "unlink_nodes where one of the edges is the wrong way round",
            " -> ",
        ),
        listed(
            output.decisions_without_choice.total,
            (
                "decision without a chosen option",
                "decisions without a chosen option",
            ),
            "link_nodes option -> decision with edge_type `chosen` where a choice was made",
            &output.decisions_without_choice.nodes,
        ),
        listed(
            output.goals_without_outcome.total,
            ("goal without an outcome", "goals without an outcome"),
            "add_node outcome where one is known",
            &output.goals_without_outcome.nodes,
        ),
        listed(
            output.stale_actions.total,
            ("stale action", "stale actions"),
            "update_status of actions that are done or abandoned",
            &output.stale_actions.nodes,
        ),
        grouped(
            &output.duplicate_titles,
            (
                "title twice among the newest nodes",
                "titles twice among the newest nodes",
            ),
            "link_nodes or delete_node what was recorded twice",
            " ",
        ),
        grouped(
            &output.duplicate_edges,
            ("pair of nodes joined twice", "pairs of nodes joined twice"),
            "unlink_nodes what says the same twice",
            " -> ",
        ),
    ];
    gaps.push(listed(
        output.concurrent_edits,
        (
            "concurrent edit that a merge decided",
            "concurrent edits that a merge decided",
        ),
        "write anew what should stand, with update_node",
        &[],
    ));
    gaps.retain(|gap| gap.count > 0);
    gaps
}

/// Types in the order of the flow.
fn in_order<'a>(
    counts: &'a BTreeMap<&'static str, usize>,
) -> impl Iterator<Item = (NodeType, usize)> + 'a {
    NodeType::ALL
        .iter()
        .filter_map(|kind| Some((*kind, *counts.get(kind.name())?)))
}

pub(crate) fn draw(page: &mut Page, output: &Output) {
    let on = output
        .branch
        .as_ref()
        .map_or(String::new(), |branch| format!(" on {branch}"));
    page.line(vec![
        tone(
            "strong",
            format!(
                "{}, {}{on}",
                counted(output.total_nodes, "node"),
                counted(output.total_edges, "edge")
            ),
        ),
        tone("dim", format!("  {:.2} edges a node", output.density)),
    ]);
    let mut types = Vec::new();
    for (kind, count) in in_order(&output.by_type) {
        types.extend([
            glyph(kind.name(), kind.name()),
            plain(format!(" {count}   ")),
        ]);
    }
    page.line(types);
    let statuses: Vec<String> = output
        .by_status
        .iter()
        .map(|(status, count)| format!("{status} {count}"))
        .collect();
    page.line(vec![tone("dim", statuses.join(" · "))]);
    if output.active_goals.nodes.is_empty() && output.active_goals.total > 0 {
        page.line(vec![tone(
            "dim",
            counted(output.active_goals.total, "open goal"),
        )]);
    } else if !output.active_goals.nodes.is_empty() {
        page.heading(format!("Open goals ({})", output.active_goals.total));
        output
            .active_goals
            .nodes
            .iter()
            .for_each(|goal| node(page, goal));
    }
    if !output.recent.is_empty() {
        page.heading("Lately");
        output.recent.iter().for_each(|one| node(page, one));
    }
    let gaps = gaps(output);
    page.heading("Wants care");
    if gaps.is_empty() {
        page.indented(1, vec![glyph("good", "nothing: every node has its place")]);
    }
    for gap in gaps {
        page.indented(
            1,
            vec![glyph("warn", format!("{} {}", gap.count, gap.what))],
        );
        for mark in gap.marks.iter().take(3) {
            page.node(2, &mark.node_type, mark.id, &mark.title, &mark.status);
        }
        if !gap.nodes.is_empty() {
            page.indented(2, vec![plain(gap.nodes.join("   "))]);
        }
    }
}

fn node(page: &mut Page, mark: &NodeMark) {
    page.node(1, &mark.node_type, mark.id, &mark.title, &mark.status);
}
