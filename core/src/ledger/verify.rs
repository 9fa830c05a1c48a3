//! Checks the hash chains over a stretch of the ledger.
//!
//! A stretch is a run of events by `seq`. Of each replica the first event in it is taken as it is, unless what came
//! before is known; every later one must follow from the one before it.

use crate::ledger::{EVENT_VERSION, chain};
use crate::model::{Event, Workspace};
use crate::page::no_cursor;
use crate::refuse::{Step, stop};
use serde::Serialize;
use std::collections::BTreeMap;

/// Where a chain does not hold.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Break {
    pub seq: i64,
    pub replica: String,
    pub reason: String,
}

/// The newest event known of a replica: its ordinal and its hash.
pub(crate) type Heads = BTreeMap<String, (i64, String)>;

/// After so many breaks nothing new is learned.
pub(crate) const MOST_BREAKS: usize = 20;

/// Checks events that follow each other from `seq` on; `heads` is carried on to the next stretch.
pub(crate) fn stretch(from: i64, events: &[Event], heads: &mut Heads) -> Vec<Break> {
    let mut breaks = Vec::new();
    let mut expected = from;
    for event in events {
        let mut found = |seq, reason| {
            breaks.push(Break {
                seq,
                replica: event.replica.clone(),
                reason,
            })
        };
        if event.seq != expected {
            found(expected, missing(expected, event.seq));
            // Nobody knows whose events are missing, so each chain is taken up anew behind the gap.
            heads.clear();
        } else if let Some(reason) = broken(event, heads.get(&event.replica)) {
            found(event.seq, reason);
        }
        heads.insert(event.replica.clone(), (event.ordinal, event.hash.clone()));
        expected = event.seq + 1;
        if breaks.len() == MOST_BREAKS {
            break;
        }
    }
    breaks
}

fn missing(from: i64, until: i64) -> String {
    if until - from == 1 {
        format!("event {from} is missing")
    } else {
        format!("events {from} to {} are missing", until - 1)
    }
}

/// Where to go on, as text: the next `seq` and the heads behind which it follows.
pub(crate) fn pause(next: i64, heads: &Heads) -> String {
    let heads = heads
        .iter()
        .map(|(replica, (ordinal, hash))| format!(" {replica}:{ordinal}:{hash}"));
    format!("v{next}{}", heads.collect::<String>())
}

/// Reads what [`pause`] wrote.
pub(crate) fn resume(cursor: &str) -> Step<(i64, Heads)> {
    let mut parts = cursor.strip_prefix('v').unwrap_or_default().split(' ');
    let next = parts
        .next()
        .and_then(|next| next.parse().ok())
        .filter(|next| *next > 0);
    let head = |part: &str| {
        let (replica, rest) = part.split_once(':')?;
        let (ordinal, hash) = rest.split_once(':')?;
        Some((replica.to_owned(), (ordinal.parse().ok()?, hash.to_owned())))
    };
    let heads: Option<Heads> = parts.map(head).collect();
    match next.zip(heads) {
        Some(place) => Ok(place),
        None => stop(no_cursor(cursor)),
    }
}

fn broken(event: &Event, former: Option<&(i64, String)>) -> Option<String> {
    if event.version > EVENT_VERSION {
        return Some(format!(
            "its format {} is newer than this program",
            event.version
        ));
    }
    let (ordinal, hash) = match former {
        Some((ordinal, hash)) => (*ordinal, hash.as_str()),
        None if event.ordinal == 1 => (0, ""),
        None => return None,
    };
    if event.ordinal != ordinal + 1 {
        return Some(format!(
            "it is number {} of its replica, behind number {ordinal}",
            event.ordinal
        ));
    }
    (chain::hash(hash, event) != event.hash)
        .then(|| "its hash does not follow from its text and the event before it".to_owned())
}

/// Checks that the ledger ends where the counters say.
pub(crate) fn end(home: &Workspace, last: Option<&Event>, heads: &Heads) -> Option<Break> {
    let at = |reason: String| {
        Some(Break {
            seq: home.seq,
            replica: home.replica.clone(),
            reason,
        })
    };
    match last {
        None if home.seq > 0 => {
            return at("the ledger is empty, but the counters are not".to_owned());
        }
        Some(last) if last.seq != home.seq => {
            return at(format!(
                "the ledger ends at {}, the counters at {}",
                last.seq, home.seq
            ));
        }
        _ => {}
    }
    match heads.get(&home.replica) {
        Some((ordinal, hash)) if (*ordinal, hash) != (home.ordinal, &home.chain) => {
            at("the newest event of this store is not the one that its counters name".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Heads, pause, resume, stretch};
    use crate::ledger::chain;
    use crate::model::Event;

    fn chain_of(replica: &str, count: i64) -> Vec<Event> {
        let mut former = String::new();
        let events = (1..=count).map(|ordinal| {
            let mut event = Event {
                seq: ordinal,
                ordinal,
                replica: replica.to_owned(),
                id: format!("{replica}{ordinal}"),
                fields: "{\"title\":\"a\"}".to_owned(),
                version: 1,
                ..Event::default()
            };
            event.hash = chain::hash(&former, &event);
            former.clone_from(&event.hash);
            event
        });
        events.collect()
    }

    fn reasons(from: i64, events: &[Event]) -> Vec<(i64, String)> {
        stretch(from, events, &mut Heads::new())
            .into_iter()
            .map(|found| (found.seq, found.reason))
            .collect()
    }

    #[test]
    fn a_chain_holds_from_its_beginning_and_from_its_middle() {
        let events = chain_of("r", 5);
        assert_eq!(reasons(1, &events), []);
        assert_eq!(reasons(3, &events[2..]), []);
        let mut heads = Heads::new();
        assert_eq!(stretch(1, &events[..2], &mut heads), []);
        assert_eq!(stretch(3, &events[2..], &mut heads), []);
    }

    #[test]
    fn every_change_is_seen_where_it_was_made() {
        type Damage = fn(&mut Event);
        let damages: [Damage; 6] = [
            |event| event.fields = "{\"title\":\"b\"}".to_owned(),
            |event| event.actor = "mallory".to_owned(),
            |event| event.at = 1,
            |event| event.ordinal = 9,
            |event| event.version = 2,
            |event| event.hash = "x".to_owned(),
        ];
        for damage in damages {
            let mut events = chain_of("r", 5);
            events.get_mut(2).into_iter().for_each(damage);
            assert_eq!(reasons(1, &events).first().map(|found| found.0), Some(3));
        }
        let mut events = chain_of("r", 5);
        events.remove(2);
        assert_eq!(reasons(1, &events), [(3, "event 3 is missing".to_owned())]);
    }

    #[test]
    fn a_pause_carries_the_chains_on() {
        let events = chain_of("r", 4);
        let mut heads = Heads::new();
        assert_eq!(stretch(1, &events[..2], &mut heads), []);
        let (next, mut heads) = resume(&pause(3, &heads)).expect("a cursor");
        assert_eq!(
            (next, stretch(3, &events[2..], &mut heads)),
            (3, Vec::new())
        );
        let mut wrong = events;
        wrong[2].hash = "x".to_owned();
        let (_, mut heads) = resume("v3 r:2:y").expect("a cursor");
        assert_eq!(stretch(3, &wrong[2..3], &mut heads).len(), 1);
        for bad in ["", "v", "v0", "3", "v3 r", "v3 r:x:y"] {
            assert!(resume(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn replicas_have_chains_of_their_own() {
        let (a, b) = (chain_of("a", 2), chain_of("b", 2));
        let mut mixed: Vec<Event> = a.into_iter().zip(b).flat_map(|(a, b)| [a, b]).collect();
        (1..)
            .zip(&mut mixed)
            .for_each(|(seq, event)| event.seq = seq);
        assert_eq!(reasons(1, &mixed), []);
    }
}
