//! `get_session`: one conversation and its nodes.

use crate::answer::Answer;
use crate::args::{Limit, RowId, Word};
use crate::around;
use crate::cx::Cx;
use crate::lookup;
use crate::page::{Pages, fitting, key_after, key_cursor};
use crate::refuse::Step;
use crate::render::view::{plain, tone};
use crate::shapes::{NodeItem, SessionItem};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Get session",
    about: "Read a session and its nodes, oldest first: what a conversation did so far.",
    effect: Read,
    cli: {
        command: &["session", "show"],
        summary: "Show a session and its nodes",
        positions: &["session_id"],
        pages: &["nodes"],
        examples: &["deciduous session show 3"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Session (default: the current one)
    session_id: Option<RowId>,
    /// Page size (default: what fits 20 kB)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    #[serde(flatten)]
    session: SessionItem,
    nodes: Vec<NodeItem>,
    total: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(args.limit, None)?;
    let [after] = key_after::<1>(args.cursor.as_ref())?.unwrap_or([0]);
    let session = lookup::current_session(cx, args.session_id.map(|id| id.0))?;
    let members = around::members(cx, [session.id].into_iter())?.pop().unwrap_or_default();
    let total = members.len();
    let behind: Vec<u32> = members.into_iter().filter(|id| i64::from(*id) > after).collect();
    let page = behind.get(..pages.most().min(behind.len())).unwrap_or_default();
    let mut nodes = around::briefs_in_order(cx, page)?;
    let items: Vec<NodeItem> = nodes.iter().map(NodeItem::from).collect();
    nodes.truncate(pages.bound(fitting(&items, pages.bytes())));
    // A node that is not to be seen is passed over, so the page's end tells whether there is more.
    let end = if nodes.len() < items.len() { nodes.last().map(|node| node.id) } else { page.last().copied() };
    let cursor = end.filter(|end| behind.last().is_some_and(|last| last > end)).map(|end| key_cursor([i64::from(end)]));
    let mut item = SessionItem::new(&session, total, cx.kept_session());
    item.summary.clone_from(&session.summary);
    let state = if item.active { "is open" } else { "has ended" };
    let lead = format!("Session {} `{}` {state}: root #{}, {}.", item.session_id, item.name, item.root_node_id, counted(total, "node"));
    let next = match (cursor.is_some(), item.active, item.current) {
        (true, ..) => "pass `cursor` for the next ones",
        (_, true, true) => "",
        (_, true, false) => "pass its `session_id` with a write, or resume_session",
        (_, false, _) => "resume_session goes on with it",
    };
    let items = nodes.iter().map(NodeItem::from).collect();
    let output = Output { session: item, nodes: items, total, truncated: cursor.is_some(), cursor };
    Ok(Answer::new(output).lead(lead.clone()).next(next).view(cx, |page, output| {
        page.line(vec![tone("strong", lead)]);
        if let Some(summary) = &output.session.summary {
            page.text(1, summary);
        }
        let times = [Some(&output.session.started_at), output.session.ended_at.as_ref()];
        page.indented(1, vec![plain(times.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" to "))]);
        page.nodes(&nodes);
    }))
}
