//! Takes in other stores' events: union by id, and a new fold of what they touch.
//!
//! Owns: which events may be taken, and the counters. A batch is taken whole or not at all, or, where that is asked
//! for, all of it that follows from what is held. Where an event belongs is `strand`'s.

use crate::args::Objects;
use crate::cx::{Cx, Scan, row};
use crate::ledger::strand::{Former, Strands, Unplaced};
use crate::ledger::{Fields, LOCAL, Subject, Tx, refold, wire};
use crate::model::{Conflict, Event, Replica, Workspace};
use crate::refuse::{Step, refusal, stop};
use crate::text::shorten;
use deciduous_boundary::{Cell, Refusal};
use std::collections::{BTreeMap, BTreeSet};

/// What a merge did.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub merged: usize,
    /// Events that were held already.
    pub known: usize,
    pub subjects: usize,
    /// Fields that this merge decided between concurrent writers.
    pub conflicts: Vec<Conflict>,
    /// Of all merges, still open.
    pub open_conflicts: u32,
    /// Strands that this merge began beside an older one: somebody wrote in a copy of a store.
    pub forks: Vec<String>,
    /// This store's new name, where the old one turned out to be used by another store too.
    pub renamed: Option<String>,
    pub seq: i64,
    /// What became of each event of the batch.
    pub verdicts: Vec<Verdict>,
}

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is new, and stands on this strand.
    Merged(String),
    /// It was held; its strand, where it alone tells that.
    Known(Option<String>),
    /// Not taken: it does not follow from what is held.
    Unplaced(Unplaced),
    /// Not taken: another event is held under its id.
    Clash,
}

row! {
    /// An event by its name and its content.
    struct Held in "event" {
        id: String,
        hash: String,
    }
}

pub(crate) type Arrived = (Event, Fields, Subject);

/// How the events of a batch stand to what is held; the same in each run of a call.
struct Placed {
    verdicts: Vec<Verdict>,
    /// Places in the batch of the events to take, causes before effects.
    order: Vec<usize>,
    heads: Vec<Replica>,
    forks: Vec<String>,
}

/// Merges a batch of events as they came over the wire, all of them or none.
pub(crate) fn merge(cx: &Cx, given: &Objects) -> Step<Merged> {
    let arrived = cx.once("arrived", || read(given))?;
    take(cx, &arrived, true)
}

/// Merges a batch; with `whole` all of it or nothing, else what follows from what is held.
pub(crate) fn take(cx: &Cx, arrived: &[Arrived], whole: bool) -> Step<Merged> {
    let mut tx = Tx::open(cx)?;
    let placed = cx.once("placed", || place(cx, &tx.home, arrived))?;
    if whole {
        for (verdict, (event, ..)) in placed.verdicts.iter().zip(arrived) {
            match verdict {
                Verdict::Clash => return stop(clash(event)),
                Verdict::Unplaced(Unplaced::Gap(next)) => return stop(gap(event, *next)),
                Verdict::Unplaced(Unplaced::Unfit) => return stop(unfit(event)),
                Verdict::Merged(_) | Verdict::Known(_) => {}
            }
        }
    }
    let known = placed
        .verdicts
        .iter()
        .filter(|verdict| matches!(verdict, Verdict::Known(_)));
    let mut done = Merged {
        known: known.count(),
        seq: tx.home.seq,
        open_conflicts: tx.home.conflicts,
        verdicts: placed.verdicts.clone(),
        ..Merged::default()
    };
    let mut news: Vec<Arrived> = placed
        .order
        .iter()
        .filter_map(|place| arrived.get(*place).cloned())
        .collect();
    if news.is_empty() {
        return Ok(done);
    }
    for (event, ..) in &mut news {
        tx.home.seq += 1;
        event.workspace = tx.workspace();
        event.seq = tx.home.seq;
        tx.home.lamport = tx.home.lamport.max(event.lamport);
    }
    // Somebody else writes under this store's name, or this is a backup of what did: it goes on under a new one.
    if news
        .iter()
        .any(|(event, ..)| event.replica == tx.home.replica)
    {
        done.renamed = Some(rename(&mut tx));
    }
    for head in &placed.heads {
        tx.put(&Replica {
            seq: tx.home.seq,
            ..head.clone()
        });
    }
    let (conflicts, subjects) = refold::refold(&mut tx, &news)?;
    news.iter().for_each(|(event, ..)| tx.put(event));
    tx.recorded += u32::try_from(news.len()).unwrap_or(u32::MAX);
    done = Merged {
        merged: news.len(),
        subjects,
        conflicts,
        forks: placed.forks.clone(),
        open_conflicts: tx.home.conflicts,
        seq: tx.home.seq,
        ..done
    };
    tx.finish();
    Ok(done)
}

/// Gives this store a new name; what it wrote under the old one stays that one's.
fn rename(tx: &mut Tx) -> String {
    if tx.home.ordinal > 0 {
        tx.renew();
    } else {
        Tx::rename(tx.cx, &mut tx.home);
    }
    tx.home.replica.clone()
}

fn place(cx: &Cx, home: &Workspace, arrived: &[Arrived]) -> Step<Placed> {
    let ids: BTreeSet<&str> = arrived
        .iter()
        .map(|(event, ..)| event.id.as_str())
        .collect();
    let held = cx.scan::<Held>(Scan::of("event_by_id").below_each(ids.into_iter().map(key)));
    let others = cx.scan_one::<Replica>(Scan::of("primary").below(vec![LOCAL.into()]));
    let (held, others) = (held?, others?);
    let held: BTreeMap<String, String> = held
        .into_iter()
        .flatten()
        .map(|event| (event.id, event.hash))
        .collect();

    let mut strands = Strands::new(home, others);
    // What is no news has its verdict here; an event told twice has that of its first place.
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut verdicts: Vec<Option<Verdict>> = Vec::with_capacity(arrived.len());
    let mut news = Vec::new();
    for (number, (event, ..)) in arrived.iter().enumerate() {
        let twin = first
            .get(event.id.as_str())
            .and_then(|place| arrived.get(*place));
        let hash = twin
            .map(|(twin, ..)| &twin.hash)
            .or_else(|| held.get(&event.id));
        verdicts.push(match hash {
            Some(hash) if *hash != event.hash => Some(Verdict::Clash),
            Some(_) if twin.is_none() => {
                strands.holds(event);
                Some(Verdict::Known(None))
            }
            Some(_) => None,
            None => {
                news.push(number);
                None
            }
        });
        if twin.is_none() {
            first.insert(&event.id, number);
        }
    }
    let event_at = |place: &usize| arrived.get(*place).map(|(event, ..)| event);
    news.sort_by_key(|place| {
        event_at(place).map(|event| (event.replica.as_str(), event.ordinal, event.id.as_str()))
    });
    let asked: BTreeSet<(String, i64)> = news
        .iter()
        .filter_map(event_at)
        .filter_map(|event| Some((event.replica.clone(), strands.unsure(event)?)))
        .collect();
    let keys = asked
        .into_iter()
        .map(|(replica, ordinal)| vec![LOCAL.into(), replica.as_str().into(), ordinal.into()]);
    let formers = cx.scan::<Former>(Scan::of("event_by_replica").below_each(keys))?;
    strands.learn(formers.into_iter().flatten().collect());

    let mut order = Vec::with_capacity(news.len());
    for number in news {
        let Some(event) = event_at(&number) else {
            continue;
        };
        let verdict = match strands.place(event) {
            Ok(strand) => {
                order.push(number);
                Verdict::Merged(strand)
            }
            Err(why) => Verdict::Unplaced(why),
        };
        if let Some(slot) = verdicts.get_mut(number) {
            *slot = Some(verdict);
        }
    }
    let settled = verdicts.clone();
    for (slot, (event, ..)) in verdicts.iter_mut().zip(arrived) {
        match slot {
            Some(Verdict::Known(strand)) => *strand = strands.tells(event),
            Some(_) => {}
            None => {
                let twin = first.get(event.id.as_str());
                let of_twin = twin.and_then(|place| settled.get(*place).cloned().flatten());
                *slot = of_twin.map(|verdict| match verdict {
                    Verdict::Merged(strand) => Verdict::Known(Some(strand)),
                    Verdict::Known(_) => Verdict::Known(strands.tells(event)),
                    other => other,
                });
            }
        }
    }
    // Causes come before effects, whatever order they were sent in.
    order.sort_by_key(|place| {
        event_at(place).map(|event| (event.lamport, event.replica.as_str(), event.id.as_str()))
    });
    Ok(Placed {
        verdicts: verdicts
            .into_iter()
            .map(|verdict| verdict.unwrap_or(Verdict::Clash))
            .collect(),
        order,
        heads: strands.touched().cloned().collect(),
        forks: strands.begun().to_vec(),
    })
}

fn key(id: &str) -> Vec<Cell> {
    vec![LOCAL.into(), id.into()]
}

/// The events of the batch, each once.
fn read(given: &Objects) -> Step<Vec<Arrived>> {
    let mut arrived: Vec<Arrived> = Vec::with_capacity(given.0.len());
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (number, json) in given.0.iter().enumerate() {
        let (event, fields, subject) = wire::read(json.get()).map_err(|why| {
            refusal(
                422,
                format!("event {} of the batch {why}", number + 1),
                "nothing was merged; send it as its writer wrote it, or use a newer program",
            )
        })?;
        match places.get(&event.id).and_then(|place| arrived.get(*place)) {
            Some((twin, ..)) if twin.hash == event.hash => {}
            Some(_) => return stop(clash(&event)),
            None => {
                places.insert(event.id.clone(), arrived.len());
                arrived.push((event, fields, subject));
            }
        }
    }
    Ok(arrived)
}

/// Which events are missing before this one.
pub(crate) fn missing(event: &Event, next: i64) -> String {
    let last = event.ordinal - 1;
    if last == next {
        format!("event {next} is")
    } else {
        format!("events {next} to {last} are")
    }
}

fn gap(event: &Event, next: i64) -> Refusal {
    refusal(
        422,
        format!(
            "of replica `{}` event {} came, but {} missing",
            event.replica,
            event.ordinal,
            missing(event, next)
        ),
        "nothing was merged; send the missing events first",
    )
}

fn unfit(event: &Event) -> Refusal {
    refusal(
        422,
        format!(
            "the chain of replica `{}` breaks at its event {} (`{}`): the hash does not fit",
            event.replica, event.ordinal, event.id
        ),
        "nothing was merged; fetch the events again from a store whose chain is whole",
    )
}

/// One id for two contents.
fn clash(event: &Event) -> Refusal {
    refusal(
        409,
        format!(
            "event `{}` ({}) of replica `{}` is held with other content",
            event.id,
            shorten(&event.kind, 40),
            event.replica,
        ),
        "nothing was merged; one of the two was changed after it was written: fetch the events again from their writer",
    )
}
