//! Checks the hash chains over a stretch of the ledger.
//!
//! A stretch is a run of events by `seq`. Every event must follow from the one before it of the same replica. Where the
//! ledger is checked from its middle on, the first event of each replica is taken as it is. A replica whose name two stores
//! used has several chains; where one leaves another is learned before ([`Place::learn`]).

use crate::cx::{Cx, Scan, row};
use crate::ledger::strand::{first_event_of, replica_of};
use crate::ledger::{EVENT_VERSION, LOCAL, chain};
use crate::model::{Event, Replica, Workspace};
use crate::page::no_cursor;
use crate::refuse::{Step, stop};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Where a chain does not hold.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Break {
    pub seq: i64,
    pub replica: String,
    pub reason: String,
}

row! {
    /// An event that a strand leaves.
    struct Former in "event" {
        hash: String,
    }
}

const NO_HASH: &str = "its hash does not follow from its text and the event before it";

/// After so many breaks nothing new is learned.
pub(crate) const MOST_BREAKS: usize = 20;

/// How far a check has come; as text it is a cursor, with which the next call goes on.
#[derive(Debug)]
pub(crate) struct Place {
    /// The `seq` to go on at.
    pub next: i64,
    /// How many breaks were found before.
    pub broken: usize,
    /// The newest event of each strand: its ordinal and its hash.
    heads: BTreeMap<String, (i64, String)>,
    /// The first events of strands that leave another one, each with the hashes of the events before it.
    forks: BTreeMap<String, Vec<String>>,
    /// The replicas that have such strands.
    forked: BTreeSet<String>,
}

impl Default for Place {
    /// The beginning of the ledger.
    fn default() -> Self {
        Place {
            next: 1,
            broken: 0,
            heads: BTreeMap::new(),
            forks: BTreeMap::new(),
            forked: BTreeSet::new(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}", self.next, self.broken)?;
        self.heads
            .iter()
            .try_for_each(|(replica, (ordinal, hash))| write!(f, " {replica}:{ordinal}:{hash}"))
    }
}

impl Place {
    /// Reads a cursor.
    pub(crate) fn read(cursor: &str) -> Step<Place> {
        parse(cursor).map_or_else(|| stop(no_cursor(cursor)), Ok)
    }

    /// Learns where a replica's strands leave one another.
    pub(crate) fn learn(&mut self, cx: &Cx, strands: &[Replica]) -> Step<()> {
        let forks: Vec<(&str, &Replica)> = strands
            .iter()
            .filter_map(|strand| Some((first_event_of(&strand.id)?, strand)))
            .collect();
        let before = forks.iter().map(|(_, strand)| {
            let former = strand.first - 1;
            vec![LOCAL.into(), replica_of(&strand.id).into(), former.into()]
        });
        let before = cx.scan::<Former>(Scan::of("event_by_replica").below_each(before))?;
        for ((first, strand), before) in forks.into_iter().zip(before) {
            self.forked.insert(replica_of(&strand.id).to_owned());
            let before = before.into_iter().map(|event| event.hash);
            self.forks.insert(first.to_owned(), before.collect());
        }
        Ok(())
    }

    /// Checks the events that stand at this place, and moves behind them. It stops after [`MOST_BREAKS`].
    pub(crate) fn check(&mut self, events: &[Event]) -> Vec<Break> {
        let mut breaks = Vec::new();
        let mut whole = self.next == 1 || !self.heads.is_empty() && self.broken == 0;
        for event in events {
            let mut found = |seq, reason| {
                breaks.push(Break {
                    seq,
                    replica: event.replica.clone(),
                    reason,
                })
            };
            if event.seq != self.next {
                found(self.next, missing(self.next, event.seq));
                // Nobody knows whose events are missing, so each chain is taken up anew behind the gap.
                self.heads.clear();
                whole = false;
            } else if let Err(reason) = self.follows(event, whole) {
                found(event.seq, reason);
            }
            let strand = self.strand(event);
            self.heads
                .insert(strand, (event.ordinal, event.hash.clone()));
            self.next = event.seq + 1;
            if breaks.len() == MOST_BREAKS {
                break;
            }
        }
        breaks
    }

    /// The newest event of a strand: its ordinal and its hash.
    pub(crate) fn head(&self, replica: &str) -> Option<&(i64, String)> {
        self.heads.get(replica)
    }

    /// Of every strand whose events were seen since the last gap.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (&str, (i64, &str))> {
        self.heads
            .iter()
            .map(|(replica, newest)| (replica.as_str(), (newest.0, newest.1.as_str())))
    }

    /// Whether the event follows from one that was seen, or begins a strand.
    fn follows(&self, event: &Event, whole: bool) -> Result<(), String> {
        let former = match self.forks.get(&event.id) {
            Some(formers) => {
                let fits = |former: &String| chain::hash(former, event) == event.hash;
                return match event.ordinal == 1 || formers.iter().any(fits) {
                    true => Ok(()),
                    false => Err(NO_HASH.to_owned()),
                };
            }
            None => self.heads.get(&self.strand(event)),
        };
        // Checked from its middle, a forked replica's next strand may be one that was not seen yet.
        if former.is_none() && !whole && self.forked.contains(&event.replica) {
            return Ok(());
        }
        broken(event, former, whole).map_or(Ok(()), Err)
    }

    /// The strand that the event continues; where it continues none, the replica's first one.
    fn strand(&self, event: &Event) -> String {
        if !self.forked.contains(&event.replica) {
            return event.replica.clone();
        }
        let begins = format!("{}~{}", event.replica, event.id);
        if self.forks.contains_key(&event.id) {
            return begins;
        }
        let mut strands = self.heads.iter().filter(|(strand, (ordinal, hash))| {
            replica_of(strand) == event.replica
                && ordinal + 1 == event.ordinal
                && chain::hash(hash, event) == event.hash
        });
        match strands.next() {
            Some((strand, _)) => strand.clone(),
            // It was seen already: this is its place in the list of heads.
            None if self.heads.contains_key(&event.replica) && self.next > 1 => begins,
            None => event.replica.clone(),
        }
    }

    /// Checks that the ledger ends where the counters say.
    pub(crate) fn end(&self, home: &Workspace, last: Option<&Event>) -> Option<Break> {
        let seq = last.map_or(0, |last| last.seq);
        let newest = self.heads.get(&home.replica);
        let reason = if seq != home.seq {
            format!("the ledger ends at {seq}, the counters at {}", home.seq)
        } else if newest.is_some_and(|head| (head.0, &head.1) != (home.ordinal, &home.chain)) {
            "the newest event of this store is not the one that its counters name".to_owned()
        } else {
            return None;
        };
        Some(Break {
            seq: home.seq,
            replica: home.replica.clone(),
            reason,
        })
    }
}

fn parse(cursor: &str) -> Option<Place> {
    let mut parts = cursor.strip_prefix('v')?.split(' ');
    let (next, broken) = parts.next()?.split_once('.')?;
    let head = |part: &str| {
        let (replica, rest) = part.split_once(':')?;
        let (ordinal, hash) = rest.split_once(':')?;
        Some((replica.to_owned(), (ordinal.parse().ok()?, hash.to_owned())))
    };
    Some(Place {
        next: next.parse().ok().filter(|next| *next > 0)?,
        broken: broken.parse().ok()?,
        heads: parts.map(head).collect::<Option<_>>()?,
        ..Place::default()
    })
}

fn missing(from: i64, until: i64) -> String {
    if until - from == 1 {
        format!("event {from} is missing")
    } else {
        format!("events {from} to {} are missing", until - 1)
    }
}

/// Why an event does not follow; `whole` says that all events before it were seen.
fn broken(event: &Event, former: Option<&(i64, String)>, whole: bool) -> Option<String> {
    if event.version > EVENT_VERSION {
        return Some(format!(
            "its format {} is newer than this program",
            event.version
        ));
    }
    let (ordinal, hash) = match former {
        Some((ordinal, hash)) => (*ordinal, hash.as_str()),
        None if whole || event.ordinal == 1 => (0, ""),
        None => return None,
    };
    if event.ordinal != ordinal + 1 {
        return Some(format!(
            "it is number {} of its replica, behind number {ordinal}",
            event.ordinal
        ));
    }
    (chain::hash(hash, event) != event.hash).then(|| NO_HASH.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Break, Place, parse};
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

    /// A check that begins at `next`, as one of the newest events does.
    fn at(next: i64) -> Place {
        Place {
            next,
            ..Place::default()
        }
    }

    fn reasons(from: i64, events: &[Event]) -> Vec<(i64, String)> {
        let breaks: Vec<Break> = at(from).check(events);
        breaks
            .into_iter()
            .map(|found| (found.seq, found.reason))
            .collect()
    }

    #[test]
    fn a_chain_holds_from_its_beginning_and_from_its_middle() {
        let events = chain_of("r", 5);
        assert_eq!(reasons(1, &events), []);
        assert_eq!(reasons(3, &events[2..]), []);
    }

    #[test]
    fn a_replica_begins_with_its_first_event() {
        let mut events = chain_of("r", 5).split_off(2);
        (1..)
            .zip(&mut events)
            .for_each(|(seq, event)| event.seq = seq);
        let reason = "it is number 3 of its replica, behind number 0";
        assert_eq!(reasons(1, &events), [(1, reason.to_owned())]);
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
    fn a_cursor_carries_the_chains_and_what_was_found_on() {
        let mut events = chain_of("r", 4);
        let mut place = Place::default();
        assert_eq!(place.check(&events[..2]), []);
        let cursor = place.to_string();
        let mut later = parse(&cursor).expect("a cursor");
        assert_eq!((later.next, later.check(&events[2..])), (3, Vec::new()));
        // The first event behind the cursor is checked against the one before it.
        events[2].hash = "x".to_owned();
        let mut later = parse(&cursor).expect("a cursor");
        assert_eq!(later.check(&events[2..3]).len(), 1);
        place.broken = 2;
        let later = parse(&place.to_string()).expect("a cursor");
        assert_eq!(later.broken, 2);
        for bad in [
            "",
            "v",
            "v0.0",
            "v3",
            "3.0",
            "v3.0 r",
            "v3.0 r:x:y",
            "v3.-1",
        ] {
            assert!(parse(bad).is_none(), "{bad}");
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
