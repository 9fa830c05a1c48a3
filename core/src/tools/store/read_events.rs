//! `read_events`: the ledger as events for other stores.

use crate::answer::Answer;
use crate::args::{Limit, Object, Word};
use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::ledger::strand::{first_event_of, replica_of};
use crate::ledger::wire::WireEvent;
use crate::model::{Event, Replica, Workspace};
use crate::refuse::{Step, bad_argument, stop};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Events in a page unless told.
const PAGE: u32 = 1_000;
/// A page ends behind the event that passes this.
const PAGE_BYTES: usize = 4_000_000;

tool! {
    title: "Read events",
    about: "Ledger events behind a place, in this store's order, for another store's merge_events.",
    effect: Read,
    cli: {
        command: &["events", "read"],
        summary: "Write ledger events for another store",
        pages: &["events"],
        examples: &["deciduous events read > events.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// The former page's cursor: a place in this store's ledger
    cursor: Option<Word>,
    /// Events in a page (default 1 000)
    limit: Option<Limit>,
    /// What the other store holds: replica to its last ordinal there; those events are left out
    known: Option<Object>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    events: Vec<WireEvent>,
    /// Replica to its last ordinal held here; not of one whose name two stores used
    replicas: BTreeMap<String, i64>,
    /// This store's own name among them
    replica: String,
    /// The ledger's last place
    seq: i64,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let after = place(args.cursor)?;
    let mut known = known(args.known)?;
    let limit = args.limit.map_or(PAGE, |limit| limit.0);
    let mut scan = Scan::of("primary").below(vec![LOCAL.into()]).limit(limit.saturating_add(1));
    if after > 0 {
        scan = scan.after(vec![LOCAL.into(), after.into()]);
    }
    let events = cx.scan_one::<Event>(scan);
    let replicas = cx.scan_one::<Replica>(Scan::of("primary").below(vec![LOCAL.into()]));
    let home = cx.row::<Workspace>(vec![LOCAL.into()]);
    let (events, replicas, home) = (events?, replicas?, home?.unwrap_or_default());

    // Of a replica whose name two stores used, an ordinal does not tell what the other store holds.
    let forked: BTreeSet<&str> = replicas.iter().filter(|strand| first_event_of(&strand.id).is_some()).map(|strand| replica_of(&strand.id)).collect();
    known.retain(|replica, _| !forked.contains(replica.as_str()));
    let mut replicas: BTreeMap<String, i64> =
        replicas.iter().filter(|strand| !forked.contains(replica_of(&strand.id))).map(|strand| (strand.id.clone(), strand.ordinal)).collect();
    if home.ordinal > 0 && !forked.contains(home.replica.as_str()) {
        replicas.insert(home.replica.clone(), home.ordinal);
    }
    let (found, mut shown, mut bytes, mut last) = (events.len(), 0_usize, 0_usize, after);
    let mut told = Vec::new();
    for event in events.into_iter().take(limit as usize) {
        if bytes > PAGE_BYTES {
            break;
        }
        shown += 1;
        last = event.seq;
        if known.get(&event.replica).is_some_and(|ordinal| event.ordinal <= *ordinal) {
            continue;
        }
        bytes += event.fields.len() + 500;
        told.push(WireEvent::from(event));
    }
    let cursor = (shown < found).then(|| last.to_string());
    let lead = format!("{} of {} in the ledger.", told.len(), counted(usize::try_from(home.seq).unwrap_or(0), "event"));
    let output = Output { events: told, replicas, replica: home.replica, seq: home.seq, truncated: cursor.is_some(), cursor };
    Ok(Answer::new(output).lead(lead))
}

fn place(cursor: Option<Word>) -> Step<i64> {
    match cursor {
        None => Ok(0),
        Some(Word(text)) if text.is_empty() => Ok(0),
        Some(Word(text)) => match text.parse::<i64>() {
            Ok(place) if place >= 0 => Ok(place),
            _ => stop(bad_argument("cursor", format!("`{text}` is no cursor"), "pass the `cursor` of the former page, or leave it out")),
        },
    }
}

fn known(given: Option<Object>) -> Step<BTreeMap<String, i64>> {
    let given = given.map(|object| object.0).unwrap_or_default();
    let read = given.into_iter().map(|(replica, ordinal)| ordinal.as_i64().map(|ordinal| (replica.clone(), ordinal)).ok_or(replica));
    match read.collect::<Result<_, String>>() {
        Ok(known) => Ok(known),
        Err(replica) => stop(bad_argument("known", format!("has no integer for `{replica}`"), "give each replica's last ordinal, as `replicas` of read_events")),
    }
}
