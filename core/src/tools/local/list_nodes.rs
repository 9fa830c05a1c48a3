//! `list_nodes`: nodes by what they are, newest first.

use crate::answer::Answer;
use crate::args::{AnyStatus, AnyType, Limit, Word};
use crate::around;
use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::lookup;
use crate::model::NodeTheme;
use crate::page::{Pages, fitting, key_after, key_cursor};
use crate::refuse::Step;
use crate::shapes::NodeItem;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

tool! {
    title: "List nodes",
    about: "List nodes newest first, by branch, type, status or theme. To find something by its words use search_nodes.",
    effect: Read,
    cli: {
        command: &["nodes"],
        summary: "List nodes, newest first",
        short: &[("branch", "b"), ("node_type", "t")],
        long: &[("node_type", "type")],
        pages: &["nodes"],
        examples: &["deciduous nodes -t decision", "deciduous nodes -b main --status active"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Only this git branch
    branch: Option<Word>,
    /// Only this type
    node_type: Option<AnyType>,
    /// Only this status
    status: Option<AnyStatus>,
    /// Only this theme
    theme: Option<Word>,
    /// Page size (default: what fits 20 kB)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    total: usize,
    nodes: Vec<NodeItem>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(args.limit, None)?;
    let after = key_after::<2>(args.cursor.as_ref())?;
    let tagged = match &args.theme {
        Some(theme) => tagged(cx, &theme.0).map(Some),
        None => Ok(None),
    };
    let filtered = args.branch.is_some() || args.node_type.is_some() || args.status.is_some() || args.theme.is_some();
    let graph = cx.graph(LOCAL);
    let (graph, tagged) = (graph?, tagged?);
    let branch = match &args.branch {
        Some(branch) => Some(lookup::branch(&graph, &branch.0)?),
        None => None,
    };
    let (kind, status) = (args.node_type.map(|kind| kind.0), args.status.map(|status| status.0));
    let found = cx.once("found", || {
        let mut found = Found::default();
        let newest = graph.newest()?;
        for node in newest.iter().filter_map(|position| graph.node(*position)) {
            let matches = kind.is_none_or(|kind| node.kind == Some(kind))
                && status.is_none_or(|status| node.status == Some(status))
                && branch.is_none_or(|branch| node.is_on(branch))
                && tagged.as_ref().is_none_or(|tagged| tagged.contains(&node.id));
            if matches {
                found.total += 1;
                let key = [node.created_at, i64::from(node.id)];
                if after.is_none_or(|after| key < after) {
                    found.left += 1;
                    if found.page.len() < pages.most() {
                        found.page.push((node.id, key));
                    }
                }
            }
        }
        Ok(found)
    })?;
    drop(graph);
    let total = found.total;
    let nodes = around::briefs_in_order(cx, &found.page.iter().map(|(id, _)| *id).collect::<Vec<_>>())?;
    let mut items: Vec<NodeItem> = nodes.iter().map(NodeItem::from).collect();
    items.truncate(pages.bound(fitting(&items, pages.bytes())));
    let last = items.len().checked_sub(1).and_then(|last| found.page.get(last));
    let cursor = last.filter(|_| items.len() < found.left).map(|(_, key)| key_cursor(*key));
    let lead = match (total, cursor.is_some()) {
        (0, _) if filtered => "No node is like that.".to_owned(),
        (0, _) => "There are no nodes yet.".to_owned(),
        (_, false) if items.len() == total => format!("{}, newest first.", counted(total, "node")),
        _ => format!("{}, newest first; {} shown.", counted(total, "node"), items.len()),
    };
    let next = if cursor.is_some() { "pass `cursor` for the next ones, or narrow the list" } else { "" };
    let output = Output { count: items.len(), total, truncated: cursor.is_some(), nodes: items, cursor };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| page.nodes(nodes.get(..output.count).unwrap_or_default())))
}

/// What one pass over the graph finds.
#[derive(Default)]
struct Found {
    total: usize,
    /// How many of them stand behind the cursor.
    left: usize,
    /// The first of those, with the key of each.
    page: Vec<(u32, [i64; 2])>,
}

/// The nodes with this theme.
fn tagged(cx: &Cx, theme: &str) -> Step<BTreeSet<u32>> {
    let theme = lookup::theme(cx, theme)?;
    let tags = cx.scan_one::<NodeTheme>(Scan::of("node_theme_by_theme").below(vec![LOCAL.into(), theme.name.into()]))?;
    Ok(tags.into_iter().filter(|tag| tag.deleted_at.is_none()).map(|tag| tag.node_id).collect())
}
