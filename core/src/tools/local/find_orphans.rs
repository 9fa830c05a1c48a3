//! `find_orphans`: nodes that break the connection rules.

use crate::answer::Answer;
use crate::args::{Limit, Word};
use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::model::{NodeType, node_key};
use crate::page::{Pages, fitting};
use crate::refuse::Step;
use crate::render::view::{glyph, plain, tone};
use crate::rules::orphans;
use crate::rules::parents::{self, Candidate, Child, Parent};
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// How many nodes written just before an orphan are looked at as parents.
const LOOKED_AT: u32 = 40;

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
    /// Page size (default: what fits 20 kB)
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

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(args.limit, args.cursor)?;
    let found: Vec<_> = {
        let graph = cx.graph(LOCAL)?;
        orphans::all(&graph).into_iter().map(|(position, rule)| (graph.id(position), rule)).collect()
    };
    let total = found.len();
    let page = pages.slice(&found);
    let nodes = cx.rows::<Candidate>(&page.iter().map(|(id, _)| node_key(LOCAL, *id)).collect::<Vec<_>>());
    let before = page.iter().map(|(id, _)| Scan::of("primary").below(vec![LOCAL.into()]).to(*id).desc().limit(LOOKED_AT));
    let before: Vec<Step<Vec<Candidate>>> = before.map(|scan| cx.scan_one(scan)).collect();
    let mut items = Vec::with_capacity(page.len());
    for ((node, (_, rule)), before) in nodes?.into_iter().zip(page).zip(before) {
        let (Some(node), before) = (node, before?) else { continue };
        items.push(Orphan {
            suggested_parents: suggest(&node, &before),
            id: node.id,
            node_type: node.node_type,
            title: node.title,
            rule: rule.name(),
            reason: rule.text(),
        });
    }
    items.truncate(pages.bound(fitting(&items, pages.bytes())));
    let cursor = pages.after(items.len(), total);
    let lead = if total == 0 { "No orphans: every node has its place.".to_owned() } else { format!("{total} orphans; {} shown.", items.len()) };
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

fn suggest(node: &Candidate, before: &[Candidate]) -> Vec<Parent> {
    let Some(kind) = NodeType::parse(&node.node_type) else { return Vec::new() };
    let files: Vec<String> = node.files.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    parents::best(before, &Child { kind, title: &node.title, branch: node.branch.as_deref(), files: &files })
}
