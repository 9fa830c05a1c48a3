//! A git branch summed up: what `get_branch_summary` answers.
//!
//! Owns: which decisions, open ends and loans of a branch are named. Never: what is open or stale (`rules::health`).

use crate::answer::Answer;
use crate::around;
use crate::chain::Reason;
use crate::cx::Cx;
use crate::graph::{BranchCode, Graph};
use crate::ledger::LOCAL;
use crate::lookup;
use crate::model::{EdgeType, NodeBrief, NodeType};
use crate::pulse::Group;
use crate::refuse::Step;
use crate::render::view::{Page, glyph, plain, title, tone};
use crate::rules::choices::{self, Choice, Verdict};
use crate::rules::health::{self, Few, Health};
use crate::shapes::NodeMark;
use crate::text::{counted, shorten};
use crate::time;
use serde::Serialize;
use std::collections::BTreeMap;

/// Decisions, borrowed nodes, goals and recent nodes that are named.
const NAMED: usize = 12;
/// Options named for each decision.
const OPTIONS: usize = 6;

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Decision {
    id: u32,
    title: String,
    status: String,
    chosen: Vec<NodeMark>,
    rejected: Vec<NodeMark>,
    considered: Vec<NodeMark>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Borrowed {
    from_id: u32,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_branch: Option<String>,
    to_id: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    rationale: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct OpenEnds {
    goals: Group,
    decisions_without_choice: Group,
    goals_without_outcome: Group,
    stale_actions: Group,
    orphans: Group,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    branch: String,
    total_nodes: usize,
    /// Between nodes of the branch.
    total_edges: usize,
    by_type: BTreeMap<&'static str, usize>,
    by_status: BTreeMap<&'static str, usize>,
    first_at: String,
    last_at: String,
    decisions_total: usize,
    decisions: Vec<Decision>,
    recent: Vec<NodeMark>,
    open: OpenEnds,
    borrowed_total: usize,
    borrowed: Vec<Borrowed>,
    /// Nodes of other branches that took from this one.
    lent_total: usize,
}

/// What the columns say, by local numbers.
#[derive(Debug, Default)]
struct Summary {
    health: Health,
    first: i64,
    last: i64,
    decisions: Few,
    choices: BTreeMap<u32, Vec<Choice>>,
    /// (from, to) of what was taken from elsewhere.
    borrowed: Vec<(u32, u32)>,
    borrowed_total: usize,
    lent: usize,
}

pub(crate) fn answer(cx: &Cx, name: String) -> Step<Answer<Output>> {
    let summary = cx.once("summary", || {
        let graph = cx.graph(LOCAL)?;
        let branch = lookup::branch(&graph, &name)?;
        sum_up(
            &graph,
            branch,
            health::look(&graph, Some(&name), cx.now(), NAMED)?,
        )
    })?;
    let health = &summary.health;
    let lists = [
        &health.goals,
        &health.recent,
        &health.orphans,
        &health.no_choice,
        &health.no_outcome,
        &health.stale,
        &summary.decisions,
    ];
    let ids = lists.iter().flat_map(|few| few.ids.iter().copied());
    let ids = ids
        .chain(
            summary
                .choices
                .values()
                .flatten()
                .map(|choice| choice.option),
        )
        .chain(summary.borrowed.iter().flat_map(|(from, to)| [*from, *to]));
    let keys: Vec<_> = summary
        .borrowed
        .iter()
        .map(|(from, to)| {
            vec![
                LOCAL.into(),
                (*from).into(),
                (*to).into(),
                EdgeType::TookFrom.name().into(),
            ]
        })
        .collect();
    let (briefs, reasons) = (around::briefs(cx, ids), cx.rows::<Reason>(&keys));
    let output = told(name, &summary, &briefs?, reasons?);
    let lead = format!(
        "Branch {}: {}, {}, {}; from {} to {}. {} borrowed from elsewhere.",
        output.branch,
        counted(output.total_nodes, "node"),
        counted(output.decisions_total, "decision"),
        counted(output.open.goals.total, "open goal"),
        time::show_day(summary.first),
        time::show_day(summary.last),
        output.borrowed_total,
    );
    let next = format!(
        "list_nodes or get_timeline with `branch: {}` lists all of it; generate_writeup makes a pull request's text",
        shorten(&output.branch, 80)
    );
    Ok(Answer::new(output).lead(lead).next(next).view(cx, draw))
}

fn sum_up(graph: &Graph, branch: BranchCode, health: Health) -> Step<Summary> {
    let mut summary = Summary {
        health,
        first: i64::MAX,
        last: i64::MIN,
        ..Summary::default()
    };
    let is_here = |position| graph.node(position).is_some_and(|node| node.is_on(branch));
    for position in graph
        .newest()?
        .iter()
        .copied()
        .filter(|position| is_here(*position))
    {
        let Some(node) = graph.node(position) else {
            continue;
        };
        (summary.first, summary.last) = (
            summary.first.min(node.created_at),
            summary.last.max(node.created_at),
        );
        if node.kind == Some(NodeType::Decision) {
            summary.decisions.push(node.id, NAMED);
            if summary.decisions.ids.last() == Some(&node.id) {
                let choices = choices::options(graph, position)
                    .into_iter()
                    .take(OPTIONS)
                    .collect();
                summary.choices.insert(node.id, choices);
            }
        }
        for (_, from) in graph
            .into(position)
            .filter(|(kind, from)| *kind == EdgeType::TookFrom && !is_here(*from))
        {
            summary.borrowed_total += 1;
            if summary.borrowed.len() < NAMED {
                summary.borrowed.push((graph.id(from), node.id));
            }
        }
        summary.lent += graph
            .out(position)
            .filter(|(kind, to)| *kind == EdgeType::TookFrom && !is_here(*to))
            .count();
    }
    Ok(summary)
}

fn told(
    branch: String,
    summary: &Summary,
    briefs: &BTreeMap<u32, NodeBrief>,
    reasons: Vec<Option<Reason>>,
) -> Output {
    let health = &summary.health;
    let marks = |few: &Few| {
        few.ids
            .iter()
            .filter_map(|id| briefs.get(id))
            .map(NodeMark::from)
            .collect::<Vec<_>>()
    };
    let group = |few: &Few| Group {
        total: few.total,
        nodes: marks(few),
    };
    let decisions = summary
        .decisions
        .ids
        .iter()
        .filter_map(|id| Some((briefs.get(id)?, summary.choices.get(id)?)))
        .map(|(node, choices)| {
            let of = |verdict: Verdict| {
                choices
                    .iter()
                    .filter(|choice| choice.verdict == verdict)
                    .filter_map(|choice| briefs.get(&choice.option))
                    .map(NodeMark::from)
                    .collect()
            };
            Decision {
                id: node.id,
                title: node.title.clone(),
                status: node.status.clone(),
                chosen: of(Verdict::Chosen),
                rejected: of(Verdict::Rejected),
                considered: of(Verdict::Considered),
            }
        });
    let borrowed = summary
        .borrowed
        .iter()
        .zip(reasons)
        .filter_map(|((from, to), reason)| {
            let node = briefs.get(from)?;
            Some(Borrowed {
                from_id: *from,
                title: node.title.clone(),
                from_branch: node.branch.clone(),
                to_id: *to,
                rationale: reason.and_then(|reason| reason.rationale),
            })
        });
    Output {
        branch,
        total_nodes: health.nodes,
        total_edges: health.edges,
        by_type: health
            .by_type
            .iter()
            .map(|(kind, count)| (kind.name(), *count))
            .collect(),
        by_status: health
            .by_status
            .iter()
            .map(|(status, count)| (status.name(), *count))
            .collect(),
        first_at: time::show(summary.first),
        last_at: time::show(summary.last),
        decisions_total: summary.decisions.total,
        decisions: decisions.collect(),
        recent: marks(&health.recent),
        open: OpenEnds {
            goals: group(&health.goals),
            decisions_without_choice: group(&health.no_choice),
            goals_without_outcome: group(&health.no_outcome),
            stale_actions: group(&health.stale),
            orphans: group(&health.orphans),
        },
        borrowed_total: summary.borrowed_total,
        borrowed: borrowed.collect(),
        lent_total: summary.lent,
    }
}

fn draw(page: &mut Page, output: &Output) {
    page.line(vec![
        tone("strong", output.branch.as_str()),
        tone(
            "dim",
            format!(
                "  {}, {} · {} to {}",
                counted(output.total_nodes, "node"),
                counted(output.total_edges, "edge"),
                day(&output.first_at),
                day(&output.last_at)
            ),
        ),
    ]);
    if !output.decisions.is_empty() {
        page.heading(format!("Decisions ({})", output.decisions_total));
    }
    for decision in &output.decisions {
        page.node(
            1,
            NodeType::Decision.name(),
            decision.id,
            &decision.title,
            &decision.status,
        );
        for (sign, options) in [
            ("good", &decision.chosen),
            ("bad", &decision.rejected),
            ("dim", &decision.considered),
        ] {
            options.iter().for_each(|option| {
                page.indented(
                    3,
                    vec![
                        glyph(sign, format!("#{} ", option.id)),
                        title(&option.title, &option.status),
                    ],
                )
            });
        }
    }
    let open = &output.open;
    let ends = [
        ("Open goals", &open.goals),
        ("Goals without an outcome", &open.goals_without_outcome),
        ("Stale actions", &open.stale_actions),
        ("Orphans", &open.orphans),
    ];
    let lately = Group {
        total: output.recent.len(),
        nodes: output.recent.clone(),
    };
    for (name, group) in [("Lately", &lately)]
        .into_iter()
        .chain(ends)
        .filter(|(_, group)| group.total > 0)
    {
        page.heading(format!("{name} ({})", group.total));
        group
            .nodes
            .iter()
            .for_each(|one| page.node(1, &one.node_type, one.id, &one.title, &one.status));
    }
    if !output.borrowed.is_empty() {
        page.heading(format!("Borrowed ({})", output.borrowed_total));
    }
    for one in &output.borrowed {
        page.indented(
            1,
            vec![
                plain(format!("#{} {} → #{}", one.from_id, one.title, one.to_id)),
                tone(
                    "dim",
                    one.from_branch
                        .as_ref()
                        .map_or(String::new(), |branch| format!("  from {branch}")),
                ),
            ],
        );
    }
}

fn day(at: &str) -> &str {
    at.get(..10).unwrap_or(at)
}
