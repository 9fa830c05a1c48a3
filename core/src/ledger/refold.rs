//! Makes the rows of the subjects that arrived events touch, each anew from all its events.
//!
//! Owns: which row a subject has here, by local numbers; rows for what is only heard of. Never: whether an event is
//! legal (`wire`) or follows (`merge`).

use crate::cx::{Cx, Scan};
use crate::ledger::kept::{self, History, nodes_of, owner};
use crate::ledger::{Fields, LOCAL, Subject, Tx, conflict, fold_event};
use crate::model::{
    Conflict, Document, Edge, Event, Folded, Node, NodeTheme, Session, SessionNode, Theme,
};
use crate::refuse::{Step, refusal};
use deciduous_boundary::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// The touched subjects in the order in which news of them came, each with all its events.
type Work = Vec<(Subject, History)>;

/// Rows by identity, as they are here before the merge.
#[derive(Default)]
struct Here {
    nodes: BTreeMap<String, Node>,
    sessions: BTreeMap<String, Session>,
    themes: BTreeMap<String, Theme>,
    documents: BTreeMap<String, Document>,
    /// Only their numbers are of use.
    edges: BTreeMap<(u32, u32, String), u32>,
    /// Nodes and sessions that got a number in this merge without being folded yet.
    heard_nodes: BTreeSet<String>,
    heard_sessions: BTreeSet<String>,
}

/// Folds the subjects of `news`, whose `seq` is given already; answers the conflicts that came up and how many
/// subjects were folded.
pub(super) fn refold(
    tx: &mut Tx,
    news: &[(Event, Fields, Subject)],
) -> Step<(Vec<Conflict>, usize)> {
    let mut order: Vec<Subject> = Vec::new();
    let mut fresh: BTreeMap<Subject, History> = BTreeMap::new();
    for (event, fields, subject) in news {
        let history = fresh.entry(subject.clone()).or_insert_with(|| {
            order.push(subject.clone());
            History::new()
        });
        history.push((event.clone(), fields.clone()));
    }
    fold_each(tx, order, fresh, &BTreeMap::new())
}

/// Folds subjects anew whose events are all held. `numbers`: the local numbers of nodes that have no row.
pub(super) fn again(
    tx: &mut Tx,
    subjects: &[Subject],
    numbers: &BTreeMap<String, u32>,
) -> Step<usize> {
    let (_, count) = fold_each(tx, subjects.to_vec(), BTreeMap::new(), numbers)?;
    Ok(count)
}

fn fold_each(
    tx: &mut Tx,
    order: Vec<Subject>,
    fresh: BTreeMap<Subject, History>,
    numbers: &BTreeMap<String, u32>,
) -> Step<(Vec<Conflict>, usize)> {
    let (work, mut here) = gather(tx, order, fresh)?;
    for (change_id, id) in numbers {
        if !here.nodes.contains_key(change_id) {
            here.hear_of(change_id, *id);
        }
    }
    let mut conflicts = Vec::new();
    let count = work.len();
    // Nodes first: what refers to them then finds their numbers, and those follow the order of the events.
    for (subject, _) in &work {
        if let Subject::Node(id) = subject {
            node_number(tx, &mut here, id);
        }
    }
    for (subject, history) in &work {
        fold_subject(tx, &mut here, subject, history)?;
        let name = subject.to_string();
        conflicts.extend(tx.keep_conflicts(&name, conflict::find(history)));
    }
    for id in std::mem::take(&mut here.heard_nodes) {
        if let Some(node) = here.nodes.get(&id) {
            tx.put(&Node {
                seq: tx.home.seq,
                ..node.clone()
            });
        }
    }
    for id in std::mem::take(&mut here.heard_sessions) {
        if let Some(session) = here.sessions.get(&id) {
            tx.put(&Session {
                seq: tx.home.seq,
                ..session.clone()
            });
        }
    }
    Ok((conflicts, count))
}

/// Asks for everything that folding needs, in two rounds. `fresh`: events that are not stored yet.
fn gather(
    tx: &Tx,
    order: Vec<Subject>,
    mut fresh: BTreeMap<Subject, History>,
) -> Step<(Work, Here)> {
    let cx = tx.cx;
    let names: Vec<String> = order.iter().map(Subject::to_string).collect();
    let below = |name: &String| vec![LOCAL.into(), name.as_str().into()];
    let held = cx.scan::<Event>(Scan::of("event_by_subject").below_each(names.iter().map(below)));
    let mut here = Here::default();
    let named = order.iter().flat_map(nodes_of).map(str::to_owned);
    let owners = fresh
        .values()
        .flatten()
        .filter_map(|(_, fields)| owner(fields).map(str::to_owned));
    let first = here.learn_nodes(cx, named.chain(owners).collect());
    let others = here.learn_others(cx, &order);
    let held = held?;
    first?;
    others?;

    let mut subjects = Vec::with_capacity(order.len());
    for (subject, held) in order.into_iter().zip(held) {
        let mut history: History = held
            .into_iter()
            .map(|event| {
                let fields = serde_json::from_str(&event.fields).unwrap_or_default();
                (event, fields)
            })
            .collect();
        history.extend(fresh.remove(&subject).unwrap_or_default());
        kept::sort(&mut history);
        subjects.push((subject, history));
    }
    let owners = subjects
        .iter()
        .flat_map(|(_, history)| history)
        .filter_map(|(_, fields)| owner(fields).map(str::to_owned));
    let owners = here.learn_nodes(cx, owners.collect());
    let edges = here.learn_edges(cx, subjects.iter().map(|(subject, _)| subject));
    owners?;
    edges?;
    Ok((subjects, here))
}

impl Here {
    fn hear_of(&mut self, change_id: &str, id: u32) {
        let node = Node {
            workspace: LOCAL,
            id,
            change_id: change_id.to_owned(),
            ..Node::default()
        };
        self.nodes.insert(change_id.to_owned(), node);
        self.heard_nodes.insert(change_id.to_owned());
    }

    fn learn_nodes(&mut self, cx: &Cx, ids: BTreeSet<String>) -> Step<()> {
        let below = ids
            .iter()
            .filter(|id| !self.nodes.contains_key(*id))
            .map(|id| vec![LOCAL.into(), id.as_str().into()]);
        let found = cx.scan::<Node>(Scan::of("node_by_change_id").below_each(below))?;
        self.nodes.extend(
            found
                .into_iter()
                .flatten()
                .map(|node| (node.change_id.clone(), node)),
        );
        Ok(())
    }

    fn learn_others(&mut self, cx: &Cx, subjects: &[Subject]) -> Step<()> {
        let key = |id: &String| -> Vec<Cell> { vec![LOCAL.into(), id.as_str().into()] };
        let each = |wanted: fn(&Subject) -> Option<&String>| {
            let ids: BTreeSet<&String> = subjects.iter().filter_map(wanted).collect();
            ids.into_iter().map(key).collect::<Vec<_>>()
        };
        let themes = each(|subject| {
            if let Subject::Theme(name) = subject {
                Some(name)
            } else {
                None
            }
        });
        let documents = each(|subject| {
            if let Subject::Document(id) = subject {
                Some(id)
            } else {
                None
            }
        });
        let sessions = each(|subject| match subject {
            Subject::Session(id) | Subject::Member { session: id, .. } => Some(id),
            _ => None,
        });
        let themes = cx.rows::<Theme>(&themes);
        let documents =
            cx.scan::<Document>(Scan::of("document_by_change_id").below_each(documents));
        let sessions = cx.scan::<Session>(Scan::of("session_by_change_id").below_each(sessions));
        let (themes, documents, sessions) = (themes?, documents?, sessions?);
        self.themes.extend(
            themes
                .into_iter()
                .flatten()
                .map(|row| (row.name.clone(), row)),
        );
        self.documents.extend(
            documents
                .into_iter()
                .flatten()
                .map(|row| (row.change_id.clone(), row)),
        );
        self.sessions.extend(
            sessions
                .into_iter()
                .flatten()
                .map(|row| (row.change_id.clone(), row)),
        );
        Ok(())
    }

    fn learn_edges<'a>(
        &mut self,
        cx: &Cx,
        subjects: impl Iterator<Item = &'a Subject>,
    ) -> Step<()> {
        let number = |id: &String| self.nodes.get(id).map(|node| node.id);
        let keys = subjects.filter_map(|subject| match subject {
            Subject::Edge { from, to, kind } => Some(vec![
                LOCAL.into(),
                number(from)?.into(),
                number(to)?.into(),
                kind.as_str().into(),
            ]),
            _ => None,
        });
        let found = cx.rows::<Edge>(&keys.collect::<Vec<_>>())?;
        let edges = found.into_iter().flatten();
        self.edges
            .extend(edges.map(|edge| ((edge.from_id, edge.to_id, edge.edge_type), edge.id)));
        Ok(())
    }
}

/// The next local number, and the counter behind it.
fn next(counter: &mut u32) -> u32 {
    let number = *counter;
    *counter = counter.saturating_add(1);
    number
}

/// The local number of a node; one that was never heard of gets a row of its own.
fn node_number(tx: &mut Tx, here: &mut Here, change_id: &str) -> u32 {
    if let Some(node) = here.nodes.get(change_id) {
        return node.id;
    }
    let id = next(&mut tx.home.next_node);
    here.hear_of(change_id, id);
    id
}

fn session_number(tx: &mut Tx, here: &mut Here, change_id: &str) -> u32 {
    if let Some(session) = here.sessions.get(change_id) {
        return session.id;
    }
    let id = next(&mut tx.home.next_session);
    let session = Session {
        workspace: LOCAL,
        id,
        change_id: change_id.to_owned(),
        ..Session::default()
    };
    here.sessions.insert(change_id.to_owned(), session);
    here.heard_sessions.insert(change_id.to_owned());
    id
}

fn fold_subject(tx: &mut Tx, here: &mut Here, subject: &Subject, history: &History) -> Step<()> {
    let workspace = LOCAL;
    // The last one named is the owner, as with any other field. What has none yet gets its row with the event that says.
    let owned_by = history.iter().rev().find_map(|(_, fields)| owner(fields));
    match subject {
        Subject::Node(change_id) => {
            let id = node_number(tx, here, change_id);
            let row = Node {
                workspace,
                id,
                change_id: change_id.clone(),
                ..Node::default()
            };
            let row = fold(row, history)?;
            tx.put(&row);
            tx.index(here.nodes.get(change_id), &row);
            here.heard_nodes.remove(change_id);
            here.nodes.insert(change_id.clone(), row);
        }
        Subject::Edge { from, to, kind } => {
            let (from_id, to_id) = (node_number(tx, here, from), node_number(tx, here, to));
            let known = here.edges.get(&(from_id, to_id, kind.clone())).copied();
            let id = known.unwrap_or_else(|| next(&mut tx.home.next_edge));
            let row = Edge {
                workspace,
                from_id,
                to_id,
                edge_type: kind.clone(),
                id,
                weight: 1.0,
                ..Edge::default()
            };
            tx.put(&fold(row, history)?);
        }
        Subject::Theme(name) => {
            let known = here.themes.get(name).map(|theme| theme.id);
            let id = known.unwrap_or_else(|| next(&mut tx.home.next_theme));
            let row = Theme {
                workspace,
                name: name.clone(),
                id,
                ..Theme::default()
            };
            let row = fold(row, history)?;
            // Without a colour its creation is not heard of yet.
            if !row.color.is_empty() {
                tx.put(&row);
            }
        }
        Subject::Tag { node, theme } => {
            let node_id = node_number(tx, here, node);
            tx.put(&fold(
                NodeTheme {
                    workspace,
                    node_id,
                    theme: theme.clone(),
                    ..NodeTheme::default()
                },
                history,
            )?);
        }
        Subject::Document(change_id) => {
            let Some(owner) = owned_by else {
                return Ok(());
            };
            let node_id = node_number(tx, here, owner);
            let known = here.documents.get(change_id).map(|document| document.id);
            let id = known.unwrap_or_else(|| next(&mut tx.home.next_document));
            let row = Document {
                workspace,
                id,
                change_id: change_id.clone(),
                node_id,
                ..Document::default()
            };
            tx.put(&fold(row, history)?);
        }
        Subject::Session(change_id) => {
            let Some(owner) = owned_by else {
                return Ok(());
            };
            let (root_id, id) = (
                node_number(tx, here, owner),
                session_number(tx, here, change_id),
            );
            let row = Session {
                workspace,
                id,
                change_id: change_id.clone(),
                root_id,
                ..Session::default()
            };
            let row = fold(row, history)?;
            tx.put(&row);
            here.heard_sessions.remove(change_id);
            here.sessions.insert(change_id.clone(), row);
        }
        Subject::Member { session, node } => {
            let (session_id, node_id) = (
                session_number(tx, here, session),
                node_number(tx, here, node),
            );
            tx.put(&fold(
                SessionNode {
                    workspace,
                    session_id,
                    node_id,
                    ..SessionNode::default()
                },
                history,
            )?);
        }
    }
    Ok(())
}

/// The row that `history`, in fold order, makes of one that has only its keys.
fn fold<R: Folded>(mut row: R, history: &History) -> Step<R> {
    for (place, (event, fields)) in history.iter().enumerate() {
        fold_event(&mut row, event, fields, place == 0).map_err(|why| {
            refusal(
                422,
                format!("event `{}` does not fit: {why}", event.id),
                "nothing was merged",
            )
        })?;
    }
    let newest = history
        .iter()
        .map(|(event, _)| event.seq)
        .max()
        .unwrap_or(0);
    row.set_event(&conflict::heads(history).join(" "), newest);
    Ok(row)
}
