//! Where an event belongs among what is held of its replica.
//!
//! A replica's events are one chain, or, where its name was used by two stores (a project copied with its database),
//! a tree of chains. A strand is one way through that tree from where it leaves an older strand; the first strand of a
//! replica begins at its first event and bears the replica's name, any other is `REPLICA~FIRST-EVENT`. Every event has
//! a known event before it, whose hash its own continues, so a strand never has a gap.

use crate::cx::row;
use crate::ledger::chain;
use crate::model::{Event, Replica, Workspace};
use std::collections::{BTreeMap, BTreeSet};

/// Between a replica and the first event of one of its further strands.
const FORK: char = '~';

row! {
    /// An event that others may follow.
    pub(super) struct Former in "event" {
        replica: String,
        ordinal: i64,
        hash: String,
    }
}

/// Why an event cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unplaced {
    /// Events before it are missing, from this one on.
    Gap(i64),
    /// It continues none of the events that could stand before it.
    Unfit,
}

/// All strands, and the hashes of events that were seen.
#[derive(Debug, Default)]
pub(super) struct Strands {
    heads: BTreeMap<String, Vec<Replica>>,
    hashes: BTreeMap<(String, i64), Vec<String>>,
    touched: BTreeSet<String>,
    begun: Vec<String>,
}

/// The replica that a strand is of.
pub(crate) fn replica_of(strand: &str) -> &str {
    strand.split(FORK).next().unwrap_or_default()
}

/// The first event of a strand that is not its replica's first one.
pub(crate) fn first_event_of(strand: &str) -> Option<&str> {
    strand.split_once(FORK).map(|(_, event)| event)
}

impl Strands {
    /// The strands of other stores and this store's own.
    pub(super) fn new(home: &Workspace, others: Vec<Replica>) -> Self {
        let mut strands = Strands::default();
        if home.ordinal > 0 {
            strands.add(Replica {
                workspace: home.workspace,
                id: home.replica.clone(),
                ordinal: home.ordinal,
                lamport: home.lamport,
                chain: home.chain.clone(),
                ..Replica::default()
            });
        }
        others.into_iter().for_each(|strand| strands.add(strand));
        strands
    }

    fn add(&mut self, strand: Replica) {
        let replica = replica_of(&strand.id).to_owned();
        self.saw(&replica, strand.ordinal, &strand.chain);
        self.heads.entry(replica).or_default().push(strand);
    }

    fn saw(&mut self, replica: &str, ordinal: i64, hash: &str) {
        let seen = self
            .hashes
            .entry((replica.to_owned(), ordinal))
            .or_default();
        if !seen.iter().any(|one| one == hash) {
            seen.push(hash.to_owned());
        }
    }

    /// An event that is held.
    pub(super) fn holds(&mut self, event: &Event) {
        self.saw(&event.replica, event.ordinal, &event.hash);
    }

    pub(super) fn learn(&mut self, formers: Vec<Former>) {
        for former in formers {
            self.saw(&former.replica, former.ordinal, &former.hash);
        }
    }

    fn of(&self, replica: &str) -> &[Replica] {
        self.heads.get(replica).map_or(&[], Vec::as_slice)
    }

    fn last(&self, replica: &str) -> i64 {
        let ordinals = self.of(replica).iter().map(|strand| strand.ordinal);
        ordinals.max().unwrap_or(0)
    }

    /// The strand that the event continues at its end.
    fn continued(&mut self, event: &Event) -> Option<&mut Replica> {
        let strands = self.heads.get_mut(&event.replica)?;
        strands.iter_mut().find(|strand| {
            strand.ordinal + 1 == event.ordinal && chain::hash(&strand.chain, event) == event.hash
        })
    }

    /// The ordinal whose events have to be known before this one can be placed, where that has to be asked.
    pub(super) fn unsure(&mut self, event: &Event) -> Option<i64> {
        let former = event.ordinal - 1;
        let asked = former > 0 && former <= self.last(&event.replica);
        (asked && self.continued(event).is_none()).then_some(former)
    }

    /// Puts the event behind the one it follows; answers its strand.
    pub(super) fn place(&mut self, event: &Event) -> Result<String, Unplaced> {
        let (ordinal, lamport, hash) = (event.ordinal, event.lamport, event.hash.clone());
        if let Some(strand) = self.continued(event) {
            strand.ordinal = ordinal;
            strand.lamport = strand.lamport.max(lamport);
            strand.chain = hash;
            let id = strand.id.clone();
            self.saw(&event.replica, ordinal, &event.hash);
            self.touched.insert(id.clone());
            return Ok(id);
        }
        let former = ordinal - 1;
        let first = [String::new()];
        let formers = match self.hashes.get(&(event.replica.clone(), former)) {
            _ if former == 0 => first.as_slice(),
            Some(hashes) => hashes.as_slice(),
            None => return Err(Unplaced::Gap(self.last(&event.replica) + 1)),
        };
        if !formers
            .iter()
            .any(|former| chain::hash(former, event) == event.hash)
        {
            return Err(Unplaced::Unfit);
        }
        let id = if self.of(&event.replica).is_empty() {
            event.replica.clone()
        } else {
            let id = format!("{}{FORK}{}", event.replica, event.id);
            self.begun.push(id.clone());
            id
        };
        self.touched.insert(id.clone());
        self.add(Replica {
            workspace: crate::ledger::LOCAL,
            id: id.clone(),
            ordinal,
            lamport,
            chain: hash,
            first: ordinal,
            ..Replica::default()
        });
        Ok(id)
    }

    /// The strand of an event that is held, as far as it alone tells: of a replica with several strands, the events
    /// before the first fork and those that begin a strand.
    pub(super) fn tells(&self, event: &Event) -> Option<String> {
        let strands = self.of(&event.replica);
        let begins = |strand: &&Replica| first_event_of(&strand.id) == Some(&event.id);
        if let Some(strand) = strands.iter().find(begins) {
            return Some(strand.id.clone());
        }
        let forks = strands
            .iter()
            .filter(|strand| first_event_of(&strand.id).is_some());
        let fork = forks.map(|strand| strand.first).min();
        fork.is_none_or(|fork| event.ordinal < fork)
            .then(|| event.replica.clone())
    }

    /// The strands that were begun beside older ones.
    pub(super) fn begun(&self) -> &[String] {
        &self.begun
    }

    /// The strands that events were put on.
    pub(super) fn touched(&self) -> impl Iterator<Item = &Replica> {
        let all = self.heads.values().flatten();
        all.filter(|strand| self.touched.contains(&strand.id))
    }
}
