//! Which write is meant, and which events it is made of.
//!
//! Owns: the order of taking back and bringing again. A write is in force unless one in force takes it back.

use crate::cx::{Cx, Scan, row};
use crate::ledger::kept::{History, histories};
use crate::ledger::{LOCAL, Subject};
use crate::lookup;
use crate::model::reference::NodeRef;
use crate::model::{
    Document, Edge, Event, Node, NodeName, NodeTheme, Replica, SessionNode, Workspace, node_key,
};
use crate::refuse::{Step, bad_argument, refusal, stop};
use crate::text::shorten;
use std::collections::{BTreeMap, BTreeSet};

/// A write of more events is not taken back in one piece.
const MOST_EVENTS: usize = 50_000;
/// The first look at the ledger's end; each further one is longer.
const LOOK: u32 = 64;
const LONGEST_LOOK: u32 = 16_384;
/// The shortest beginning of an event's id that names it.
const PREFIX: usize = 6;
const CANDIDATES: u32 = 4;

row! {
    /// Whose an event is, and of which write.
    struct Mark in "event" {
        seq: i64,
        id: String,
        replica: String,
        write: Option<String>,
        undoes: Option<String>,
    }
}

impl Mark {
    fn of_write(&self) -> &str {
        self.write.as_deref().unwrap_or(&self.id)
    }
}

/// Which writes are in force, told from the newest event to the oldest.
#[derive(Default)]
struct Force {
    seen: BTreeSet<String>,
    taken_back: BTreeSet<String>,
}

impl Force {
    /// Whether the write of this event is in force; none where it was told before.
    fn tell(&mut self, write: &str, undoes: Option<&str>) -> Option<bool> {
        if !self.seen.insert(write.to_owned()) {
            return None;
        }
        let stands = !self.taken_back.contains(write);
        if let (true, Some(other)) = (stands, undoes) {
            self.taken_back.insert(other.to_owned());
        }
        Some(stands)
    }
}

/// The newest write of this store that is in force and takes none back; with `again`, the newest that took one back and
/// is in force.
pub(super) fn newest(cx: &Cx, home: &Workspace, again: bool) -> Step<String> {
    let mut force = Force::default();
    let (mut before, mut look) = (None, LOOK);
    loop {
        let mut scan = Scan::of("primary")
            .below(vec![LOCAL.into()])
            .desc()
            .limit(look);
        if let Some(seq) = before {
            scan = scan.to(seq);
        }
        let marks = cx.scan_one::<Mark>(scan)?;
        for mark in &marks {
            let undoes = mark.undoes.as_deref();
            if force.tell(mark.of_write(), undoes) != Some(true) || mark.replica != home.replica {
                continue;
            }
            match undoes {
                None if !again => return Ok(mark.of_write().to_owned()),
                // One that took back a taking back is a write done again: not what is asked for.
                Some(other) if again && !takes_back(cx, other)? => {
                    return Ok(mark.of_write().to_owned());
                }
                _ => {}
            }
        }
        if marks.len() < look as usize {
            break;
        }
        before = marks.last().map(|mark| mark.seq);
        look = (look * 4).min(LONGEST_LOOK);
    }
    let (message, next) = if again {
        (
            "nothing was undone in this store that could be done again",
            "undo_write takes a write back; to bring back what another one took, name its event there",
        )
    } else {
        (
            "there is no write of this store that could be undone",
            "name an event to undo what came from elsewhere",
        )
    };
    stop(refusal(404, message, next))
}

/// Whether the event belongs to a write that takes another one back.
fn takes_back(cx: &Cx, id: &str) -> Step<bool> {
    let scan = Scan::of("event_by_id").below(vec![LOCAL.into(), id.into()]);
    let found = cx.scan_one::<Mark>(scan)?;
    Ok(found.first().is_some_and(|mark| mark.undoes.is_some()))
}

/// The write of the event that `given` names: an id, or the beginning of one that is no other's.
pub(super) fn named(cx: &Cx, given: &str) -> Step<String> {
    let name = given.trim().trim_start_matches('@').to_ascii_lowercase();
    let is_id = |c: char| c.is_ascii_hexdigit() || c == '-';
    if name.len() < PREFIX || !name.chars().all(is_id) {
        return stop(bad_argument(
            "event",
            format!(
                "`{}` is no event's id, nor at least {PREFIX} characters of one",
                shorten(given, 60)
            ),
            "take an id from read_events, or leave it out for the newest write",
        ));
    }
    // `g` is behind every hexadecimal digit and the hyphen.
    let scan = Scan::of("event_by_id")
        .below(vec![LOCAL.into()])
        .from(name.as_str())
        .to(format!("{name}g"))
        .limit(CANDIDATES);
    let found = cx.scan_one::<Mark>(scan)?;
    let writes: BTreeSet<&str> = found.iter().map(Mark::of_write).collect();
    match (found.first(), writes.len()) {
        (Some(mark), 1) => Ok(mark.of_write().to_owned()),
        (None, _) => stop(refusal(
            404,
            format!("there is no event `{}`", shorten(given, 60)),
            "take an id from read_events, or leave it out for the newest write",
        )),
        _ => {
            let ids: Vec<&str> = found.iter().map(|mark| mark.id.as_str()).collect();
            stop(refusal(
                409,
                format!(
                    "`{}` is the beginning of several events: {}",
                    shorten(given, 60),
                    ids.join(", ")
                ),
                "call again with one of these ids",
            ))
        }
    }
}

/// The newest write in force that touched a node or what hangs on it, whoever made it.
pub(super) fn of_node(cx: &Cx, reference: &NodeRef) -> Step<String> {
    let node = lookup::any_node(cx, reference)?;
    let subjects = around(cx, &node)?;
    let mut events: Vec<Event> = histories(cx, subjects.iter())?
        .into_iter()
        .flatten()
        .map(|(event, _)| event)
        .collect();
    events.sort_unstable_by_key(|event| std::cmp::Reverse(event.seq));
    let mut force = Force::default();
    for event in &events {
        let undoes = event.undoes.as_deref();
        if force.tell(event.of_write(), undoes) == Some(true) && undoes.is_none() {
            return Ok(event.of_write().to_owned());
        }
    }
    stop(refusal(
        404,
        format!("no write that touched `{reference}` is in force"),
        "name the event to take back",
    ))
}

/// The node's subject and those of everything that hangs or hung on it.
fn around(cx: &Cx, node: &Node) -> Step<Vec<Subject>> {
    let key = || node_key(LOCAL, node.id);
    let out = cx.scan_one::<Edge>(Scan::of("primary").below(key()));
    let into = cx.scan_one::<Edge>(Scan::of("edge_by_target").below(key()));
    let tags = cx.scan_one::<NodeTheme>(Scan::of("primary").below(key()));
    let documents = cx.scan_one::<Document>(Scan::of("document_by_node").below(key()));
    let members = cx.scan_one::<SessionNode>(Scan::of("session_node_by_node").below(key()));
    let (out, into, tags, documents, members) = (out?, into?, tags?, documents?, members?);
    let ends: BTreeSet<u32> = out
        .iter()
        .map(|edge| edge.to_id)
        .chain(into.iter().map(|edge| edge.from_id))
        .collect();
    let ends: Vec<u32> = ends.into_iter().collect();
    let names = cx.rows::<NodeName>(
        &ends
            .iter()
            .map(|id| node_key(LOCAL, *id))
            .collect::<Vec<_>>(),
    );
    let of: Vec<_> = members
        .iter()
        .map(|one| node_key(LOCAL, one.session_id))
        .collect();
    let sessions = cx.rows::<crate::around::SessionName>(&of);
    let (names, sessions) = (names?, sessions?);
    let names: BTreeMap<u32, String> = ends
        .into_iter()
        .zip(names)
        .filter_map(|(id, name)| Some((id, name?.change_id)))
        .collect();
    let here = &node.change_id;
    let edge = |from: &String, to: &String, edge: &Edge| Subject::Edge {
        from: from.clone(),
        to: to.clone(),
        kind: edge.edge_type.clone(),
    };
    let mut subjects = vec![Subject::Node(here.clone())];
    subjects.extend(
        out.iter()
            .filter_map(|row| Some(edge(here, names.get(&row.to_id)?, row))),
    );
    subjects.extend(
        into.iter()
            .filter_map(|row| Some(edge(names.get(&row.from_id)?, here, row))),
    );
    subjects.extend(tags.iter().map(|row| Subject::Tag {
        node: here.clone(),
        theme: row.theme.clone(),
    }));
    subjects.extend(
        documents
            .iter()
            .map(|row| Subject::Document(row.change_id.clone())),
    );
    subjects.extend(
        sessions
            .into_iter()
            .flatten()
            .map(|session| Subject::Member {
                session: session.change_id,
                node: here.clone(),
            }),
    );
    Ok(subjects)
}

/// All events of a write, in the order of their making. They stand side by side in the ledger of the store that made
/// them; where they came by a merge, other stores' may lie between.
pub(super) fn events(cx: &Cx, home: &Workspace, write: &str) -> Step<Vec<Event>> {
    let scan = Scan::of("event_by_id").below(vec![LOCAL.into(), write.into()]);
    let Some(first) = cx.scan_one::<Event>(scan)?.pop() else {
        return stop(refusal(
            409,
            format!("the write's first event `{write}` is not held here"),
            "take it back in the store that wrote it",
        ));
    };
    let last = if first.replica == home.replica {
        home.ordinal
    } else {
        let row = cx.row::<Replica>(vec![LOCAL.into(), first.replica.as_str().into()])?;
        row.map_or(0, |row| row.ordinal)
    };
    let (replica, mut next, mut look) = (first.replica.clone(), first.seq + 1, LOOK);
    let mut found = vec![first];
    while found.last().is_some_and(|event| event.ordinal < last) {
        let scan = Scan::of("primary")
            .below(vec![LOCAL.into()])
            .from(next)
            .limit(look);
        let page = cx.scan_one::<Event>(scan)?;
        let (more, behind) = (
            page.len() == look as usize,
            page.last().map(|event| event.seq + 1),
        );
        for event in page.into_iter().filter(|event| event.replica == replica) {
            if event.of_write() != write {
                return Ok(found);
            }
            found.push(event);
        }
        if found.len() > MOST_EVENTS {
            return stop(refusal(
                413,
                format!(
                    "the write `{write}` has more than {MOST_EVENTS} events, which is more than can be undone at once"
                ),
                "restore a backup from before it, or delete what it added",
            ));
        }
        match behind {
            Some(behind) if more => next = behind,
            _ => break,
        }
        look = (look * 4).min(LONGEST_LOOK);
    }
    Ok(found)
}

/// The event in force that takes `write` back, as the events of its subjects tell.
pub(super) fn undone_by<'h>(histories: &'h [History], write: &str) -> Option<&'h Event> {
    let mut force = Force::default();
    let mut events: Vec<&Event> = histories.iter().flatten().map(|(event, _)| event).collect();
    events.sort_unstable_by(|a, b| {
        (b.lamport, &b.replica, &b.id).cmp(&(a.lamport, &a.replica, &a.id))
    });
    events.into_iter().find(|event| {
        let stands = force.tell(event.of_write(), event.undoes.as_deref());
        stands == Some(true) && event.undoes.as_deref() == Some(write)
    })
}

/// Writes that do not count in a subject's history: those taken back, and those that took them back. Each with the
/// place of the event that settles it.
pub(super) fn void<'h>(history: &'h History, write: &str) -> BTreeMap<&'h str, usize> {
    let mut force = Force::default();
    let mut void = BTreeMap::new();
    for (place, (event, _)) in history.iter().enumerate().rev() {
        let of = event.of_write();
        let stands = force.tell(of, event.undoes.as_deref()) == Some(true);
        // What `write` itself took back counts: with `write` gone it stands again.
        if let (true, Some(other)) = (stands && of != write, &event.undoes) {
            void.insert(of, place);
            void.insert(other.as_str(), place);
        }
    }
    void
}
