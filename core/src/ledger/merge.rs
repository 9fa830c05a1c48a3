//! Takes in other stores' events: union by id, and a new fold of what they touch.
//!
//! Owns: what may follow what is held (each replica's chain, without gaps and forks), and the counters. A batch is
//! taken whole or not at all.

use crate::args::Objects;
use crate::cx::{Cx, Scan, row};
use crate::ledger::{Fields, LOCAL, Subject, Tx, chain, refold, wire};
use crate::model::{Conflict, Event, Replica};
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
    pub seq: i64,
}

row! {
    /// An event by its name and its content.
    struct Held in "event" {
        id: String,
        hash: String,
    }
}

type Arrived = (Event, Fields, Subject);

/// Merges a batch of events as they came over the wire.
pub(crate) fn merge(cx: &Cx, given: &Objects) -> Step<Merged> {
    let arrived = read(given)?;
    let tx = Tx::open(cx);
    let ids: BTreeSet<&str> = arrived
        .iter()
        .map(|(event, ..)| event.id.as_str())
        .collect();
    let held = cx.scan::<Held>(Scan::of("event_by_id").below_each(ids.into_iter().map(key)));
    let replicas: BTreeSet<&str> = arrived
        .iter()
        .map(|(event, ..)| event.replica.as_str())
        .collect();
    let keys: Vec<Vec<Cell>> = replicas.into_iter().map(key).collect();
    let replicas = cx.rows::<Replica>(&keys);
    let (mut tx, held, replicas) = (tx?, held?, replicas?);

    let held: BTreeMap<String, String> = held
        .into_iter()
        .flatten()
        .map(|event| (event.id, event.hash))
        .collect();
    let given = arrived.len();
    let mut news = Vec::with_capacity(given);
    for (event, fields, subject) in arrived {
        match held.get(&event.id) {
            Some(hash) if *hash == event.hash => {}
            Some(_) => return stop(fork(&event)),
            None => news.push((event, fields, subject)),
        }
    }
    let mut done = Merged {
        known: given - news.len(),
        seq: tx.home.seq,
        open_conflicts: tx.home.conflicts,
        ..Merged::default()
    };
    if news.is_empty() {
        return Ok(done);
    }
    let replicas = replicas
        .into_iter()
        .flatten()
        .map(|replica| (replica.id.clone(), replica))
        .collect();
    let heads = follow(&tx, replicas, &mut news)?;
    // Causes come before effects, whatever order they were sent in.
    news.sort_by(|(a, ..), (b, ..)| {
        (a.lamport, &a.replica, &a.id).cmp(&(b.lamport, &b.replica, &b.id))
    });
    for (event, ..) in &mut news {
        tx.home.seq += 1;
        event.workspace = tx.workspace();
        event.seq = tx.home.seq;
        tx.home.lamport = tx.home.lamport.max(event.lamport);
    }
    for mut head in heads {
        if head.id == tx.home.replica {
            (tx.home.ordinal, tx.home.chain) = (head.ordinal, head.chain);
        } else {
            head.seq = tx.home.seq;
            tx.put(&head);
        }
    }
    let (conflicts, subjects) = refold::refold(&mut tx, &news)?;
    news.iter().for_each(|(event, ..)| tx.put(event));
    tx.recorded += u32::try_from(news.len()).unwrap_or(u32::MAX);
    done = Merged {
        merged: news.len(),
        subjects,
        conflicts,
        open_conflicts: tx.home.conflicts,
        seq: tx.home.seq,
        ..done
    };
    tx.finish();
    Ok(done)
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
            Some(_) => return stop(fork(&event)),
            None => {
                places.insert(event.id.clone(), arrived.len());
                arrived.push((event, fields, subject));
            }
        }
    }
    Ok(arrived)
}

/// Checks that each replica's news go on where its held events end, and that the chain holds; answers the new heads.
fn follow(
    tx: &Tx,
    mut heads: BTreeMap<String, Replica>,
    news: &mut [Arrived],
) -> Step<Vec<Replica>> {
    news.sort_by(|(a, ..), (b, ..)| (&a.replica, a.ordinal).cmp(&(&b.replica, b.ordinal)));
    let mut touched = BTreeSet::new();
    for (event, ..) in news.iter() {
        let head = heads
            .entry(event.replica.clone())
            .or_insert_with(|| Replica {
                workspace: tx.workspace(),
                id: event.replica.clone(),
                ..Replica::default()
            });
        if event.replica == tx.home.replica && !touched.contains(&event.replica) {
            (head.ordinal, head.chain) = (tx.home.ordinal, tx.home.chain.clone());
        }
        touched.insert(event.replica.clone());
        if event.ordinal <= head.ordinal {
            return stop(fork(event));
        }
        let next = head.ordinal + 1;
        if event.ordinal != next {
            return stop(gap(event, next));
        }
        if chain::hash(&head.chain, event) != event.hash {
            return stop(refusal(
                422,
                format!(
                    "the chain of replica `{}` breaks at its event {} (`{}`): the hash does not fit",
                    event.replica, event.ordinal, event.id
                ),
                "nothing was merged; fetch the events again from a store whose chain is whole",
            ));
        }
        head.ordinal = event.ordinal;
        head.lamport = head.lamport.max(event.lamport);
        head.chain.clone_from(&event.hash);
    }
    heads.retain(|id, _| touched.contains(id));
    Ok(heads.into_values().collect())
}

fn gap(event: &Event, next: i64) -> Refusal {
    let last = event.ordinal - 1;
    let missing = if last == next {
        format!("event {next} is")
    } else {
        format!("events {next} to {last} are")
    };
    refusal(
        422,
        format!(
            "of replica `{}` event {} came, but {missing} missing",
            event.replica, event.ordinal
        ),
        "nothing was merged; send the missing events first",
    )
}

/// One replica's name was used for two histories.
fn fork(event: &Event) -> Refusal {
    refusal(
        409,
        format!(
            "replica `{}` has two histories: its event {} is held with other content than `{}` ({})",
            event.replica,
            event.ordinal,
            event.id,
            shorten(&event.kind, 40)
        ),
        "nothing was merged; one of the two stores is a copy that was written to: export what is new there and import it",
    )
}
