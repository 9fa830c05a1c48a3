//! Finds the nodes that a file's records name, and local numbers for its new nodes.
//!
//! A record names a node by identity; by the file's own number where it has none. What names no node, or one of several
//! with the same number, is refused: nothing is guessed.

use crate::cx::{Cx, Scan};
use crate::exchange::known::Known;
use crate::exchange::read::File;
use crate::exchange::told::{End, Joined, Note, Told};
use crate::ledger::{LOCAL, Subject};
use crate::model::{Edge, EdgeType, NodeTheme, SessionNode, Workspace};
use crate::refuse::Step;
use deciduous_boundary::Cell;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Greater numbers are not kept: they would leave none for what comes.
pub(super) const GREATEST: u32 = 2_000_000_000;

/// The identities of an edge's ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ends {
    pub from: String,
    pub to: String,
}

impl Ends {
    pub(super) fn subject(&self, kind: EdgeType) -> Subject {
        Subject::Edge {
            from: self.from.clone(),
            to: self.to.clone(),
            kind: kind.name().to_owned(),
        }
    }
}

/// Where everything of the file goes: one entry a record, in the file's order.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Local numbers of nodes.
    pub numbers: Vec<u32>,
    pub edges: Vec<Ends>,
    pub tags: Vec<String>,
    pub documents: Vec<String>,
    pub sessions: Vec<(String, Vec<String>)>,
    known_edges: BTreeMap<(Ends, EdgeType), Edge>,
    pub known_tags: BTreeMap<(u32, String), NodeTheme>,
    pub known_members: BTreeSet<(u32, u32)>,
}

impl Plan {
    /// The store's row of an edge.
    pub(super) fn edge(&self, ends: &Ends, kind: EdgeType) -> Option<&Edge> {
        self.known_edges.get(&(ends.clone(), kind))
    }

    pub(super) fn take_edge(&mut self, ends: &Ends, kind: EdgeType) -> Option<Edge> {
        self.known_edges.remove(&(ends.clone(), kind))
    }
}

/// Nodes of the file by number; none where several have it.
struct Names<'a> {
    file: BTreeMap<u32, Option<String>>,
    identities: BTreeSet<String>,
    known: &'a Known,
}

impl Names<'_> {
    fn find(&self, end: &End, which: &str) -> Result<String, String> {
        let there = |id: &String| self.identities.contains(id) || self.known.nodes.contains_key(id);
        let number = match (&end.change_id, end.number) {
            (Some(id), _) if there(id) => return Ok(id.clone()),
            // A copied identity goes stale where the node got another one since; the number joins them still.
            (_, Some(number)) => number,
            (Some(id), None) => {
                return Err(format!(
                    "names the {which} `{id}`, which is neither in the file nor in the graph"
                ));
            }
            (None, None) => return Err(format!("names no {which}")),
        };
        match self.file.get(&number) {
            Some(Some(id)) => Ok(id.clone()),
            Some(None) => Err(format!(
                "names the {which} #{number}, a number that several nodes of the file have"
            )),
            None => Err(format!(
                "names the {which} #{number}, which is not in the file"
            )),
        }
    }
}

/// Resolves the file. What cannot be resolved leaves it and is refused.
pub(super) fn place(
    cx: &Cx,
    home: &Workspace,
    mut file: File,
    known: &Known,
) -> Step<(File, Plan)> {
    let mut plan = Plan {
        numbers: numbers(home, &file, known),
        ..Plan::default()
    };
    let mut by_number: BTreeMap<u32, Option<String>> = BTreeMap::new();
    for node in &file.nodes {
        if let Some(id) = node.is.id {
            let name = by_number
                .entry(id)
                .or_insert_with(|| Some(node.is.change_id.clone()));
            if name.as_ref() != Some(&node.is.change_id) {
                *name = None;
            }
        }
    }
    let identities = file
        .nodes
        .iter()
        .map(|node| node.is.change_id.clone())
        .collect();
    let names = Names {
        file: by_number,
        identities,
        known,
    };

    edges(&mut file, &names, &mut plan);
    let mut refused = Vec::new();
    let mut themes: BTreeSet<&str> = known.themes.keys().map(String::as_str).collect();
    themes.extend(file.themes.iter().map(|theme| theme.is.name.as_str()));
    let mut tagged = BTreeSet::new();
    let mut again = Vec::new();
    file.tags = resolved(
        std::mem::take(&mut file.tags),
        &mut refused,
        &mut plan.tags,
        |tag| {
            if !themes.contains(tag.is.theme.as_str()) {
                return Err(format!(
                    "names the theme `{}`, which is neither in the file nor in the graph",
                    tag.is.theme
                ));
            }
            let node = names.find(&tag.is.node, "node")?;
            if !tagged.insert((node.clone(), tag.is.theme.clone())) {
                again.push(Note {
                    item: tag.item.clone(),
                    reason: "the same tag stands before".to_owned(),
                });
            }
            Ok(node)
        },
    );
    file.documents = resolved(
        std::mem::take(&mut file.documents),
        &mut refused,
        &mut plan.documents,
        |document| names.find(&document.is.node, "node"),
    );
    file.sessions = resolved(
        std::mem::take(&mut file.sessions),
        &mut refused,
        &mut plan.sessions,
        |session| {
            let members: Result<Vec<String>, String> = session
                .is
                .members
                .iter()
                .map(|member| names.find(&member.node, "node"))
                .collect();
            Ok((names.find(&session.is.root, "root")?, members?))
        },
    );
    drop_again(&mut file, &mut plan, again);
    file.refused.extend(refused);
    learn_rows(cx, &file, known, &mut plan)?;
    Ok((file, plan))
}

/// The second telling of a tag is folded into the first.
fn drop_again(file: &mut File, plan: &mut Plan, again: Vec<Note>) {
    let items: BTreeSet<&str> = again.iter().map(|note| note.item.as_str()).collect();
    let kept: Vec<_> = std::mem::take(&mut file.tags)
        .into_iter()
        .zip(std::mem::take(&mut plan.tags))
        .filter(|(tag, _)| !items.contains(tag.item.as_str()))
        .collect();
    (file.tags, plan.tags) = kept.into_iter().unzip();
    file.folded.extend(again);
}

/// Keeps the records that `find` finds a place for.
fn resolved<T, P>(
    records: Vec<Told<T>>,
    refused: &mut Vec<Note>,
    places: &mut Vec<P>,
    mut find: impl FnMut(&Told<T>) -> Result<P, String>,
) -> Vec<Told<T>> {
    let mut kept = Vec::with_capacity(records.len());
    for record in records {
        match find(&record) {
            Ok(place) => {
                places.push(place);
                kept.push(record);
            }
            Err(reason) => refused.push(Note {
                item: record.item,
                reason,
            }),
        }
    }
    kept
}

/// Ends of edges; an edge told twice is one: the older, with the reason of either.
fn edges(file: &mut File, names: &Names, plan: &mut Plan) {
    let mut refused = Vec::new();
    let mut all = Vec::new();
    let told = resolved(
        std::mem::take(&mut file.edges),
        &mut refused,
        &mut all,
        |edge| {
            let ends = Ends {
                from: names.find(&edge.is.from, "source")?,
                to: names.find(&edge.is.to, "target")?,
            };
            if ends.from == ends.to {
                Err("joins a node with itself".to_owned())
            } else {
                Ok(ends)
            }
        },
    );
    let mut places: BTreeMap<(Ends, EdgeType), usize> = BTreeMap::new();
    for (edge, ends) in told.into_iter().zip(all) {
        let key = (ends.clone(), edge.is.kind);
        match places
            .get(&key)
            .and_then(|place| file.edges.get_mut(*place))
        {
            Some(first) => {
                let reason = format!("is the same edge as {}", first.item);
                file.folded.push(Note {
                    item: edge.item.clone(),
                    reason,
                });
                fold_edge(first, edge);
            }
            None => {
                places.insert(key, file.edges.len());
                file.edges.push(edge);
                plan.edges.push(ends);
            }
        }
    }
    file.refused.extend(refused);
}

fn fold_edge(first: &mut Told<Joined>, second: Told<Joined>) {
    let created = |edge: &Told<Joined>| edge.set.get("created_at").and_then(Value::as_i64);
    let reason = |edge: &Told<Joined>| {
        edge.set
            .get("rationale")
            .filter(|reason| !reason.is_null())
            .cloned()
    };
    let reasons = (reason(first), reason(&second));
    if created(&second) < created(first) {
        *first = second;
    }
    if let (Some(reason), None) | (None, Some(reason)) = reasons {
        first.set.insert("rationale".to_owned(), reason);
    }
}

/// The nodes' own numbers where they are free, others behind all of them.
fn numbers(home: &Workspace, file: &File, known: &Known) -> Vec<u32> {
    let mut given: BTreeSet<u32> = BTreeSet::new();
    let mut numbers: Vec<Option<u32>> = Vec::with_capacity(file.nodes.len());
    for node in &file.nodes {
        let here = known.nodes.get(&node.is.change_id).map(|row| row.id);
        let free = |id: &u32| *id <= GREATEST && !known.taken.contains(id);
        let wanted = || node.is.id.filter(free).filter(|id| given.insert(*id));
        numbers.push(here.or_else(wanted));
    }
    let behind = given.last().map_or(1, |last| last.saturating_add(1));
    let mut next = home.next_node.max(behind).max(1);
    let mut other = || {
        next = next.saturating_add(1);
        next - 1
    };
    numbers
        .into_iter()
        .map(|number| number.unwrap_or_else(&mut other))
        .collect()
}

/// The rows that edges, tags and members of nodes known here have already.
fn learn_rows(cx: &Cx, file: &File, known: &Known, plan: &mut Plan) -> Step<()> {
    let number = |id: &String| known.nodes.get(id).map(|row| row.id);
    let mut keys: Vec<Vec<Cell>> = Vec::new();
    let mut whose = Vec::new();
    for (edge, ends) in file.edges.iter().zip(&plan.edges) {
        if let (Some(from), Some(to)) = (number(&ends.from), number(&ends.to)) {
            keys.push(vec![
                LOCAL.into(),
                from.into(),
                to.into(),
                edge.is.kind.name().into(),
            ]);
            whose.push((ends.clone(), edge.is.kind));
        }
    }
    let tags = file.tags.iter().zip(&plan.tags);
    let tags: Vec<Vec<Cell>> = tags
        .filter_map(|(tag, node)| {
            Some(vec![
                LOCAL.into(),
                number(node)?.into(),
                tag.is.theme.as_str().into(),
            ])
        })
        .collect();
    let sessions = file
        .sessions
        .iter()
        .filter_map(|session| known.sessions.get(&session.is.named.change_id));
    let sessions: Vec<Vec<Cell>> = sessions
        .map(|session| vec![LOCAL.into(), session.id.into()])
        .collect();
    let edges = cx.rows::<Edge>(&keys);
    let tags = cx.rows::<NodeTheme>(&tags);
    let members = cx.scan::<SessionNode>(Scan::of("primary").below_each(sessions));
    let (edges, tags, members) = (edges?, tags?, members?);
    plan.known_edges = whose
        .into_iter()
        .zip(edges)
        .filter_map(|(key, row)| Some((key, row?)))
        .collect();
    plan.known_tags = tags
        .into_iter()
        .flatten()
        .map(|row| ((row.node_id, row.theme.clone()), row))
        .collect();
    plan.known_members = members
        .into_iter()
        .flatten()
        .map(|row| (row.session_id, row.node_id))
        .collect();
    Ok(())
}
