//! `check_activity`: who is writing where, and what came last on each branch.

use crate::answer::Answer;
use crate::args::{Branches, Word};
use crate::around;
use crate::cx::{Cx, Scan};
use crate::ledger::{LOCAL, lease_stands};
use crate::model::Lease;
use crate::page::Pages;
use crate::refuse::Step;
use crate::render::view::{glyph, plain, title, tone};
use crate::shapes::NodeItem;
use crate::time;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Branches named when the caller says nothing.
const BRANCHES: u32 = 20;
/// Leases shown; more writers at once than that are only counted.
const LEASES: usize = 200;

tool! {
    title: "Check activity",
    about: "See who wrote to which branch in the last five minutes, and the newest node of each branch, before working on one.",
    effect: Read,
    cli: {
        command: &["activity"],
        summary: "Show who works where",
        short: &[("branches", "n")],
        examples: &["deciduous activity"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// How many branches, 0-200 (default 20)
    branches: Option<Branches>,
    /// From the former page
    cursor: Option<Word>,
}

/// Somebody's work on a branch.
#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Held {
    branch: String,
    client: String,
    expires_at: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    leases: Vec<Held>,
    leases_total: usize,
    /// Newest node of each branch, newest first.
    branches: Vec<NodeItem>,
    total: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let limit = args.branches.map_or(BRANCHES, |branches| branches.0);
    let pages = Pages::read(Some(limit), args.cursor)?;
    let leases = cx.scan_one::<Lease>(Scan::of("primary").below(vec![LOCAL.into()]));
    let newest = cx.graph(LOCAL);
    let (leases, graph) = (leases?, newest?);
    let mut seen = BTreeSet::new();
    let mut newest = Vec::new();
    for position in graph.newest()?.iter().copied() {
        if graph.branch(position).is_some_and(|branch| seen.insert(branch)) {
            newest.push(graph.id(position));
        }
    }
    let shown = around::briefs_in_order(cx, pages.slice(&newest))?;
    let live: Vec<Lease> = leases.into_iter().filter(|lease| lease_stands(lease.expires_at, cx.now())).collect();
    let held = |lease: &Lease| Held { branch: lease.branch.clone(), client: lease.client.clone(), expires_at: time::show(lease.expires_at) };
    let cursor = pages.after(shown.len(), newest.len());
    let output = Output {
        leases: live.iter().take(LEASES).map(held).collect(),
        leases_total: live.len(),
        branches: shown.iter().map(NodeItem::from).collect(),
        total: newest.len(),
        truncated: cursor.is_some() || (limit == 0 && !newest.is_empty()),
        cursor,
    };
    let lead = format!("{} at work now; {} of {} shown.", counted(live.len(), "lease", "leases"), output.branches.len(), counted(newest.len(), "branch", "branches"));
    let next = output.cursor.as_ref().map_or(String::new(), |cursor| format!("call again with cursor `{cursor}` for more branches"));
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        page.heading(format!("At work ({})", output.leases_total));
        for lease in &output.leases {
            page.indented(1, vec![plain(format!("{}  {}", lease.branch, lease.client)), tone("dim", format!("  until {}", lease.expires_at))]);
        }
        page.heading(format!("Branches ({})", output.total));
        let row = |node: &NodeItem| {
            vec![
                plain(node.branch.clone().unwrap_or_default()),
                plain(format!("#{}", node.id)),
                glyph(&node.node_type, node.node_type.as_str()),
                title(&node.title, &node.status),
                tone("dim", node.created_at.clone().unwrap_or_default()),
            ]
        };
        page.table(&["branch", "id", "type", "title", "created"], 3, output.branches.iter().map(row).collect());
    }))
}

fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
