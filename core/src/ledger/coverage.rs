//! What of the ledger stands in segments that are there, and what does not.
//!
//! Owns: the runs of events that are to be written. Never: files; which names are there is told.

use crate::cx::{Cx, Scan};
use crate::ledger::strand::{first_event_of, replica_of};
use crate::ledger::{LOCAL, chain};
use crate::model::{Event, Replica, Segment, Workspace};
use crate::refuse::Step;
use std::collections::{BTreeMap, BTreeSet};

/// Events read for one segment at most.
const MOST_EVENTS: i64 = 4_000;

/// Events of one strand without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub strand: String,
    pub first: i64,
    pub last: i64,
}

impl Run {
    pub(crate) fn count(&self) -> i64 {
        self.last - self.first + 1
    }
}

/// The strands held, and what of each is written.
#[derive(Debug)]
pub(crate) struct Coverage {
    /// Strand to its first and last ordinal.
    pub strands: BTreeMap<String, (i64, i64)>,
    /// Names of segments whose content is known.
    pub known: BTreeSet<String>,
    /// This store's own name, and its ledger's last place.
    pub replica: String,
    pub seq: i64,
    rows: Vec<Segment>,
}

impl Coverage {
    pub(crate) fn learn(cx: &Cx) -> Step<Coverage> {
        let below = || Scan::of("primary").below(vec![LOCAL.into()]);
        let home = cx.row::<Workspace>(vec![LOCAL.into()]);
        let others = cx.scan_one::<Replica>(below());
        let rows = cx.scan_one::<Segment>(below());
        let (home, others, rows) = (home?.unwrap_or_default(), others?, rows?);
        let mut strands: BTreeMap<String, (i64, i64)> = others
            .into_iter()
            .map(|strand| (strand.id, (strand.first.max(1), strand.ordinal)))
            .collect();
        if home.ordinal > 0 {
            strands.insert(home.replica.clone(), (1, home.ordinal));
        }
        Ok(Coverage {
            strands,
            known: rows.iter().map(|row| row.name.clone()).collect(),
            replica: home.replica,
            seq: home.seq,
            rows,
        })
    }

    /// What stands in no segment of those that are there.
    pub(crate) fn missing(&self, is_there: impl Fn(&str) -> bool) -> Vec<Run> {
        let mut covered: BTreeMap<&str, Vec<(i64, i64)>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| is_there(&row.name)) {
            let runs = covered.entry(row.strand.as_str()).or_default();
            runs.push((row.first, row.last));
        }
        let mut missing = Vec::new();
        for (strand, (first, last)) in &self.strands {
            let mut runs = covered.remove(strand.as_str()).unwrap_or_default();
            runs.sort_unstable();
            let mut next = *first;
            let end = (last + 1, last + 1);
            for (from, to) in runs.into_iter().chain([end]) {
                if from > next {
                    missing.push(Run {
                        strand: strand.clone(),
                        first: next,
                        last: (from - 1).min(*last),
                    });
                }
                next = next.max(to + 1);
            }
        }
        missing.retain(|run| run.first <= run.last);
        missing
    }

    /// Of these files beside the store: how many events stand in none of them, and how many are not known.
    pub(crate) fn beside(&self, names: &[String]) -> (i64, usize) {
        let there: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let missing = self.missing(|name| there.contains(name));
        let unknown = there.iter().filter(|name| !self.known.contains(**name));
        (missing.iter().map(Run::count).sum(), unknown.count())
    }

    /// The ordinal at which a replica's history divides; none where it does not.
    fn fork_of(&self, replica: &str) -> Option<i64> {
        let forks = self.strands.iter().filter(|(strand, _)| {
            replica_of(strand) == replica && first_event_of(strand).is_some()
        });
        forks.map(|(_, (first, _))| *first).min()
    }

    /// The events of a run, as many as one call reads.
    pub(crate) fn events(&self, cx: &Cx, run: &Run) -> Step<Vec<Event>> {
        let replica = replica_of(&run.strand);
        let below = vec![LOCAL.into(), replica.into()];
        let scan = Scan::of("event_by_replica").below(below);
        let Some(fork) = self.fork_of(replica) else {
            let end = run.last.min(run.first + MOST_EVENTS);
            return cx.scan_one::<Event>(scan.from(run.first).to(end + 1));
        };
        // Before the fork there is one event of each ordinal.
        if run.first < fork {
            let end = run.last.min(fork - 1).min(run.first + MOST_EVENTS);
            return cx.scan_one::<Event>(scan.from(run.first).to(end + 1));
        }
        let begin = self
            .strands
            .get(&run.strand)
            .map_or(1, |(first, _)| *first)
            .max(fork);
        let end = run.last.min(run.first + MOST_EVENTS);
        let events = cx.scan_one::<Event>(scan.from(begin).to(end + 1))?;
        let mut way = self.way(&run.strand, begin, events);
        way.retain(|event| event.ordinal >= run.first);
        Ok(way)
    }

    /// Of the events of all strands of a replica those on this strand: each follows from the one before.
    fn way(&self, strand: &str, begin: i64, events: Vec<Event>) -> Vec<Event> {
        let begins: BTreeSet<&str> = self
            .strands
            .keys()
            .filter_map(|id| first_event_of(id))
            .collect();
        let own = first_event_of(strand);
        let mut way: Vec<Event> = Vec::new();
        for event in events {
            let follows = match way.last() {
                None if event.ordinal != begin => false,
                None => match own {
                    Some(id) => event.id == id,
                    None => !begins.contains(event.id.as_str()),
                },
                Some(before) => {
                    before.ordinal + 1 == event.ordinal
                        && !begins.contains(event.id.as_str())
                        && chain::hash(&before.hash, &event) == event.hash
                }
            };
            if follows {
                way.push(event);
            }
        }
        way
    }
}
