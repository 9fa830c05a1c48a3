//! A record of any kind that the ledger folds: its row, whichever table that is in.
//!
//! Owns: rows by subject, what a subject's events make of one. Never: whether they may be written.

use crate::cx::{Cx, Record, Row, Scan};
use crate::ledger::write::{NODE_FIELD, ROOT_FIELD};
use crate::ledger::{Fields, Ids, LOCAL, Subject, Tx, conflict, fold_event, wire};
use crate::model::{Document, Edge, Event, Folded, Node, NodeTheme, Session, SessionNode, Theme};
use crate::refuse::Step;
use deciduous_boundary::Cell;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A subject's events in fold order.
pub(crate) type History = Vec<(Event, Fields)>;

/// The row of a subject.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kept {
    Node(Node),
    Edge(Edge),
    Theme(Theme),
    Tag(NodeTheme),
    Document(Document),
    Session(Session),
    Member(SessionNode),
}

/// The same for the row inside, of whichever kind.
macro_rules! of_each {
    ($kept:expr, $row:ident => $body:expr) => {
        match $kept {
            Kept::Node($row) => $body,
            Kept::Edge($row) => $body,
            Kept::Theme($row) => $body,
            Kept::Tag($row) => $body,
            Kept::Document($row) => $body,
            Kept::Session($row) => $body,
            Kept::Member($row) => $body,
        }
    };
}

impl Kept {
    /// The row with only what no event sets: its keys and local numbers.
    pub(crate) fn bare(&self) -> Kept {
        let workspace = LOCAL;
        match self {
            Kept::Node(row) => Kept::Node(Node {
                workspace,
                id: row.id,
                change_id: row.change_id.clone(),
                ..Node::default()
            }),
            Kept::Edge(row) => Kept::Edge(Edge {
                workspace,
                from_id: row.from_id,
                to_id: row.to_id,
                edge_type: row.edge_type.clone(),
                id: row.id,
                weight: 1.0,
                ..Edge::default()
            }),
            Kept::Theme(row) => Kept::Theme(Theme {
                workspace,
                name: row.name.clone(),
                id: row.id,
                ..Theme::default()
            }),
            Kept::Tag(row) => Kept::Tag(NodeTheme {
                workspace,
                node_id: row.node_id,
                theme: row.theme.clone(),
                ..NodeTheme::default()
            }),
            Kept::Document(row) => Kept::Document(Document {
                workspace,
                id: row.id,
                change_id: row.change_id.clone(),
                node_id: row.node_id,
                ..Document::default()
            }),
            Kept::Session(row) => Kept::Session(Session {
                workspace,
                id: row.id,
                change_id: row.change_id.clone(),
                root_id: row.root_id,
                ..Session::default()
            }),
            Kept::Member(row) => Kept::Member(SessionNode {
                workspace,
                session_id: row.session_id,
                node_id: row.node_id,
                ..SessionNode::default()
            }),
        }
    }

    /// Applies events in fold order to a bare row. Says which one does not fit.
    pub(crate) fn fold<'e>(
        &mut self,
        events: impl Iterator<Item = &'e (Event, Fields)>,
    ) -> Result<(), String> {
        of_each!(self, row => {
            for (place, (event, fields)) in events.enumerate() {
                fold_event(row, event, fields, place == 0)
                    .map_err(|why| format!("event `{}` does not fit: {why}", event.id))?;
            }
        });
        Ok(())
    }

    /// As [`Kept::fold`], with the marks of a row that is stored.
    pub(crate) fn fold_all(&mut self, history: &History) -> Result<(), String> {
        self.fold(history.iter())?;
        let newest = history.iter().map(|(event, _)| event.seq).max();
        let heads = conflict::heads(history).join(" ");
        of_each!(self, row => row.set_event(&heads, newest.unwrap_or(0)));
        Ok(())
    }

    /// Whether the record was made, as against only heard of, and not taken away.
    pub(crate) fn is_live(&self) -> bool {
        self.is_made() && of_each!(self, row => row.deleted_at().is_none())
    }

    /// Whether an event that made the record is among those folded.
    pub(crate) fn is_made(&self) -> bool {
        match self {
            Kept::Node(row) => !row.node_type.is_empty(),
            Kept::Theme(row) => !row.color.is_empty(),
            Kept::Document(row) => !row.sha256.is_empty(),
            Kept::Session(row) => row.started_at != 0 || !row.name.is_empty(),
            Kept::Edge(row) => row.last_event.is_some(),
            Kept::Tag(row) => row.last_event.is_some(),
            Kept::Member(row) => row.last_event.is_some(),
        }
    }

    /// The newest events on it, with spaces between.
    pub(crate) fn last_event(&self) -> Option<&str> {
        of_each!(self, row => row.last_event.as_deref())
    }

    /// A field as an event would set it.
    pub(crate) fn value(&self, field: &str) -> Value {
        of_each!(self, row => value_of(row, field))
    }

    /// The kind of its subject, and what an event may set of it.
    fn fields(&self) -> (&'static str, &'static [&'static str]) {
        let none = String::new;
        let subject = match self {
            Kept::Node(_) => Subject::Node(none()),
            Kept::Edge(_) => Subject::Edge {
                from: none(),
                to: none(),
                kind: none(),
            },
            Kept::Theme(_) => Subject::Theme(none()),
            Kept::Tag(_) => Subject::Tag {
                node: none(),
                theme: none(),
            },
            Kept::Document(_) => Subject::Document(none()),
            Kept::Session(_) => Subject::Session(none()),
            Kept::Member(_) => Subject::Member {
                session: none(),
                node: none(),
            },
        };
        (subject.table(), subject.fields())
    }

    pub(crate) fn cells(&self) -> Vec<Cell> {
        of_each!(self, row => row.cells())
    }

    pub(crate) fn columns(&self) -> &'static [&'static str] {
        of_each!(self, row => columns_of(row))
    }

    /// Writes the row as it is.
    pub(crate) fn put(&self, tx: &Tx) {
        of_each!(self, row => tx.put(row));
    }

    /// Gives it another identity, where that is no part of its key.
    pub(crate) fn identify(&mut self, identity: String) {
        match self {
            Kept::Node(row) => row.change_id = identity,
            Kept::Session(row) => row.change_id = identity,
            Kept::Document(row) => row.change_id = identity,
            Kept::Edge(_) | Kept::Theme(_) | Kept::Tag(_) | Kept::Member(_) => {}
        }
    }

    /// Gives it an identity that an event can name, if it has none.
    pub(crate) fn mend_identity(&mut self, ids: &mut Ids) {
        let identity = match self {
            Kept::Node(row) => &row.change_id,
            Kept::Session(row) => &row.change_id,
            Kept::Document(row) => &row.change_id,
            Kept::Edge(_) | Kept::Theme(_) | Kept::Tag(_) | Kept::Member(_) => return,
        };
        if !wire::is_uuid(identity) {
            self.identify(ids.next());
        }
    }

    /// Records an event on it and writes the row.
    pub(crate) fn record(
        &mut self,
        tx: &mut Tx,
        kind: &str,
        subject: &Subject,
        fields: Fields,
    ) -> Step<()> {
        let after = self.last_event().map(str::to_owned);
        self.record_after(tx, kind, subject, after, fields)
    }

    /// As [`Kept::record`], behind other events than the row names.
    pub(crate) fn record_after(
        &mut self,
        tx: &mut Tx,
        kind: &str,
        subject: &Subject,
        after: Option<String>,
        fields: Fields,
    ) -> Step<()> {
        let before = self.clone();
        of_each!(self, row => tx.record(row, kind, subject, after, fields)?);
        if let (Kept::Node(before), Kept::Node(after)) = (&before, &*self) {
            tx.index(Some(before), after);
        }
        Ok(())
    }
}

fn columns_of<R: Row>(_: &R) -> &'static [&'static str] {
    R::COLS
}

fn value_of<R: Record>(row: &R, field: &str) -> Value {
    let place = R::COLS.iter().position(|column| *column == field);
    let cell = place.and_then(|place| row.cells().into_iter().nth(place));
    cell.and_then(|cell| serde_json::to_value(cell).ok())
        .unwrap_or(Value::Null)
}

/// Puts events in fold order.
pub(crate) fn sort(history: &mut History) {
    history.sort_by(|(a, _), (b, _)| {
        (a.lamport, &a.replica, &a.id).cmp(&(b.lamport, &b.replica, &b.id))
    });
}

/// All events of each subject, in fold order.
pub(crate) fn histories<'s>(
    cx: &Cx,
    subjects: impl Iterator<Item = &'s Subject>,
) -> Step<Vec<History>> {
    let below = subjects.map(|subject| vec![LOCAL.into(), subject.to_string().into()]);
    let found = cx.scan::<Event>(Scan::of("event_by_subject").below_each(below))?;
    let read = |event: Event| {
        let fields = serde_json::from_str(&event.fields).unwrap_or_default();
        (event, fields)
    };
    let sorted = |events: Vec<Event>| {
        let mut history: History = events.into_iter().map(read).collect();
        sort(&mut history);
        history
    };
    Ok(found.into_iter().map(sorted).collect())
}

/// The node that a document or a session belongs to, as its events say.
pub(crate) fn owner(fields: &Fields) -> Option<&str> {
    let value = fields.get(NODE_FIELD).or_else(|| fields.get(ROOT_FIELD))?;
    value.as_str()
}

/// All that a row says, as an event of it would; `owner` is the node that a document or a session belongs to.
pub(crate) fn owned_fields(row: &Kept, owner: Option<&str>) -> Fields {
    let (table, names): (_, &[&str]) = row.fields();
    let set = names.iter().filter_map(|name| {
        let value = match *name {
            NODE_FIELD if table == "document" => owner.map(Value::from)?,
            ROOT_FIELD if table == "session" => owner.map(Value::from)?,
            name => row.value(name),
        };
        (!value.is_null()).then(|| ((*name).to_owned(), value))
    });
    set.collect()
}

/// The nodes that a subject is about.
pub(crate) fn nodes_of(subject: &Subject) -> Vec<&str> {
    match subject {
        Subject::Node(id) | Subject::Tag { node: id, .. } | Subject::Member { node: id, .. } => {
            vec![id]
        }
        Subject::Edge { from, to, .. } => vec![from, to],
        Subject::Theme(_) | Subject::Document(_) | Subject::Session(_) => Vec::new(),
    }
}

/// Rows of subjects, with the rows of the nodes and sessions that they are about.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub nodes: BTreeMap<String, Node>,
    pub sessions: BTreeMap<String, Session>,
    rows: BTreeMap<Subject, Kept>,
}

impl Rows {
    pub(crate) fn get(&self, subject: &Subject) -> Option<Kept> {
        match subject {
            Subject::Node(id) => self.nodes.get(id).cloned().map(Kept::Node),
            Subject::Session(id) => self.sessions.get(id).cloned().map(Kept::Session),
            other => self.rows.get(other).cloned(),
        }
    }

    /// Asks for the rows of `subjects` and for the nodes `also`, in two rounds.
    pub(crate) fn load(cx: &Cx, subjects: &[Subject], also: &BTreeSet<String>) -> Step<Rows> {
        let key = |id: &str| -> Vec<Cell> { vec![LOCAL.into(), id.into()] };
        let nodes: BTreeSet<&str> = subjects
            .iter()
            .flat_map(nodes_of)
            .chain(also.iter().map(String::as_str))
            .collect();
        let each = |wanted: fn(&Subject) -> Option<&String>| {
            let ids: BTreeSet<&String> = subjects.iter().filter_map(wanted).collect();
            ids.into_iter().map(|id| key(id)).collect::<Vec<_>>()
        };
        let sessions = each(|subject| match subject {
            Subject::Session(id) | Subject::Member { session: id, .. } => Some(id),
            _ => None,
        });
        let documents = each(|subject| match subject {
            Subject::Document(id) => Some(id),
            _ => None,
        });
        let themes = each(|subject| match subject {
            Subject::Theme(name) => Some(name),
            _ => None,
        });
        let by_name = |index, keys: Vec<Vec<Cell>>| Scan::of(index).below_each(keys);
        let nodes = cx.scan::<Node>(by_name(
            "node_by_change_id",
            nodes.into_iter().map(key).collect(),
        ));
        let sessions = cx.scan::<Session>(by_name("session_by_change_id", sessions));
        let documents = cx.scan::<Document>(by_name("document_by_change_id", documents));
        let themes = cx.rows::<Theme>(&themes);
        let (nodes, sessions, documents, themes) = (nodes?, sessions?, documents?, themes?);
        let mut rows = Rows::default();
        let named = |row: Node| (row.change_id.clone(), row);
        rows.nodes.extend(nodes.into_iter().flatten().map(named));
        let named = |row: Session| (row.change_id.clone(), row);
        rows.sessions
            .extend(sessions.into_iter().flatten().map(named));
        rows.rows.extend(documents.into_iter().flatten().map(|row| {
            (
                Subject::Document(row.change_id.clone()),
                Kept::Document(row),
            )
        }));
        rows.rows.extend(
            themes
                .into_iter()
                .flatten()
                .map(|row| (Subject::Theme(row.name.clone()), Kept::Theme(row))),
        );
        rows.load_joined(cx, subjects)?;
        Ok(rows)
    }

    /// Edges, tags and members, whose keys are numbers.
    fn load_joined(&mut self, cx: &Cx, subjects: &[Subject]) -> Step<()> {
        let node = |id: &String| self.nodes.get(id).map(|node| Cell::from(node.id));
        let session = |id: &String| self.sessions.get(id).map(|row| Cell::from(row.id));
        let (mut edges, mut tags, mut members) = (Vec::new(), Vec::new(), Vec::new());
        for subject in subjects {
            let key = |cells: Vec<Option<Cell>>| {
                let cells = cells.into_iter().collect::<Option<Vec<Cell>>>()?;
                Some((subject, [vec![Cell::from(LOCAL)], cells].concat()))
            };
            match subject {
                Subject::Edge { from, to, kind } => {
                    edges.extend(key(vec![node(from), node(to), Some(kind.as_str().into())]))
                }
                Subject::Tag { node: id, theme } => {
                    tags.extend(key(vec![node(id), Some(theme.as_str().into())]))
                }
                Subject::Member {
                    session: of,
                    node: id,
                } => members.extend(key(vec![session(of), node(id)])),
                _ => {}
            }
        }
        let keys = |of: &[(&Subject, Vec<Cell>)]| {
            of.iter().map(|(_, key)| key.clone()).collect::<Vec<_>>()
        };
        let edge_rows = cx.rows::<Edge>(&keys(&edges));
        let tag_rows = cx.rows::<NodeTheme>(&keys(&tags));
        let member_rows = cx.rows::<SessionNode>(&keys(&members));
        let (edge_rows, tag_rows, member_rows) = (edge_rows?, tag_rows?, member_rows?);
        let mut found: Vec<(Subject, Kept)> = Vec::new();
        let subject = |(subject, _): &(&Subject, Vec<Cell>)| (*subject).clone();
        for (of, row) in edges.iter().zip(edge_rows) {
            found.extend(row.map(|row| (subject(of), Kept::Edge(row))));
        }
        for (of, row) in tags.iter().zip(tag_rows) {
            found.extend(row.map(|row| (subject(of), Kept::Tag(row))));
        }
        for (of, row) in members.iter().zip(member_rows) {
            found.extend(row.map(|row| (subject(of), Kept::Member(row))));
        }
        self.rows.extend(found);
        Ok(())
    }
}
