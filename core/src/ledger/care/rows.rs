//! The rows of the tables: each is in the ledger, and joins what is there.

use super::Finding;
use super::place::Spot;
use crate::around::SessionName;
use crate::cx::{Cx, Scan, row};
use crate::ledger::kept::{Kept, owned_fields};
use crate::ledger::{Fields, LOCAL, Subject, wire};
use crate::model::{
    Document, Edge, Node, NodeName, NodeTheme, Session, SessionNode, Theme, Workspace, node_key,
};
use crate::refuse::Step;
use crate::text::shorten;
use deciduous_boundary::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Rows in a stretch.
const STRETCH: u32 = 2_000;
/// Tables in the order of a check: what others join comes first.
const TABLES: usize = 7;
const TITLE_CHARS: usize = 60;

row! {
    /// That there is one.
    struct Any in "event" {
        id: String,
    }
}

impl Any {
    fn is_one(&self) -> bool {
        !self.id.is_empty()
    }
}

row! {
    /// What an event is about.
    pub(super) struct About in "event" {
        id: String,
        subject: String,
    }
}

/// A row with what is amiss with it.
#[derive(Debug)]
pub(super) struct Suspect {
    pub row: Kept,
    /// Numbers of nodes and of a session that are not there.
    pub nodes: Vec<u32>,
    pub sessions: Vec<u32>,
    /// Whether no event is about it; not known where what it joins is not there.
    pub unrecorded: Option<Subject>,
}

/// One stretch of a table.
#[derive(Debug)]
pub(super) struct Page {
    pub rows: Vec<Kept>,
    pub next: Spot,
    pub suspects: Vec<Suspect>,
    /// The identities of the nodes and sessions that the rows join.
    pub names: Names,
    /// The counter that is behind the table's numbers: its field and what it must be at least.
    pub counter: Option<(&'static str, u32)>,
}

#[derive(Debug, Default)]
pub(super) struct Names {
    pub nodes: BTreeMap<u32, String>,
    pub sessions: BTreeMap<u32, String>,
}

impl Page {
    pub(super) fn read(cx: &Cx, table: usize, after: Vec<Cell>) -> Step<Page> {
        let rows = scan(cx, table, after);
        let home = cx.row::<Workspace>(vec![LOCAL.into()]);
        let (rows, home) = (rows?, home?.unwrap_or_default());
        let names = Names::load(cx, &rows)?;
        let subjects: Vec<Option<Subject>> = rows.iter().map(|row| names.subject(row)).collect();
        let below = subjects
            .iter()
            .flatten()
            .map(|subject| vec![LOCAL.into(), subject.to_string().into()]);
        let events = cx.scan::<Any>(Scan::of("event_by_subject").below_each(below).limit(1))?;
        let mut events = events.into_iter();
        let mut suspects = Vec::new();
        for (row, subject) in rows.iter().zip(subjects) {
            let (nodes, sessions) = names.missing(row);
            let recorded = subject.as_ref().is_none_or(|_| {
                events
                    .next()
                    .is_some_and(|found| found.iter().any(Any::is_one))
            });
            // One that was only heard of has no event yet.
            let unrecorded = subject.filter(|_| !recorded && !is_heard_of(row));
            if !nodes.is_empty() || !sessions.is_empty() || unrecorded.is_some() {
                suspects.push(Suspect {
                    row: row.clone(),
                    nodes,
                    sessions,
                    unrecorded,
                });
            }
        }
        let next = match rows.last() {
            Some(last) if rows.len() == STRETCH as usize => Spot::Rows(table, key(last)),
            _ if table + 1 < TABLES => Spot::Rows(table + 1, Vec::new()),
            _ => Spot::Folds(0, None),
        };
        Ok(Page {
            counter: counter(&rows, &home),
            rows,
            next,
            suspects,
            names,
        })
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for suspect in &self.suspects {
            let what = told(&suspect.row);
            let missing = suspect
                .nodes
                .iter()
                .map(|id| format!("#{id}"))
                .chain(suspect.sessions.iter().map(|id| format!("session {id}")));
            let missing: Vec<String> = missing.collect();
            if !missing.is_empty() {
                found.push(Finding::new(
                    "dangling",
                    what.clone(),
                    format!("{what} joins {}, which is not there", missing.join(" and ")),
                    "what is missing gets its row back from the ledger, or one without a title where the ledger does not know it",
                ));
            }
            if let Some(subject) = &suspect.unrecorded {
                let finding = Finding::new(
                    "unrecorded",
                    subject.to_string(),
                    format!("{what} is in no event of the ledger"),
                    "it is written to the ledger as an event",
                );
                // The identity may be a wrong one that mending replaces, so only what it says is judged.
                found.push(
                    match wire::legal_fields(subject, &self.names.fields(&suspect.row)) {
                        Ok(()) => finding,
                        Err(why) => Finding {
                            what: format!("{what} is in no event of the ledger, and {why}"),
                            repair: "correct the row with sqlite3, then run this again".to_owned(),
                            ..finding.by_hand()
                        },
                    },
                );
            }
        }
        if let Some((field, least)) = self.counter {
            let what = format!("`{field}` must be at least {least}, or numbers are given twice");
            found.push(Finding::new(
                "counter",
                "workspace",
                what,
                "the counter is raised",
            ));
        }
        found
    }
}

fn scan(cx: &Cx, table: usize, after: Vec<Cell>) -> Step<Vec<Kept>> {
    let scan = || {
        Scan::of("primary")
            .below(vec![LOCAL.into()])
            .after(after.clone())
            .limit(STRETCH)
    };
    fn all<R>(rows: Vec<R>, kept: fn(R) -> Kept) -> Vec<Kept> {
        rows.into_iter().map(kept).collect()
    }
    Ok(match table {
        0 => all(cx.scan_one::<Node>(scan())?, Kept::Node),
        1 => all(cx.scan_one::<Session>(scan())?, Kept::Session),
        2 => all(cx.scan_one::<Theme>(scan())?, Kept::Theme),
        3 => all(cx.scan_one::<Document>(scan())?, Kept::Document),
        4 => all(cx.scan_one::<Edge>(scan())?, Kept::Edge),
        5 => all(cx.scan_one::<NodeTheme>(scan())?, Kept::Tag),
        _ => all(cx.scan_one::<SessionNode>(scan())?, Kept::Member),
    })
}

fn key(row: &Kept) -> Vec<Cell> {
    let workspace = Cell::from(LOCAL);
    match row {
        Kept::Node(row) => vec![workspace, row.id.into()],
        Kept::Session(row) => vec![workspace, row.id.into()],
        Kept::Theme(row) => vec![workspace, row.name.as_str().into()],
        Kept::Document(row) => vec![workspace, row.id.into()],
        Kept::Edge(row) => vec![
            workspace,
            row.from_id.into(),
            row.to_id.into(),
            row.edge_type.as_str().into(),
        ],
        Kept::Tag(row) => vec![workspace, row.node_id.into(), row.theme.as_str().into()],
        Kept::Member(row) => vec![workspace, row.session_id.into(), row.node_id.into()],
    }
}

/// The numbers of the nodes and of the session that a row joins.
fn joins(row: &Kept) -> (Vec<u32>, Option<u32>) {
    match row {
        Kept::Node(_) | Kept::Theme(_) => (Vec::new(), None),
        Kept::Edge(row) => (vec![row.from_id, row.to_id], None),
        Kept::Tag(row) => (vec![row.node_id], None),
        Kept::Document(row) => (vec![row.node_id], None),
        Kept::Session(row) if row.root_id == 0 => (Vec::new(), None),
        Kept::Session(row) => (vec![row.root_id], None),
        Kept::Member(row) => (vec![row.node_id], Some(row.session_id)),
    }
}

fn is_heard_of(row: &Kept) -> bool {
    let may_be = matches!(row, Kept::Node(_) | Kept::Session(_));
    may_be && !row.is_made() && row.last_event().is_none()
}

/// The counter of the table's numbers, where it is behind them.
fn counter(rows: &[Kept], home: &Workspace) -> Option<(&'static str, u32)> {
    let of = |row: &Kept| match row {
        Kept::Node(row) => Some(("next_node", row.id, home.next_node)),
        Kept::Edge(row) => Some(("next_edge", row.id, home.next_edge)),
        Kept::Theme(row) => Some(("next_theme", row.id, home.next_theme)),
        Kept::Document(row) => Some(("next_document", row.id, home.next_document)),
        Kept::Session(row) => Some(("next_session", row.id, home.next_session)),
        Kept::Tag(_) | Kept::Member(_) => None,
    };
    rows.iter()
        .filter_map(of)
        .filter(|(_, id, next)| id >= next)
        .map(|(field, id, _)| (field, id.saturating_add(1)))
        .max_by_key(|(_, least)| *least)
}

impl Names {
    fn load(cx: &Cx, rows: &[Kept]) -> Step<Names> {
        let mut nodes = BTreeSet::new();
        let mut sessions = BTreeSet::new();
        for row in rows {
            let (of, session) = joins(row);
            nodes.extend(of);
            sessions.extend(session);
        }
        let keys = |ids: &BTreeSet<u32>| -> Vec<Vec<Cell>> {
            ids.iter().map(|id| node_key(LOCAL, *id)).collect()
        };
        let node_rows = cx.rows::<NodeName>(&keys(&nodes));
        let session_rows = cx.rows::<SessionName>(&keys(&sessions));
        let (node_rows, session_rows) = (node_rows?, session_rows?);
        let named = nodes.into_iter().zip(node_rows);
        Ok(Names {
            nodes: named
                .filter_map(|(id, row)| Some((id, row?.change_id)))
                .collect(),
            sessions: session_rows
                .into_iter()
                .flatten()
                .map(|row| (row.id, row.change_id))
                .collect(),
        })
    }

    /// What a row is about; none where what it joins is not there.
    pub(super) fn subject(&self, row: &Kept) -> Option<Subject> {
        let node = |id: &u32| self.nodes.get(id).cloned();
        Some(match row {
            Kept::Node(row) => Subject::Node(row.change_id.clone()),
            Kept::Theme(row) => Subject::Theme(row.name.clone()),
            Kept::Document(row) => Subject::Document(row.change_id.clone()),
            Kept::Session(row) => Subject::Session(row.change_id.clone()),
            Kept::Edge(row) => Subject::Edge {
                from: node(&row.from_id)?,
                to: node(&row.to_id)?,
                kind: row.edge_type.clone(),
            },
            Kept::Tag(row) => Subject::Tag {
                node: node(&row.node_id)?,
                theme: row.theme.clone(),
            },
            Kept::Member(row) => Subject::Member {
                session: self.sessions.get(&row.session_id).cloned()?,
                node: node(&row.node_id)?,
            },
        })
    }

    fn missing(&self, row: &Kept) -> (Vec<u32>, Vec<u32>) {
        let (nodes, session) = joins(row);
        let nodes = nodes.into_iter().filter(|id| !self.nodes.contains_key(id));
        let session = session.filter(|id| !self.sessions.contains_key(id));
        (nodes.collect(), session.into_iter().collect())
    }

    /// All that the row says, as an event would.
    pub(super) fn fields(&self, row: &Kept) -> Fields {
        let owner = match row {
            Kept::Document(row) => self.nodes.get(&row.node_id),
            Kept::Session(row) => self.nodes.get(&row.root_id),
            _ => None,
        };
        owned_fields(row, owner.map(String::as_str))
    }
}

/// What a row is called.
pub(super) fn told(row: &Kept) -> String {
    match row {
        Kept::Node(row) => {
            let kind = if row.node_type.is_empty() {
                "node"
            } else {
                &row.node_type
            };
            format!("{kind} #{} `{}`", row.id, shorten(&row.title, TITLE_CHARS))
        }
        Kept::Theme(row) => format!("theme `{}`", shorten(&row.name, TITLE_CHARS)),
        Kept::Document(row) => {
            format!("document {} `{}`", row.id, shorten(&row.name, TITLE_CHARS))
        }
        Kept::Session(row) => format!("session {} `{}`", row.id, shorten(&row.name, TITLE_CHARS)),
        Kept::Edge(row) => format!(
            "edge #{} -> #{} ({})",
            row.from_id, row.to_id, row.edge_type
        ),
        Kept::Tag(row) => {
            format!(
                "tag `{}` of #{}",
                shorten(&row.theme, TITLE_CHARS),
                row.node_id
            )
        }
        Kept::Member(row) => format!("#{} in session {}", row.node_id, row.session_id),
    }
}
