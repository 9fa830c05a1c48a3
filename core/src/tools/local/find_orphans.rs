//! `find_orphans`: nodes that break the connection rules.

use crate::answer::Answer;
use crate::args::{Limit, Word};
use crate::cx::Cx;
use crate::ledger::LOCAL;
use crate::model::{NodeType, node_key};
use crate::page::{OUTPUT_BYTES, Pages, fitting};
use crate::refuse::Step;
use crate::render::view::{glyph, plain, tone};
use crate::rules::orphans::{self, Rule};
use crate::rules::parents::{self, Candidate, Child, Judged, Parent};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Orphans of a page unless the caller says how many.
const PAGE: u32 = 25;

tool! {
    title: "Find orphans",
    about: "List nodes that have no proper place yet, with the rule each breaks and up to three parents to link them to. Root goals are no orphans.",
    effect: Read,
    cli: {
        command: &["orphans"],
        summary: "List nodes that break the connection rules",
        pages: &["orphans"],
        examples: &["deciduous orphans"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Page size (default 25)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Orphan {
    id: u32,
    node_type: String,
    title: String,
    rule: &'static str,
    reason: &'static str,
    suggested_parents: Vec<Parent>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    total: usize,
    orphans: Vec<Orphan>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

/// An orphan by number, the rule it breaks, and nodes that might lead to it.
type Found = (u32, Rule, Vec<u32>);

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(Some(args.limit.clone().unwrap_or(Limit(PAGE))), args.cursor)?;
    let bytes = if args.limit.is_some() { usize::MAX } else { OUTPUT_BYTES };
    let found = cx.once("orphans", || {
        let graph = cx.graph(LOCAL)?;
        let all = graph.derived("orphans", orphans::all)?;
        let page = pages.slice(&all).iter().map(|(position, rule)| (graph.id(*position), *rule, parents::before(&graph, *position)));
        Ok((page.collect::<Vec<Found>>(), all.len()))
    })?;
    let (page, total) = &*found;
    let mut ids: Vec<u32> = page.iter().flat_map(|(id, _, before)| before.iter().copied().chain([*id])).collect();
    ids.sort_unstable();
    ids.dedup();
    let rows = cx.rows::<Candidate>(&ids.iter().map(|id| node_key(LOCAL, *id)).collect::<Vec<_>>())?;
    let rows: BTreeMap<u32, Judged> = rows.into_iter().flatten().map(|row| (row.id, row.into())).collect();
    let mut items: Vec<Orphan> = page
        .iter()
        .filter_map(|(id, rule, before)| {
            let node = rows.get(id)?;
            let before = before.iter().filter_map(|id| rows.get(id));
            Some(Orphan { id: *id, node_type: node.row.node_type.clone(), title: node.row.title.clone(), rule: rule.name(), reason: rule.text(), suggested_parents: suggest(node, before) })
        })
        .collect();
    items.truncate(fitting(&items, bytes));
    let total = *total;
    let cursor = pages.after(items.len(), total);
    let lead = if total == 0 { "No orphans: every node has its place.".to_owned() } else { format!("{}; {} shown.", counted(total, "orphan"), items.len()) };
    let next = if total == 0 { "" } else { "link_nodes from one of the suggested parents, or delete_node what is noise" };
    let output = Output { count: items.len(), total, truncated: cursor.is_some(), orphans: items, cursor };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        let rows = output.orphans.iter().map(|orphan| {
            let parents: Vec<String> = orphan.suggested_parents.iter().map(|parent| format!("#{}", parent.id)).collect();
            vec![plain(format!("#{}", orphan.id)), glyph(&orphan.node_type, orphan.node_type.as_str()), plain(&orphan.title), tone("warn", orphan.rule.replace('_', " ")), plain(parents.join(" "))]
        });
        page.table(&["id", "type", "title", "rule", "maybe from"], 2, rows.collect());
    }))
}

fn suggest<'a>(node: &Judged, before: impl Iterator<Item = &'a Judged>) -> Vec<Parent> {
    let Some(kind) = NodeType::parse(&node.row.node_type) else { return Vec::new() };
    parents::best(before, &Child { kind, title: &node.row.title, branch: node.row.branch.as_deref(), files: &node.files })
}
