//! `get_log`: what was done, newest first.

use crate::answer::Answer;
use crate::args::{Limit, Ref, Word};
use crate::cx::Cx;
use crate::history::{self, Changed, Told, Wanted};
use crate::lookup;
use crate::page::{OUTPUT_BYTES, fitting, key_after, key_cursor};
use crate::refuse::{Step, bad_argument, stop};
use crate::render::view::{Page, plain, tone};
use crate::text::{counted, shorten};
use crate::time;
use crate::tool::tool;
use deciduous_boundary::Millis;
use serde::{Deserialize, Serialize};

/// Events of a page unless told.
const PAGE: usize = 100;

tool! {
    title: "Log",
    about: "List what was done, newest first: who, when, what it was before and after, by which tool. Filter by node, actor, branch or date.",
    effect: Read,
    cli: {
        command: &["log"],
        summary: "List what was done, newest first",
        positions: &["node_id"],
        short: &[("actor", "a"), ("branch", "b"), ("since", "s"), ("limit", "n")],
        examples: &["deciduous log", "deciduous log 42", "deciduous log --actor claude --since 2026-01-15 -n 20"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Only this node, its edges, tags and attachments; deleted ones too
    node_id: Option<Ref>,
    /// Only what this one did
    actor: Option<Word>,
    /// Only nodes that are on this git branch
    branch: Option<Word>,
    /// Not before: YYYY-MM-DD (UTC) or RFC 3339
    since: Option<Word>,
    /// Page size (default 100)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    events: Vec<Told>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let since = args.since.as_ref().map(since).transpose()?;
    let before = key_after::<1>(args.cursor.as_ref())?.map(|[seq]| seq);
    let subjects = match &args.node_id {
        Some(node) => Some(history::subjects(cx, &lookup::any_node(cx, &node.0)?)?),
        None => None,
    };
    let filled = |word: Option<Word>| word.map(|word| word.0).filter(|word| !word.is_empty());
    let wanted = Wanted {
        actor: filled(args.actor),
        branch: filled(args.branch),
        since,
        subjects,
        before,
        most: args.limit.as_ref().map_or(PAGE, |limit| limit.0 as usize),
    };
    let (events, go_on) = history::find(cx, &wanted)?;
    let mut told = history::tell(cx, &events)?;
    let fits = if args.limit.is_some() { told.len() } else { fitting(&told, OUTPUT_BYTES) };
    let cut = fits < told.len();
    told.truncate(fits);
    let last = if cut { told.last().map(|event| event.seq) } else { go_on };
    let cursor = last.map(|seq| key_cursor([seq]));
    let lead = match (told.first(), &cursor) {
        (None, None) => "No event there.".to_owned(),
        (None, Some(_)) => "No event among the newest.".to_owned(),
        (Some(newest), _) => format!("{}, newest first. Newest: {} {} {} {}.", counted(told.len(), "event"), newest.at, newest.actor, newest.kind, newest.about),
    };
    let next = if cursor.is_some() { "call again with `cursor` for older ones" } else { "" };
    let output = Output { count: told.len(), events: told, truncated: cursor.is_some(), cursor };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, draw))
}

fn since(given: &Word) -> Step<Millis> {
    match time::read(&given.0) {
        Some(at) => Ok(at),
        None => stop(bad_argument("since", format!("is no date: `{}`", shorten(&given.0, 40)), "give a date such as 2026-01-15, or 2026-01-15T09:00:00Z")),
    }
}

fn draw(page: &mut Page, output: &Output) {
    let mut day = "";
    for event in &output.events {
        let (date, clock) = event.minute.split_at_checked(10).unwrap_or((&event.minute, ""));
        if date != day {
            page.heading(date);
            day = date;
        }
        let cause = if event.undoes.is_some() { format!("  {}, undoing", event.tool) } else { format!("  {}", event.tool) };
        page.indented(1, vec![
            tone("dim", format!("{} ", clock.trim())),
            plain(format!("{} ", event.actor)),
            tone("strong", format!("{} ", words(&event.kind))),
            plain(event.about.as_str()),
            tone("dim", cause),
        ]);
        // What is new says all of itself in its title; what is changed, from what to what.
        let begins = event.changes.iter().all(|change| change.from.is_none());
        for change in event.changes.iter().filter(|change| !begins || !said(event, change)) {
            page.indented(4, vec![tone("dim", format!("{} ", change.field)), plain(values(change))]);
        }
    }
    if output.truncated {
        page.line(vec![tone("dim", "… older events follow: add --cursor, or -n for more")]);
    }
}

/// `node.added` as `added node`.
fn words(kind: &str) -> String {
    match kind.split_once('.') {
        Some((what, done)) => format!("{done} {what}"),
        None => kind.to_owned(),
    }
}

/// Whether the line says it already.
fn said(event: &Told, change: &Changed) -> bool {
    let to = change.to.as_deref().unwrap_or_default();
    to.is_empty() || event.about.contains(to) || matches!(change.field.as_str(), "node" | "root" | "weight" | "sha256" | "status")
}

fn values(change: &Changed) -> String {
    let to = change.to.as_deref().unwrap_or("(nothing)");
    match &change.from {
        Some(from) => format!("{from} → {to}"),
        None => to.to_owned(),
    }
}
