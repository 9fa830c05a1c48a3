//! `events_status`: the state of the ledger, from which everything else can be made again.

use crate::answer::Answer;
use crate::args::{Flag, Word};
use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::ledger::verify::{self, Break, Heads};
use crate::model::{Event, Replica, Workspace};
use crate::refuse::Step;
use crate::render::view::{Page, glyph, plain, tone};
use crate::text::counted;
use crate::time;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// The newest events, whose chain is checked each time.
const NEWEST: u32 = 1_000;
/// How many events one call checks when it is to check all.
const STRETCH: u32 = 10_000;

tool! {
    title: "Events status",
    about: "Show the ledger: who writes to it, how many events are held, and whether their hash chains hold. Use it when a store looks odd or before sharing it.",
    effect: Read,
    cli: {
        command: &["events", "status"],
        summary: "Show the ledger's state and check its hash chains",
        pages: &["breaks"],
        examples: &["deciduous events status", "deciduous events status --verify"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Check every event from the first on, 10 000 a call (default: the newest 1 000)
    verify: Option<Flag>,
    /// From the former call
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct ReplicaItem {
    id: String,
    events: i64,
    /// Whether it is this store.
    own: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Last {
    seq: i64,
    kind: String,
    at: String,
    actor: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    events: i64,
    head_seq: i64,
    replicas: Vec<ReplicaItem>,
    /// Fields on which stores disagreed and a merge decided, not looked at yet.
    conflicts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_event: Option<Last>,
    /// None: nothing is shared with a server or through git, so nothing waits to be.
    sync: &'static str,
    /// Whether the chains hold over the events checked.
    verified: bool,
    checked: usize,
    checked_from: i64,
    checked_to: i64,
    breaks: Vec<Break>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let all = args.verify.is_some_and(|flag| flag.0) || args.cursor.is_some();
    let (start, mut heads) = match &args.cursor {
        Some(Word(cursor)) if !cursor.is_empty() => verify::resume(cursor)?,
        _ => (1, Heads::new()),
    };
    let ledger = || Scan::of("primary").below(vec![LOCAL.into()]);
    let home = cx.row::<Workspace>(vec![LOCAL.into()]);
    let others = cx.scan_one::<Replica>(ledger());
    let newest = cx.scan_one::<Event>(ledger().desc().limit(if all { 1 } else { NEWEST }));
    let stretch = if all { cx.scan_one::<Event>(ledger().from(start).limit(STRETCH)) } else { Ok(Vec::new()) };
    let (home, others, mut newest, stretch) = (home?.unwrap_or_default(), others?, newest?, stretch?);
    newest.reverse();
    let (last, events) = (newest.last().cloned(), if all { stretch } else { newest });
    let checked_from = if all { start } else { events.first().map_or(0, |event| event.seq) };
    let mut breaks = verify::stretch(checked_from, &events, &mut heads);
    let checked_to = events.last().map_or(0, |event| event.seq);
    let more = all && last.as_ref().is_some_and(|last| checked_to < last.seq) && breaks.len() < verify::MOST_BREAKS && !events.is_empty();
    if !more && breaks.is_empty() {
        breaks.extend(verify::end(&home, last.as_ref(), &heads));
    }
    let own = (home.ordinal > 0).then(|| ReplicaItem { id: home.replica.clone(), events: home.ordinal, own: true });
    let others = others.iter().map(|replica| ReplicaItem { id: replica.id.clone(), events: replica.ordinal, own: false });
    let output = Output {
        events: home.seq,
        head_seq: home.seq,
        replicas: own.into_iter().chain(others).collect(),
        conflicts: home.conflicts,
        last_event: last.map(|event| Last { seq: event.seq, kind: event.kind, at: time::show(event.at), actor: event.actor }),
        sync: "none",
        verified: breaks.is_empty(),
        checked: events.len(),
        checked_from,
        checked_to,
        truncated: more,
        cursor: more.then(|| verify::pause(checked_to + 1, &heads)),
        breaks,
    };
    let lead = lead(&output);
    let next = match (output.breaks.is_empty(), more, output.checked < output.events as usize) {
        (false, _, _) => "do not write to this store: make a copy of it, then run `deciduous doctor`",
        (_, true, _) => "go on with `cursor`",
        (_, _, true) if !all => "pass `verify: true` to check the older ones too",
        _ => "",
    };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, draw))
}

fn lead(output: &Output) -> String {
    if output.events == 0 && output.breaks.is_empty() {
        return "The ledger is empty.".to_owned();
    }
    let held = format!("{} of {} held.", counted(usize::try_from(output.events).unwrap_or(0), "event"), counted(output.replicas.len(), "replica"));
    let stretch = format!("events {} to {}", output.checked_from, output.checked_to);
    match output.breaks.first() {
        None => format!("{held} The chain holds over {stretch}."),
        Some(first) => format!("{held} The chain breaks at event {}: {}.", first.seq, first.reason),
    }
}

fn draw(page: &mut Page, output: &Output) {
    page.line(vec![plain(lead(output))]);
    if let Some(last) = &output.last_event {
        page.indented(1, vec![tone("dim", format!("last: {} by {} at {}", last.kind, last.actor, last.at))]);
    }
    let rows = output.replicas.iter().map(|replica| vec![plain(&replica.id), plain(replica.events.to_string()), tone("dim", if replica.own { "this store" } else { "" })]);
    page.table(&["replica", "events", ""], 0, rows.collect());
    for found in &output.breaks {
        page.line(vec![glyph("bad", format!("event {}: {}", found.seq, found.reason))]);
    }
}
