//! Making the tables what the ledger says, and the ledger what only a table says.
//!
//! Owns: the order of a mending, a stretch a call. Never: judging, which the check does. A host holds one transaction
//! around all calls.

use super::folds;
use super::ledger;
use super::place::{Place, Side, Spot};
use super::rows::{self, About, Suspect};
use crate::cx::{Cx, Scan, row};
use crate::ledger::kept::{self, Kept, owned_fields};
use crate::ledger::{Fields, LOCAL, Subject, Tx, conflict, refold, wire};
use crate::model::{Node, NodeName, Session, node_key};
use crate::refuse::Step;
use deciduous_boundary::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// What a stretch needed.
#[derive(Debug, Default)]
pub(crate) struct Mended {
    /// Rows made again from their events.
    pub rows: usize,
    /// Events written of what only a table said.
    pub events: usize,
    /// Rows for nodes and sessions that others join and that were not there.
    pub placeholders: usize,
    pub counters: usize,
    /// What was left as it is.
    pub left: usize,
    pub next: Option<Place>,
}

row! {
    struct Number in "node" {
        id: u32,
    }
}

row! {
    struct SessionId in "session" {
        change_id: String,
    }
}

row! {
    struct DocumentId in "document" {
        change_id: String,
    }
}

/// Mends the stretch at `place`.
pub(crate) fn mend(cx: &Cx, place: Place) -> Step<Mended> {
    let mut tx = Tx::open(cx)?;
    let Place { spot, broken } = place;
    let mut done = Mended::default();
    let next = |spot| Some(Place { spot, broken });
    match spot {
        Spot::Ledger(at) => {
            let looked = ledger::look(cx, &at, broken)?;
            done.next = Some(looked.next.clone());
            if let Some(counters) = looked.counters() {
                done.counters += 1 + counters.replicas.len();
                counters.replicas.iter().for_each(|row| tx.put(row));
                tx.home = counters.should;
                tx.put(&tx.home);
            }
        }
        Spot::Rows(table, after) => {
            let page = rows::Page::read(cx, table, after)?;
            done.next = next(page.next.clone());
            mend_rows(&mut tx, page, &mut done)?;
        }
        Spot::Folds(kind, after) => {
            let page = folds::Page::read(cx, kind, after)?;
            done.next = next(page.next.clone());
            mend_folds(&mut tx, page, Side::of(broken), &mut done)?;
        }
        Spot::End => {
            if let Some((_, open)) = ledger::open_conflicts(cx)? {
                tx.home.conflicts = open;
                tx.put(&tx.home);
                done.counters += 1;
            }
        }
    }
    Ok(done)
}

fn mend_rows(tx: &mut Tx, page: rows::Page, done: &mut Mended) -> Step<()> {
    let rows::Page {
        suspects,
        mut names,
        counter,
        ..
    } = page;
    if let Some((field, least)) = counter {
        let home = &mut tx.home;
        let next = match field {
            "next_node" => &mut home.next_node,
            "next_edge" => &mut home.next_edge,
            "next_theme" => &mut home.next_theme,
            "next_document" => &mut home.next_document,
            _ => &mut home.next_session,
        };
        *next = least.max(*next);
        done.counters += 1;
    }
    let evidence = Evidence::load(tx.cx, &suspects)?;
    let mut given = BTreeSet::new();
    for suspect in &suspects {
        let told = evidence.of(suspect);
        for id in &suspect.nodes {
            if !names.nodes.contains_key(id) {
                let change_id = told
                    .and_then(|subject| named(subject, &suspect.row, *id))
                    .filter(|change_id| {
                        !evidence.nodes.contains(*change_id) && given.insert((*change_id).clone())
                    })
                    .cloned()
                    .unwrap_or_else(|| tx.ids.next());
                tx.put(&Node {
                    workspace: LOCAL,
                    id: *id,
                    change_id: change_id.clone(),
                    seq: tx.home.seq,
                    ..Node::default()
                });
                tx.home.next_node = tx.home.next_node.max(id.saturating_add(1));
                names.nodes.insert(*id, change_id);
                done.placeholders += 1;
            }
        }
        for id in &suspect.sessions {
            if !names.sessions.contains_key(id) {
                let change_id = match told {
                    Some(Subject::Member { session, .. })
                        if !evidence.sessions.contains(session)
                            && given.insert(session.clone()) =>
                    {
                        session.clone()
                    }
                    _ => tx.ids.next(),
                };
                tx.put(&Session {
                    workspace: LOCAL,
                    id: *id,
                    change_id: change_id.clone(),
                    seq: tx.home.seq,
                    ..Session::default()
                });
                tx.home.next_session = tx.home.next_session.max(id.saturating_add(1));
                names.sessions.insert(*id, change_id);
                done.placeholders += 1;
            }
        }
    }
    for suspect in suspects {
        let told = evidence.of(&suspect);
        let mut row = suspect.row.clone();
        if let Some(identity) = told.and_then(|subject| evidence.lost_identity(&row, subject)) {
            // Its events are there, under the identity that it had.
            row.identify(identity);
            row.put(tx);
            done.rows += 1;
            continue;
        }
        if suspect.unrecorded.is_some() {
            row.mend_identity(&mut tx.ids);
        }
        let Some(subject) = names.subject(&row) else {
            done.left += 1;
            continue;
        };
        // What joins a row that was missing may be in the ledger all the same.
        if suspect.unrecorded.is_some() || told != Some(&subject) {
            write_down(tx, &row, &subject, names.fields(&row), done)?;
        }
    }
    tx.put(&tx.home);
    Ok(())
}

/// Writes a row that is in no event to the ledger.
fn write_down(
    tx: &mut Tx,
    row: &Kept,
    subject: &Subject,
    fields: Fields,
    done: &mut Mended,
) -> Step<()> {
    if wire::legal_fields(subject, &fields).is_err() {
        done.left += 1;
        return Ok(());
    }
    done.events += 1;
    let kind = format!("{}.recovered", subject.table());
    row.bare().record_after(tx, &kind, subject, None, fields)
}

/// The identity that `subject`, which an event of the row is about, has where the row has the number.
fn named<'s>(subject: &'s Subject, row: &Kept, number: u32) -> Option<&'s String> {
    match (subject, row) {
        (Subject::Edge { from, .. }, Kept::Edge(row)) if row.from_id == number => Some(from),
        (Subject::Edge { to, .. }, Kept::Edge(row)) if row.to_id == number => Some(to),
        (Subject::Tag { node, .. }, Kept::Tag(_))
        | (Subject::Member { node, .. }, Kept::Member(_)) => Some(node),
        _ => None,
    }
}

/// What the events say that the suspects name as their own.
#[derive(Default)]
struct Evidence {
    about: BTreeMap<String, Subject>,
    /// Identities that have a row.
    nodes: BTreeSet<String>,
    sessions: BTreeSet<String>,
    documents: BTreeSet<String>,
}

impl Evidence {
    fn load(cx: &Cx, suspects: &[Suspect]) -> Step<Evidence> {
        let key = |id: &str| vec![Cell::from(LOCAL), id.into()];
        let events: BTreeSet<&str> = suspects.iter().flat_map(|one| heads(&one.row)).collect();
        let found =
            cx.scan::<About>(Scan::of("event_by_id").below_each(events.into_iter().map(key)))?;
        let about: BTreeMap<String, Subject> = found
            .into_iter()
            .flatten()
            .filter_map(|event| Some((event.id, Subject::parse(&event.subject)?)))
            .collect();
        let (mut nodes, mut sessions, mut documents) = (Vec::new(), Vec::new(), Vec::new());
        for subject in about.values() {
            nodes.extend(kept::nodes_of(subject).into_iter().map(key));
            match subject {
                Subject::Session(id) | Subject::Member { session: id, .. } => {
                    sessions.push(key(id));
                }
                Subject::Document(id) => documents.push(key(id)),
                _ => {}
            }
        }
        let nodes = cx.scan::<NodeName>(Scan::of("node_by_change_id").below_each(nodes));
        let sessions = cx.scan::<SessionId>(Scan::of("session_by_change_id").below_each(sessions));
        let documents =
            cx.scan::<DocumentId>(Scan::of("document_by_change_id").below_each(documents));
        let (nodes, sessions, documents) = (nodes?, sessions?, documents?);
        Ok(Evidence {
            about,
            nodes: nodes
                .into_iter()
                .flatten()
                .map(|row| row.change_id)
                .collect(),
            sessions: sessions
                .into_iter()
                .flatten()
                .map(|row| row.change_id)
                .collect(),
            documents: documents
                .into_iter()
                .flatten()
                .map(|row| row.change_id)
                .collect(),
        })
    }

    fn of(&self, suspect: &Suspect) -> Option<&Subject> {
        heads(&suspect.row).find_map(|event| self.about.get(event))
    }

    /// The identity under which a row's own event knows it, where no other row has that one.
    fn lost_identity(&self, row: &Kept, subject: &Subject) -> Option<String> {
        let (is, was, taken) = match (row, subject) {
            (Kept::Node(row), Subject::Node(was)) => (&row.change_id, was, &self.nodes),
            (Kept::Session(row), Subject::Session(was)) => (&row.change_id, was, &self.sessions),
            (Kept::Document(row), Subject::Document(was)) => (&row.change_id, was, &self.documents),
            _ => return None,
        };
        (is != was && !taken.contains(was)).then(|| was.clone())
    }
}

fn heads(row: &Kept) -> impl Iterator<Item = &str> {
    row.last_event()
        .into_iter()
        .flat_map(|heads| heads.split(' '))
}

fn mend_folds(tx: &mut Tx, page: folds::Page, keeps: Side, done: &mut Mended) -> Step<()> {
    if page.differing.is_empty() {
        return Ok(());
    }
    let cx = tx.cx;
    let numbers = free_numbers(cx, tx.home.next_node, &page.differing);
    let owners: BTreeSet<u32> = page
        .differing
        .iter()
        .filter_map(|one| match &one.row {
            Some(Kept::Document(row)) => Some(row.node_id),
            Some(Kept::Session(row)) => Some(row.root_id),
            _ => None,
        })
        .collect();
    let keys: Vec<Vec<Cell>> = owners.iter().map(|id| node_key(LOCAL, *id)).collect();
    let names = cx.rows::<NodeName>(&keys);
    let conflicts = conflict::by_subject(cx);
    let (numbers, names, conflicts) = (numbers?, names?, conflicts?);
    tx.conflicts = conflicts;
    let names: BTreeMap<u32, String> = owners
        .into_iter()
        .zip(names)
        .filter_map(|(id, name)| Some((id, name?.change_id)))
        .collect();
    let mut again = Vec::new();
    for one in page.differing {
        let said = one.as_fields();
        match &one.row {
            _ if !one.folds => done.left += 1,
            // The row may be all that is left of an event.
            Some(row) if keeps == Side::Tables && !said.is_empty() => {
                let owner = match row {
                    Kept::Document(row) => names.get(&row.node_id),
                    Kept::Session(row) => names.get(&row.root_id),
                    _ => None,
                };
                let mut fields = owned_fields(row, owner.map(String::as_str));
                fields.extend(said);
                if wire::legal_fields(&one.subject, &fields).is_err() {
                    done.left += 1;
                    continue;
                }
                let after = conflict::heads(&one.history).join(" ");
                let kind = format!("{}.recovered", one.subject.table());
                row.clone()
                    .record_after(tx, &kind, &one.subject, Some(after), fields)?;
                done.events += 1;
            }
            _ => again.push(one.subject),
        }
    }
    done.rows += refold::again(tx, &again, &numbers)?;
    tx.put(&tx.home);
    Ok(())
}

/// The numbers of nodes whose rows are missing, where it can be told: they were given in the order of the events, and
/// as many numbers are free as nodes are missing.
fn free_numbers(cx: &Cx, next: u32, differing: &[folds::Differing]) -> Step<BTreeMap<String, u32>> {
    let mut missing: Vec<(i64, &String)> = differing
        .iter()
        .filter_map(|one| match (&one.row, &one.subject) {
            (None, Subject::Node(id)) => {
                Some((one.history.iter().map(|(event, _)| event.seq).min()?, id))
            }
            _ => None,
        })
        .collect();
    if missing.is_empty() {
        return Ok(BTreeMap::new());
    }
    missing.sort_unstable();
    let taken = cx.scan_one::<Number>(Scan::of("primary").below(vec![LOCAL.into()]))?;
    let taken: BTreeSet<u32> = taken.into_iter().map(|row| row.id).collect();
    let free: Vec<u32> = (1..next).filter(|id| !taken.contains(id)).collect();
    if free.len() != missing.len() {
        return Ok(BTreeMap::new());
    }
    Ok(missing
        .into_iter()
        .zip(free)
        .map(|((_, change_id), id)| (change_id.clone(), id))
        .collect())
}
