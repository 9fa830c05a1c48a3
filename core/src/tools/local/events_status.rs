//! `events_status`: the state of the ledger, from which everything else can be made again.

use crate::answer::Answer;
use crate::args::{Flag, Word};
use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::ledger::coverage::Coverage;
use crate::ledger::verify::{self, Break, Place};
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
    /// `REPLICA~EVENT`: what was written from that event on in a copy of the store
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
    /// `git` where segment files lie beside the store, else `none`
    sync: &'static str,
    /// Events in no segment file
    #[serde(skip_serializing_if = "Option::is_none")]
    unwritten: Option<i64>,
    /// Segment files not taken in
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<usize>,
    /// Whether the chains hold over the events checked, those of former calls with them; absent while there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
    checked_from: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_to: Option<i64>,
    breaks: Vec<Break>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let cursor = args.cursor.filter(|cursor| !cursor.0.is_empty());
    let all = args.verify.is_some_and(|flag| flag.0) || cursor.is_some();
    let mut place = cursor.map_or(Ok(Place::default()), |cursor| Place::read(&cursor.0))?;
    // What lies outside the store is asked before its rows.
    let files = cx.segments()?;
    let coverage = files.map(|names| Coverage::learn(cx).map(|coverage| coverage.beside(&names))).transpose();
    let ledger = || Scan::of("primary").below(vec![LOCAL.into()]);
    let home = cx.row::<Workspace>(vec![LOCAL.into()]);
    let others = cx.scan_one::<Replica>(ledger());
    let newest = cx.scan_one::<Event>(ledger().desc().limit(if all { 1 } else { NEWEST }));
    let stretch = if all { cx.scan_one::<Event>(ledger().from(place.next).limit(STRETCH)) } else { Ok(Vec::new()) };
    let (home, others, mut newest, stretch) = (home?.unwrap_or_default(), others?, newest?, stretch?);
    let beside = coverage?;
    newest.reverse();
    place.learn(cx, &others)?;
    let (last, events) = (newest.last().cloned(), if all { stretch } else { newest });
    if !all {
        place.next = events.first().map_or(1, |event| event.seq);
    }
    let checked_from = if all { 1 } else { place.next };
    let mut breaks = place.check(&events);
    let more = breaks.len() < verify::MOST_BREAKS && last.as_ref().is_some_and(|last| place.next <= last.seq);
    if !more && breaks.is_empty() {
        breaks.extend(place.end(&home, last.as_ref()));
    }
    place.broken += breaks.len();
    let own = (home.ordinal > 0).then(|| ReplicaItem { id: home.replica.clone(), events: home.ordinal, own: true });
    let others = others.iter().map(|strand| ReplicaItem { id: strand.id.clone(), events: strand.ordinal - strand.first.max(1) + 1, own: false });
    let output = Output {
        events: home.seq,
        head_seq: home.seq,
        replicas: own.into_iter().chain(others).collect(),
        conflicts: home.conflicts,
        last_event: last.map(|event| Last { seq: event.seq, kind: event.kind, at: time::show(event.at), actor: event.actor }),
        sync: if beside.is_some() { "git" } else { "none" },
        unwritten: beside.map(|(unwritten, _)| unwritten),
        unread: beside.map(|(_, unread)| unread),
        verified: (!more).then_some(place.broken == 0),
        checked_from,
        checked_to: (!more).then_some(place.next - 1),
        truncated: more,
        cursor: more.then(|| place.to_string()),
        breaks,
    };
    let next = if place.broken > 0 {
        "do not write to this store: make a copy of it, then run `deciduous doctor`"
    } else if more {
        "go on with `cursor`"
    } else if checked_from > 1 {
        "pass `verify: true` to check the older ones too"
    } else if beside.is_some_and(|waiting| waiting != (0, 0)) {
        "run `deciduous sync` to take in the segment files and to write what they lack"
    } else {
        ""
    };
    let (held, verdict) = (held(&output), verdict(&output, &place));
    Ok(Answer::new(output).lead(format!("{held} {verdict}")).next(next).view(cx, |page, output| draw(page, output, held, verdict)))
}

fn held(output: &Output) -> String {
    let events = counted(usize::try_from(output.events).unwrap_or(0), "event");
    let held = format!("{events} of {} held.", counted(output.replicas.len(), "replica"));
    match (output.unwritten, output.unread) {
        (Some(unwritten), Some(unread)) => {
            let unwritten = counted(usize::try_from(unwritten).unwrap_or(0), "event");
            format!("{held} {unwritten} in no segment file, {} not taken in.", counted(unread, "segment file"))
        }
        _ => held,
    }
}

/// What the check found, in this call and those before it.
fn verdict(output: &Output, place: &Place) -> String {
    let stretch = format!("events {} to {}", output.checked_from, place.next - 1);
    match (output.breaks.first(), place.broken) {
        _ if output.events == 0 && place.broken == 0 => "There is nothing to check.".to_owned(),
        (_, 0) => format!("The chain holds over {stretch}{}.", if output.truncated { ", so far" } else { "" }),
        (Some(first), 1) => format!("The chain breaks at event {}: {}.", first.seq, first.reason),
        (Some(first), all) => format!("The chain breaks at {all} events, one of them {}: {}.", first.seq, first.reason),
        (None, before) => format!("The chain holds here, but {} found before.", if before == 1 { "a break was".to_owned() } else { format!("{before} breaks were") }),
    }
}

/// The verdict stands behind the table: of several calls, a terminal shows the tail of the last.
fn draw(page: &mut Page, output: &Output, held: String, verdict: String) {
    page.line(vec![plain(held)]);
    if let Some(last) = &output.last_event {
        page.indented(1, vec![tone("dim", format!("last: {} by {} at {}", last.kind, last.actor, last.at))]);
    }
    for replica in &output.replicas {
        let events = counted(usize::try_from(replica.events).unwrap_or(0), "event");
        page.indented(1, vec![plain(&replica.id), tone("dim", format!("  {events}{}", if replica.own { ", this store" } else { "" }))]);
    }
    page.heading("Breaks");
    let rows = output.breaks.iter().map(|found| vec![plain(found.seq.to_string()), plain(&found.reason), tone("dim", found.replica.as_str())]);
    page.table(&["event", "what is wrong", "replica"], 1, rows.collect());
    page.line(vec![if output.verified == Some(true) { glyph("good", verdict) } else { glyph("bad", verdict) }]);
}
