//! `get_timeline`: nodes by the time they were written, newest first.

use crate::answer::Answer;
use crate::args::{AnyType, LimitOrAll, Word};
use crate::cx::Cx;
use crate::page::{OUTPUT_BYTES, fitting, key_after, key_cursor};
use crate::refuse::{Step, bad_argument, stop};
use crate::render::view::{Page, glyph, plain, title, tone};
use crate::shapes::NodeItem;
use crate::text::{counted, shorten};
use crate::time;
use crate::timeline::{chosen, newest};
use crate::tool::tool;
use deciduous_boundary::Millis;
use serde::{Deserialize, Serialize};

/// Nodes of a page unless the caller says how many.
const PAGE: usize = 50;
/// Nodes that are read at once where all are wanted: no more than the smallest of them fill a page.
const MOST: usize = 200;

tool! {
    title: "Timeline",
    about: "List nodes newest first, to see what happened lately or since a date.",
    effect: Read,
    cli: {
        command: &["archaeology", "timeline"],
        summary: "List nodes by time, newest first",
        short: &[("limit", "n"), ("node_type", "t"), ("branch", "b"), ("since", "s")],
        long: &[("node_type", "type")],
        pages: &["nodes"],
        examples: &["deciduous archaeology timeline", "deciduous archaeology timeline --since 2026-01-15 -t decision"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Page size (default 50; 0 = all, in pages of 20 kB)
    limit: Option<LimitOrAll>,
    /// Only this type
    node_type: Option<AnyType>,
    /// Only this git branch
    branch: Option<Word>,
    /// Not before: YYYY-MM-DD (UTC) or RFC 3339
    since: Option<Word>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    nodes: Vec<NodeItem>,
    /// Left out where only the newest were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// For a view: the day and minute of each node.
    #[serde(skip)]
    at: Vec<Millis>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let since = args.since.as_ref().map(since).transpose()?;
    let after = key_after::<2>(args.cursor.as_ref())?;
    let (most, bytes) = match &args.limit {
        None => (PAGE, OUTPUT_BYTES),
        Some(LimitOrAll(0)) => (MOST, OUTPUT_BYTES),
        Some(LimitOrAll(limit)) => (*limit as usize, usize::MAX),
    };
    let kind = args.node_type.map(|kind| kind.0);
    let (found, more, total) = match (kind, &args.branch) {
        (None, None) => newest(cx, since, after, most)?,
        (kind, branch) => chosen(cx, (kind, branch.as_ref(), since), after, most)?,
    };
    let mut nodes: Vec<NodeItem> = found.iter().map(NodeItem::from).collect();
    nodes.truncate(fitting(&nodes, bytes));
    let more = more || nodes.len() < found.len();
    let last = nodes.len().checked_sub(1).and_then(|last| found.get(last));
    let cursor = last.filter(|_| more).map(|node| key_cursor([node.created_at, i64::from(node.id)]));
    let at = found.iter().map(|node| node.created_at).collect();
    let output = Output { count: nodes.len(), nodes, total, truncated: cursor.is_some(), cursor, at };
    let lead = match (output.nodes.first(), output.nodes.last()) {
        (Some(first), Some(last)) => {
            let of = total.map_or_else(|| counted(output.count, "node"), |total| format!("{} of {}", output.count, counted(total, "node")));
            let day = |node: &NodeItem| node.created_at.as_deref().and_then(|at| at.get(..10)).unwrap_or_default().to_owned();
            format!("{of}, newest first, from {} back to {}. Newest: {} #{} `{}`.", day(first), day(last), first.node_type, first.id, shorten(&first.title, 80))
        }
        _ => "No nodes there.".to_owned(),
    };
    let next = if output.truncated { "call again with `cursor` for older ones" } else { "" };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, draw))
}

fn since(given: &Word) -> Step<Millis> {
    match time::read(&given.0) {
        Some(at) => Ok(at),
        None => stop(bad_argument("since", format!("is no date: `{}`", shorten(&given.0, 40)), "give a date such as 2026-01-15, or 2026-01-15T09:00:00Z")),
    }
}

fn draw(page: &mut Page, output: &Output) {
    let mut day = String::new();
    for (node, at) in output.nodes.iter().zip(&output.at) {
        let minute = time::show_minute(*at);
        let (date, clock) = minute.split_at_checked(10).unwrap_or((&minute, ""));
        if date != day {
            page.heading(date);
            date.clone_into(&mut day);
        }
        page.indented(1, vec![
            tone("dim", format!("{} ", clock.trim())),
            glyph(&node.node_type, node.node_type.as_str()),
            plain(format!(" #{} ", node.id)),
            title(&node.title, &node.status),
            tone("dim", node.branch.as_ref().map_or(String::new(), |branch| format!("  {branch}"))),
        ]);
    }
    if output.truncated {
        page.line(vec![tone("dim", "… older nodes follow")]);
    }
}
