//! The subjects of the ledger: each has the row that its events make.

use super::rows::told;
use super::{Finding, Side};
use crate::cx::{Cx, Scan};
use crate::ledger::care::place::Spot;
use crate::ledger::kept::{self, History, Kept, Rows};
use crate::ledger::{Fields, LOCAL, Subject, conflict};
use crate::model::{Conflict, Document, Event, Node, NodeTheme, Session, SessionNode, Theme};
use crate::refuse::Step;
use crate::text::shorten;
use deciduous_boundary::Cell;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Events in a stretch; a subject with more is taken whole.
const STRETCH: u32 = 4_000;
/// In the order of a check: what others join comes first.
const KINDS: [&str; 7] = [
    "node", "session", "theme", "document", "edge", "member", "tag",
];
/// Differing fields that are named.
const NAMED: usize = 3;
const VALUE_CHARS: usize = 40;

/// A subject whose row is another one than its events make.
#[derive(Debug)]
pub(super) struct Differing {
    pub subject: Subject,
    pub history: History,
    /// None where there is none.
    pub row: Option<Kept>,
    kind: &'static str,
    /// Columns, what the row says, what the events say.
    pub columns: Vec<(&'static str, Cell, Cell)>,
    what: String,
    /// Whether folding makes it right.
    pub folds: bool,
}

/// One stretch of the subjects.
#[derive(Debug)]
pub(super) struct Page {
    pub subjects: Vec<Subject>,
    pub next: Spot,
    pub differing: Vec<Differing>,
}

impl Page {
    pub(super) fn read(cx: &Cx, kind: usize, after: Option<(String, i64)>) -> Step<Page> {
        // Reading thousands of events takes longer than all the rest, and each question runs this again.
        let told = cx.once("told", || Told::read(cx, kind, after))?;
        let rows = cx.once("rows", || Rows::load(cx, &told.subjects, &told.owners));
        let conflicts = conflict::by_subject(cx);
        let (rows, mut conflicts) = (rows?, conflicts?);
        let mut differing = Vec::new();
        for (subject, history) in &told.histories {
            let open = conflicts.remove(&subject.to_string()).unwrap_or_default();
            differing.extend(compare(&rows, subject, history, &open));
        }
        Ok(Page {
            subjects: told.subjects.clone(),
            next: told.next.clone(),
            differing,
        })
    }

    pub(super) fn findings(&self, keeps: Side) -> Vec<Finding> {
        let finding = |one: &Differing| {
            let repair = match (keeps, &one.row) {
                _ if one.kind == "conflict" => "the conflict is found anew",
                (_, None) => "the row is made again from its events",
                (Side::Ledger, Some(_)) => {
                    "the row is made again from its events, whose chain holds"
                }
                (Side::Tables, Some(_)) => {
                    "what the row says is written to the ledger, whose chain is broken"
                }
            };
            let found = Finding::new(one.kind, one.subject.to_string(), one.what.clone(), repair);
            if one.folds { found } else { found.by_hand() }
        };
        self.differing.iter().map(finding).collect()
    }
}

/// What a stretch of the ledger tells of its subjects.
#[derive(Debug)]
struct Told {
    subjects: Vec<Subject>,
    histories: BTreeMap<Subject, History>,
    /// Nodes that documents and sessions belong to.
    owners: BTreeSet<String>,
    next: Spot,
}

impl Told {
    fn read(cx: &Cx, kind: usize, after: Option<(String, i64)>) -> Step<Told> {
        let (events, next) = stretch(cx, kind, after)?;
        let mut histories: BTreeMap<Subject, History> = BTreeMap::new();
        for event in events {
            // One about nothing known is told of where the ledger is looked at.
            if let Some(subject) = Subject::parse(&event.subject) {
                let fields = serde_json::from_str(&event.fields).unwrap_or_default();
                histories.entry(subject).or_default().push((event, fields));
            }
        }
        histories.values_mut().for_each(kept::sort);
        let owners = histories.values().filter_map(owner);
        Ok(Told {
            owners: owners.map(str::to_owned).collect(),
            subjects: histories.keys().cloned().collect(),
            histories,
            next,
        })
    }
}

/// The events of the next subjects, each with all of its events, and where to go on.
fn stretch(cx: &Cx, kind: usize, after: Option<(String, i64)>) -> Step<(Vec<Event>, Spot)> {
    let behind = if kind + 1 < KINDS.len() {
        Spot::Folds(kind + 1, None)
    } else {
        Spot::End
    };
    let Some(name) = KINDS.get(kind) else {
        return Ok((Vec::new(), Spot::End));
    };
    let mut limit = STRETCH;
    loop {
        // `0` is the character behind the slash.
        let mut scan = Scan::of("event_by_subject")
            .below(vec![LOCAL.into()])
            .from(format!("{name}/"))
            .to(format!("{name}0"))
            .limit(limit);
        if let Some((subject, seq)) = &after {
            scan = scan.after(vec![LOCAL.into(), subject.as_str().into(), (*seq).into()]);
        }
        let mut events = cx.scan_one::<Event>(scan)?;
        if events.len() < limit as usize {
            return Ok((events, behind));
        }
        // The last subject may have more events than were read.
        let last = events.last().map(|event| event.subject.clone());
        let whole = events
            .iter()
            .rposition(|event| Some(&event.subject) != last.as_ref());
        if let Some(whole) = whole {
            events.truncate(whole + 1);
            let place = events
                .last()
                .map(|event| (event.subject.clone(), event.seq));
            return Ok((events, Spot::Folds(kind, place)));
        }
        limit = limit.saturating_mul(4);
    }
}

/// The node that a document or a session belongs to: the last one named, as with any other field.
fn owner(history: &History) -> Option<&str> {
    history
        .iter()
        .rev()
        .find_map(|(_, fields)| kept::owner(fields))
}

fn compare(
    rows: &Rows,
    subject: &Subject,
    history: &History,
    open: &[Conflict],
) -> Option<Differing> {
    let found = rows.get(subject);
    let mut should = found.as_ref().map_or_else(|| bare(subject), Kept::bare);
    let name = subject.to_string();
    let differing = |kind, columns, what: String, folds| Differing {
        subject: subject.clone(),
        history: history.clone(),
        row: found.clone(),
        kind,
        columns,
        what,
        folds,
    };
    if let Err(why) = should.fold_all(history) {
        return Some(differing("fold", Vec::new(), why, false));
    }
    let number = owner(history).and_then(|id| Some(rows.nodes.get(id)?.id));
    let has_owner = owner(history).is_some();
    let Some(row) = &found else {
        // What says whose it is, or made it, may not have come yet.
        let is_due = match subject {
            Subject::Document(_) | Subject::Session(_) => has_owner,
            Subject::Theme(_) => should.is_made(),
            _ => true,
        };
        let what = format!("`{name}` has {} events and no row", history.len());
        return is_due.then(|| differing("fold", Vec::new(), what, true));
    };
    match &mut should {
        Kept::Document(should) => should.node_id = number.unwrap_or_default(),
        Kept::Session(should) => should.root_id = number.unwrap_or_default(),
        _ => {}
    }
    let cells = row.cells().into_iter().zip(should.cells());
    let columns: Vec<(&'static str, Cell, Cell)> = row
        .columns()
        .iter()
        .zip(cells)
        .filter(|(_, (is, should))| is != should)
        .map(|(column, (is, should))| (*column, is, should))
        .collect();
    if !columns.is_empty() {
        let named: Vec<String> = columns
            .iter()
            .take(NAMED)
            .map(|(column, is, should)| {
                format!(
                    "`{column}` is {}, its events say {}",
                    said(is),
                    said(should)
                )
            })
            .collect();
        let more = match columns.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let what = format!("{}: {}{more}", told(row), named.join("; "));
        return Some(differing("fold", columns, what, true));
    }
    let found = conflict::find(history);
    let is_kept = found.len() == open.len()
        && found.iter().all(|found| {
            open.iter().any(|row| {
                (&row.field, &row.winner, &row.losers)
                    == (
                        &found.field,
                        &found.winner,
                        &json!(found.losers).to_string(),
                    )
            })
        });
    (!is_kept).then(|| {
        let what = format!(
            "{}: its events are in {} conflicts, the table says {}",
            told(row),
            found.len(),
            open.len()
        );
        differing("conflict", Vec::new(), what, true)
    })
}

fn said(cell: &Cell) -> String {
    match cell {
        Cell::Null => "nothing".to_owned(),
        Cell::Text(text) => format!("`{}`", shorten(text, VALUE_CHARS)),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

/// A row of which nothing is known.
fn bare(subject: &Subject) -> Kept {
    match subject {
        Subject::Node(_) => Kept::Node(Node::default()),
        Subject::Edge { .. } => Kept::Edge(Default::default()),
        Subject::Theme(_) => Kept::Theme(Theme::default()),
        Subject::Tag { .. } => Kept::Tag(NodeTheme::default()),
        Subject::Document(_) => Kept::Document(Document::default()),
        Subject::Session(_) => Kept::Session(Session::default()),
        Subject::Member { .. } => Kept::Member(SessionNode::default()),
    }
}

impl Differing {
    /// What the row says otherwise than its events, as an event would say it.
    pub(super) fn as_fields(&self) -> Fields {
        let Some(row) = &self.row else {
            return Fields::new();
        };
        let known = self.subject.fields();
        let named = self
            .columns
            .iter()
            .filter(|(column, ..)| known.contains(column));
        named
            .map(|(column, ..)| ((*column).to_owned(), row.value(column)))
            .collect()
    }
}
