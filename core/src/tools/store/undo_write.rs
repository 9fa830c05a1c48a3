//! `undo_write`: takes a write back by new events.

use crate::answer::Answer;
use crate::args::{Flag, Limit, Ref, Word};
use crate::cx::Cx;
use crate::ledger::undo::{self, TurnTold, What};
use crate::page::{Pages, fitting};
use crate::refuse::{Step, bad_argument, stop};
use crate::render::view::{plain, tone};
use crate::text::counted;
use crate::time;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Undo write",
    about: "Take a write back: the newest of this store, an event's, or the newest that touched a node. New events set what it changed to what it was; nothing is erased. Refused where later writes build on it. Undoing an undo does the write again.",
    effect: Remove,
    cli: {
        command: &["undo"],
        summary: "Take the newest write back, or another one",
        positions: &["event"],
        short: &[("dry_run", "n")],
        long: &[("node_id", "node")],
        examples: &["deciduous undo --dry-run", "deciduous undo", "deciduous undo --node 42", "deciduous undo 0192f0c1-7d1e"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// An event of the write, by its id or the beginning of it (default: the newest write of this store)
    event: Option<Word>,
    /// The newest write that touched this node
    node_id: Option<Ref>,
    /// Only say what would be done (default false)
    dry_run: Option<Flag>,
    /// How many changes to list (default: what fits 20 kB)
    limit: Option<Limit>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    /// First event of the write that is taken back
    undone: String,
    tool: String,
    by: String,
    at: String,
    /// Events of that write
    events: usize,
    dry_run: bool,
    /// First event of the new write: undo it to go back again
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    changes: Vec<TurnTold>,
    total: usize,
    truncated: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let event = args.event.filter(|event| !event.0.is_empty());
    let what = match (event, args.node_id) {
        (Some(_), Some(_)) => {
            return stop(bad_argument("node_id", "cannot be given with `event`", "give one of them"));
        }
        (Some(event), None) => What::Event(event.0),
        (None, Some(node)) => What::OfNode(node.0),
        (None, None) => What::Newest,
    };
    answer(cx, &what, args.dry_run, args.limit)
}

/// Takes back what is meant, and says so.
pub(super) fn answer(cx: &Cx, what: &What, dry_run: Option<Flag>, limit: Option<Limit>) -> Step<Answer<Output>> {
    let pages = Pages::new(limit, None)?;
    let dry_run = dry_run.is_some_and(|flag| flag.0);
    let undone = undo::undo(cx, what, dry_run)?;
    let total = undone.turns.len();
    let mut changes = undone.turns;
    changes.truncate(pages.bound(fitting(&changes, pages.bytes())));
    let again = undone.former.undoes.is_some();
    let verb = match (dry_run, again) {
        (true, false) => "Would undo",
        (true, true) => "Would do again what was undone by",
        (false, false) => "Undid",
        (false, true) => "Did again what was undone by",
    };
    let former = undone.former;
    let at = time::show(former.at);
    let what = match total {
        0 => "nothing was left of it".to_owned(),
        _ => counted(total, "record"),
    };
    let lead = format!("{verb} `{}` by {} at {at}: {what}.", former.tool, former.actor);
    let next = match (&undone.event, dry_run) {
        (_, true) => "call again without `dry_run`",
        (Some(_), _) if !again => "redo_write brings it back",
        _ => "",
    };
    let output = Output {
        undone: former.of_write().to_owned(),
        tool: former.tool,
        by: former.actor,
        at,
        events: undone.events,
        dry_run,
        event: undone.event,
        truncated: changes.len() < total,
        changes,
        total,
    };
    Ok(Answer::new(output).lead(lead.clone()).next(next).view(cx, |page, output| {
        page.line(vec![plain(lead)]);
        for change in &output.changes {
            page.indented(1, vec![plain(&change.what)]);
            for field in &change.fields {
                let shown = |text: &str| if text.is_empty() { "(none)".to_owned() } else { text.to_owned() };
                page.indented(2, vec![tone("dim", format!("{}: ", field.field)), plain(shown(&field.from)), tone("dim", " -> "), plain(shown(&field.to))]);
            }
        }
        if output.truncated {
            page.indented(1, vec![tone("dim", format!("and {} more", output.total - output.changes.len()))]);
        }
        if let Some(event) = &output.event {
            page.indented(1, vec![tone("dim", format!("event {event}"))]);
        }
    }))
}
