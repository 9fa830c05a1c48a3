//! The ledger itself: chains, places, counters.

use super::Finding;
use super::place::{Place, Spot};
use crate::cx::{Cx, Scan};
use crate::ledger::{LOCAL, Subject, Tx, verify};
use crate::model::{Conflict, Event, Replica, Workspace};
use crate::refuse::Step;
use std::collections::BTreeMap;

/// Events in a stretch.
const STRETCH: u32 = 5_000;
const LOST: &str = "an event cannot be made again: restore a backup from before, or keep the store as it is (what it holds stays readable)";
const COUNTERS: &str = "the counters are set to what the ledger holds";

/// What a stretch of the ledger showed.
pub(super) struct Looked {
    pub events: usize,
    pub next: Place,
    breaks: Vec<verify::Break>,
    strange: Vec<(String, String)>,
    counters: Option<Counters>,
}

/// The counters as they are and as they should be, known at the ledger's end.
pub(super) struct Counters {
    is: Option<Workspace>,
    pub should: Workspace,
    /// Rows of other stores that are not as they should be.
    pub replicas: Vec<Replica>,
}

pub(super) fn look(cx: &Cx, at: &str, broken: usize) -> Step<Looked> {
    let mut place = verify::Place::read(at)?;
    let ledger = || Scan::of("primary").below(vec![LOCAL.into()]);
    let home = cx.row::<Workspace>(vec![LOCAL.into()]);
    let replicas = cx.scan_one::<Replica>(ledger());
    let newest = cx.scan_one::<Event>(ledger().desc().limit(1));
    let stretch = cx.scan_one::<Event>(ledger().from(place.next).limit(STRETCH));
    let (home, replicas, newest, stretch) = (home?, replicas?, newest?, stretch?);
    place.learn(cx, &replicas)?;
    let breaks = place.check(&stretch);
    let broken = broken + breaks.len();
    let is_strange = |event: &&Event| Subject::parse(&event.subject).is_none();
    let strange = stretch.iter().filter(is_strange);
    let strange = strange
        .map(|event| (event.id.clone(), event.subject.clone()))
        .collect();
    let last = newest.first();
    let more = broken < verify::MOST_BREAKS && last.is_some_and(|last| place.next <= last.seq);
    place.broken = broken;
    // Where reading stopped at too many breaks, nobody knows how the ledger ends.
    let counters = (!more && broken < verify::MOST_BREAKS)
        .then(|| counters(cx, home, replicas, &place, last))
        .flatten();
    let spot = if more {
        Spot::Ledger(place.to_string())
    } else {
        Spot::Rows(0, Vec::new())
    };
    Ok(Looked {
        events: stretch.len(),
        next: Place { spot, broken },
        breaks,
        strange,
        counters,
    })
}

/// None where all is as it should be.
fn counters(
    cx: &Cx,
    is: Option<Workspace>,
    replicas: Vec<Replica>,
    place: &verify::Place,
    last: Option<&Event>,
) -> Option<Counters> {
    if is.is_none() && last.is_none() {
        return None;
    }
    let mut should = is.clone().unwrap_or_else(|| Tx::new_home(cx));
    let known = |id: &str| replicas.iter().find(|replica| replica.id == id);
    should.seq = last.map_or(0, |last| last.seq);
    let clocks = replicas
        .iter()
        .map(|replica| replica.lamport)
        .chain(last.map(|last| last.lamport));
    should.lamport = clocks.fold(should.lamport, i64::max);
    let own = place.head(&should.replica).cloned();
    let mut heads: BTreeMap<&str, (i64, &str)> = place.heads().collect();
    match own {
        Some((ordinal, hash)) if ordinal >= should.ordinal => {
            heads.remove(should.replica.as_str());
            (should.ordinal, should.chain) = (ordinal, hash);
        }
        // Its newest events are gone. Others may hold them, so their numbers must not be given again.
        Some(_) => Tx::rename(cx, &mut should),
        None if should.ordinal > 0 && place.broken == 0 => Tx::rename(cx, &mut should),
        None => {}
    }
    let mut wrong: Vec<Replica> = Vec::new();
    for (id, (ordinal, hash)) in &heads {
        let row = known(id);
        if row.is_none_or(|row| (row.ordinal, row.chain.as_str()) != (*ordinal, *hash)) {
            wrong.push(Replica {
                workspace: LOCAL,
                id: (*id).to_owned(),
                ordinal: *ordinal,
                lamport: row.map_or(should.lamport, |row| row.lamport),
                chain: (*hash).to_owned(),
                first: row.map_or(1, |row| row.first),
                seq: should.seq,
            });
        }
    }
    let is_held = |row: &&Replica| row.ordinal >= row.first.max(1);
    let lost = replicas.iter().filter(is_held);
    let lost = lost.filter(|row| place.broken == 0 && !heads.contains_key(row.id.as_str()));
    let emptied = |row: &Replica| Replica {
        ordinal: row.first.max(1) - 1,
        chain: String::new(),
        seq: should.seq,
        ..row.clone()
    };
    wrong.extend(lost.map(emptied));
    (is.as_ref() != Some(&should) || !wrong.is_empty()).then_some(Counters {
        is,
        should,
        replicas: wrong,
    })
}

impl Looked {
    pub(super) fn counters(self) -> Option<Counters> {
        self.counters
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        let broken = self.breaks.iter().map(|found| {
            let what = format!("the chain breaks at event {}: {}", found.seq, found.reason);
            Finding::new("chain", format!("event {}", found.seq), what, LOST).by_hand()
        });
        let strange = self.strange.iter().map(|(id, subject)| {
            let what = format!("event `{id}` is about `{subject}`, which is nothing known here");
            Finding::new(
                "chain",
                format!("event {id}"),
                what,
                "install the newest version of this program",
            )
            .by_hand()
        });
        let mut all: Vec<Finding> = broken.chain(strange).collect();
        if let Some(counters) = &self.counters {
            all.extend(counters.findings());
        }
        all
    }
}

impl Counters {
    fn findings(&self) -> Vec<Finding> {
        let finding = |subject: &str, what: String| {
            Finding::new("counter", subject.to_owned(), what, COUNTERS)
        };
        let Some(is) = &self.is else {
            return vec![finding(
                "workspace",
                "the row of the counters is missing".to_owned(),
            )];
        };
        let mut found = Vec::new();
        let should = &self.should;
        if is.seq != should.seq {
            let what = format!(
                "the ledger ends at event {}, the counters say {}",
                should.seq, is.seq
            );
            found.push(finding("workspace", what));
        }
        if is.replica != should.replica {
            let what = "the newest events of this store are gone; it goes on under a new name, so that others who hold them can give them back";
            found.push(finding("workspace", what.to_owned()));
        } else if (is.ordinal, &is.chain, is.lamport)
            != (should.ordinal, &should.chain, should.lamport)
        {
            let what = "the newest event of this store is not the one that its counters name";
            found.push(finding("workspace", what.to_owned()));
        }
        found.extend(self.replicas.iter().map(|replica| {
            let subject = format!("replica {}", replica.id);
            let what = format!(
                "the events held of replica `{}` end at its number {}, and its row says otherwise",
                replica.id, replica.ordinal
            );
            finding(&subject, what)
        }));
        found
    }
}

/// Whether the number of open conflicts is kept right; with it the right one.
pub(super) fn open_conflicts(cx: &Cx) -> Step<Option<(Finding, u32)>> {
    let home = cx.row::<Workspace>(vec![LOCAL.into()]);
    let open = cx.count::<Conflict>("conflict_by_open", vec![LOCAL.into(), 1_u32.into()]);
    let (home, open) = (home?, open?);
    let said = home.map_or(0, |home| home.conflicts);
    Ok((said != open).then(|| {
        let what = format!("{open} conflicts are open, the counters say {said}");
        (Finding::new("counter", "workspace", what, COUNTERS), open)
    }))
}
