//! What hangs on the records that a taking back takes away, and what those need that it brings back.
//!
//! Owns: that no edge, tag, attachment or member is left behind or comes back to nothing.

use crate::cx::{Cx, Scan};
use crate::ledger::kept::Kept;
use crate::ledger::undo::plan::{Obstacle, Plan, Way};
use crate::ledger::{LOCAL, Subject};
use crate::model::{
    Document, Edge, EdgeType, NodeName, NodeTheme, Session, SessionNode, Theme, node_key,
};
use crate::refuse::Step;
use deciduous_boundary::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// What goes and what comes back, by numbers and names.
#[derive(Default)]
struct Moves {
    gone: BTreeSet<Subject>,
    back: BTreeSet<Subject>,
}

pub(super) fn obstacles(cx: &Cx, plan: &Plan) -> Step<Vec<Obstacle>> {
    let mut moves = Moves::default();
    for turn in &plan.turns {
        match turn.way {
            Way::Gone => moves.gone.insert(turn.subject.clone()),
            Way::Back => moves.back.insert(turn.subject.clone()),
            Way::Changed => false,
        };
    }
    let left = left_behind(cx, plan, &moves);
    let lost = without_ground(cx, plan, &moves);
    let (mut all, lost) = (left?, lost?);
    all.extend(lost);
    Ok(all)
}

/// Live records that hang on what goes without going themselves.
fn left_behind(cx: &Cx, plan: &Plan, moves: &Moves) -> Step<Vec<Obstacle>> {
    let (mut nodes, mut themes, mut sessions) = (Vec::new(), Vec::new(), Vec::new());
    for turn in plan.turns.iter().filter(|turn| turn.way == Way::Gone) {
        match &turn.row {
            Kept::Node(row) => nodes.push(node_key(LOCAL, row.id)),
            Kept::Theme(row) => themes.push(vec![LOCAL.into(), row.name.as_str().into()]),
            Kept::Session(row) => sessions.push(vec![LOCAL.into(), row.id.into()]),
            _ => {}
        }
    }
    let below = |index, keys: &[Vec<Cell>]| Scan::of(index).below_each(keys.iter().cloned());
    let out = cx.scan::<Edge>(below("primary", &nodes));
    let into = cx.scan::<Edge>(below("edge_by_target", &nodes));
    let tags = cx.scan::<NodeTheme>(below("primary", &nodes));
    let documents = cx.scan::<Document>(below("document_by_node", &nodes));
    let members = cx.scan::<SessionNode>(below("session_node_by_node", &nodes));
    let tagged = cx.scan::<NodeTheme>(below("node_theme_by_theme", &themes));
    let joined = cx.scan::<SessionNode>(below("primary", &sessions));
    let edges: Vec<Edge> = live(out?.into_iter().chain(into?), |row| row.deleted_at);
    let tags: Vec<NodeTheme> = live(tags?.into_iter().chain(tagged?), |row| row.deleted_at);
    let documents: Vec<Document> = live(documents?.into_iter(), |row| row.deleted_at);
    let members: Vec<SessionNode> = live(members?.into_iter().chain(joined?), |row| row.deleted_at);

    let node_ids = edges
        .iter()
        .flat_map(|edge| [edge.from_id, edge.to_id])
        .chain(tags.iter().map(|tag| tag.node_id))
        .chain(members.iter().map(|one| one.node_id));
    let node_ids: Vec<u32> = node_ids.collect::<BTreeSet<u32>>().into_iter().collect();
    let of: BTreeSet<u32> = members.iter().map(|one| one.session_id).collect();
    let of: Vec<u32> = of.into_iter().collect();
    let keys = |ids: &[u32]| {
        ids.iter()
            .map(|id| node_key(LOCAL, *id))
            .collect::<Vec<_>>()
    };
    let names = cx.rows::<NodeName>(&keys(&node_ids));
    let rows = cx.rows::<Session>(&keys(&of));
    let (names, rows) = (names?, rows?);
    let names: BTreeMap<u32, String> = node_ids
        .into_iter()
        .zip(names)
        .filter_map(|(id, name)| Some((id, name?.change_id)))
        .collect();
    let sessions: BTreeMap<u32, String> = rows
        .into_iter()
        .flatten()
        .map(|row| (row.id, row.change_id))
        .collect();
    let node = |id: &u32| names.get(id).cloned().unwrap_or_default();

    let mut found: Vec<(Subject, String, Option<String>)> = Vec::new();
    for row in edges {
        let subject = Subject::Edge {
            from: node(&row.from_id),
            to: node(&row.to_id),
            kind: row.edge_type.clone(),
        };
        let what = format!(
            "the edge #{} -> #{} ({})",
            row.from_id, row.to_id, row.edge_type
        );
        found.push((subject, what, row.last_event));
    }
    for row in tags {
        let subject = Subject::Tag {
            node: node(&row.node_id),
            theme: row.theme.clone(),
        };
        let what = format!("the tag `{}` of #{}", row.theme, row.node_id);
        found.push((subject, what, row.last_event));
    }
    for row in documents {
        let what = format!("document {} `{}` of #{}", row.id, row.name, row.node_id);
        found.push((Subject::Document(row.change_id), what, row.last_event));
    }
    for row in members {
        let subject = Subject::Member {
            session: sessions.get(&row.session_id).cloned().unwrap_or_default(),
            node: node(&row.node_id),
        };
        let what = format!("#{} in session {}", row.node_id, row.session_id);
        found.push((subject, what, row.last_event));
    }
    let mut seen = BTreeSet::new();
    Ok(found
        .into_iter()
        .filter(|(subject, ..)| !moves.gone.contains(subject) && seen.insert(subject.clone()))
        .map(|(_, what, heads)| hangs(&what, heads))
        .collect())
}

fn live<R>(rows: impl Iterator<Item = Vec<R>>, deleted: fn(&R) -> Option<i64>) -> Vec<R> {
    rows.flatten()
        .filter(|row| deleted(row).is_none())
        .collect()
}

fn hangs(what: &str, heads: Option<String>) -> Obstacle {
    let event = heads.and_then(|heads| heads.split(' ').next_back().map(str::to_owned));
    let by = event
        .as_deref()
        .map_or(String::new(), |event| format!(" (event `{event}`)"));
    Obstacle {
        what: format!("{what} came since and depends on it{by}"),
        event,
    }
}

/// What comes back must stand on something: live nodes, themes and sessions; and an edge may not meet its reverse.
fn without_ground(cx: &Cx, plan: &Plan, moves: &Moves) -> Step<Vec<Obstacle>> {
    let back = || plan.turns.iter().filter(|turn| turn.way == Way::Back);
    let themes: BTreeSet<&str> = back()
        .filter_map(|turn| match &turn.subject {
            Subject::Tag { theme, .. } => Some(theme.as_str()),
            _ => None,
        })
        .collect();
    let keys: Vec<Vec<Cell>> = themes
        .into_iter()
        .map(|name| vec![LOCAL.into(), name.into()])
        .collect();
    let themes = cx.rows::<Theme>(&keys);
    let edges: Vec<&Edge> = back()
        .filter_map(|turn| match &turn.row {
            Kept::Edge(row) if row.edge_type != EdgeType::TookFrom.name() => Some(row),
            _ => None,
        })
        .collect();
    let reverse = edges
        .iter()
        .map(|row| vec![LOCAL.into(), row.to_id.into(), row.from_id.into()]);
    let reverse = cx.scan::<Edge>(Scan::of("primary").below_each(reverse));
    let (themes, reverse) = (themes?, reverse?);
    let themes: BTreeMap<String, Theme> = themes
        .into_iter()
        .flatten()
        .map(|theme| (theme.name.clone(), theme))
        .collect();

    let mut obstacles = Vec::new();
    for turn in back() {
        for (id, what, heads) in grounds(plan, &turn.subject, &turn.row, &themes) {
            let stands = !moves.gone.contains(&id) && (moves.back.contains(&id) || heads.is_none());
            if !stands {
                let event = heads.flatten();
                let by = event
                    .as_deref()
                    .map_or(String::new(), |event| format!(" by event `{event}`"));
                let of = plan.told(&turn.subject);
                obstacles.push(Obstacle {
                    what: format!("{what}, which {of} needs, was taken away{by}"),
                    event,
                });
            }
        }
    }
    for (row, others) in edges.iter().zip(reverse) {
        let stands = |other: &&Edge| {
            other.deleted_at.is_none()
                && other.edge_type != EdgeType::TookFrom.name()
                && !plan.turns.iter().any(|turn| {
                    turn.way == Way::Gone && matches!(&turn.row, Kept::Edge(gone) if gone == *other)
                })
        };
        if let Some(other) = others.iter().find(stands) {
            obstacles.push(hangs(
                &format!(
                    "the edge #{} -> #{} ({}), the reverse of #{} -> #{},",
                    other.from_id, other.to_id, other.edge_type, row.from_id, row.to_id
                ),
                other.last_event.clone(),
            ));
        }
    }
    Ok(obstacles)
}

/// What a record stands on: its subject, its name, and where it is gone now, the event that took it away.
type Ground = (Subject, String, Option<Option<String>>);

fn grounds(
    plan: &Plan,
    subject: &Subject,
    row: &Kept,
    themes: &BTreeMap<String, Theme>,
) -> Vec<Ground> {
    let last = |heads: Option<&str>| {
        heads
            .and_then(|heads| heads.split(' ').next_back())
            .map(str::to_owned)
    };
    let node = |id: &String| {
        let row = plan.rows.nodes.get(id);
        let gone = match row {
            Some(row) if row.is_live() => None,
            Some(row) => Some(last(row.last_event.as_deref())),
            None => Some(None),
        };
        let what = row.map_or_else(|| format!("node {id}"), |row| format!("#{}", row.id));
        (Subject::Node(id.clone()), what, gone)
    };
    match subject {
        Subject::Edge { from, to, .. } => vec![node(from), node(to)],
        Subject::Tag { node: id, theme } => {
            let row = themes.get(theme);
            let gone = match row {
                Some(row) if row.deleted_at.is_none() => None,
                Some(row) => Some(last(row.last_event.as_deref())),
                None => Some(None),
            };
            vec![
                node(id),
                (
                    Subject::Theme(theme.clone()),
                    format!("theme `{theme}`"),
                    gone,
                ),
            ]
        }
        Subject::Member { session, node: id } => {
            let row = plan.rows.sessions.get(session);
            let gone = match row {
                Some(row) if row.deleted_at.is_none() => None,
                Some(row) => Some(last(row.last_event.as_deref())),
                None => Some(None),
            };
            let what = row.map_or_else(
                || format!("session {session}"),
                |row| format!("session {}", row.id),
            );
            vec![node(id), (Subject::Session(session.clone()), what, gone)]
        }
        Subject::Document(_) => {
            let Kept::Document(row) = row else {
                return Vec::new();
            };
            let owner = plan.owners.get(&row.node_id);
            let gone = match owner {
                Some(owner) if owner.deleted_at.is_none() => None,
                _ => Some(None),
            };
            let id = owner.map_or_else(String::new, |owner| owner.change_id.clone());
            vec![(Subject::Node(id), format!("#{}", row.node_id), gone)]
        }
        Subject::Node(_) | Subject::Theme(_) | Subject::Session(_) => Vec::new(),
    }
}
