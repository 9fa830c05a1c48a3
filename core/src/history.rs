//! The ledger as people read it: who did what, when, what it was before, and because of what.
//!
//! Owns: finding the events that were asked for, newest first, and telling what each changed. Never: the events' form.

use crate::cx::{Cx, Scan, row};
use crate::ledger::{Fields, LOCAL, Subject};
use crate::model::{Event, Node, node_key};
use crate::refuse::Step;
use crate::text::shorten;
use crate::time;
use deciduous_boundary::{Cell, Millis};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Events looked at in one round.
const ROUND: u32 = 1_000;
/// A page that finds too little ends after so many rounds, with a cursor to go on.
const ROUNDS: usize = 20;
/// Edges and documents of one node whose events are looked for.
const HANGING: u32 = 2_000;
/// Former events of a subject among which the former value is looked for.
const FORMER: u32 = 200;
const VALUE_CHARS: usize = 80;
/// Fields that only repeat what the event says anyway.
const INCIDENTAL: [&str; 5] = [
    "created_at",
    "created_text",
    "updated_at",
    "updated_text",
    "deleted_at",
];

/// Which events are wanted.
pub(crate) struct Wanted {
    pub actor: Option<String>,
    pub branch: Option<String>,
    pub since: Option<Millis>,
    /// Subjects of one node; none: all.
    pub subjects: Option<BTreeSet<String>>,
    /// Only events before this place.
    pub before: Option<i64>,
    pub most: usize,
}

row! {
    /// Enough to tell whether an event is wanted.
    struct EventMark in "event" {
        seq: i64,
        at: i64,
        actor: String,
        subject: String,
    }
}

row! {
    /// What a node is called and where it is.
    pub struct Named in "node" {
        id: u32,
        change_id: String,
        title: String,
        branch: Option<String>,
    }
}

row! {
    struct Link in "edge" {
        from_id: u32,
        edge_type: String,
    }
}

row! {
    struct Paper in "document" {
        change_id: String,
    }
}

row! {
    struct Membership in "session_node" {
        session_id: u32,
    }
}

row! {
    struct SessionName in "session" {
        change_id: String,
    }
}

row! {
    struct ChangeId in "node" {
        change_id: String,
    }
}

fn key(id: &str) -> Vec<Cell> {
    vec![LOCAL.into(), id.into()]
}

/// The subjects of all that hangs on a node: itself, its edges, tags, documents and places in sessions.
pub(crate) fn subjects(cx: &Cx, node: &Node) -> Step<BTreeSet<String>> {
    let id = &node.change_id;
    // `0` is the character behind `/`.
    let below = |table: &str| {
        Scan::of("event_by_subject")
            .below(vec![LOCAL.into()])
            .from(format!("{table}/{id}/"))
            .to(format!("{table}/{id}0"))
            .desc()
            .limit(HANGING)
    };
    let hanging = |index| {
        Scan::of(index)
            .below(node_key(LOCAL, node.id))
            .desc()
            .limit(HANGING)
    };
    let (out, tags) = (
        cx.scan_one::<EventMark>(below("edge")),
        cx.scan_one::<EventMark>(below("tag")),
    );
    let (into, papers, members) = (
        cx.scan_one::<Link>(hanging("edge_by_target")),
        cx.scan_one::<Paper>(hanging("document_by_node")),
        cx.scan_one::<Membership>(hanging("session_node_by_node")),
    );
    let (out, tags, into, papers, members) = (out?, tags?, into?, papers?, members?);
    let froms: Vec<_> = into
        .iter()
        .map(|edge| node_key(LOCAL, edge.from_id))
        .collect();
    let sessions: Vec<_> = members
        .iter()
        .map(|one| vec![LOCAL.into(), one.session_id.into()])
        .collect();
    let (froms, sessions) = (
        cx.rows::<ChangeId>(&froms),
        cx.rows::<SessionName>(&sessions),
    );
    let (froms, sessions) = (froms?, sessions?);
    let mut all = BTreeSet::from([Subject::Node(id.clone()).to_string()]);
    all.extend(out.into_iter().chain(tags).map(|event| event.subject));
    for (edge, from) in into.into_iter().zip(froms) {
        if let Some(from) = from {
            let (from, to, kind) = (from.change_id, id.clone(), edge.edge_type);
            all.insert(Subject::Edge { from, to, kind }.to_string());
        }
    }
    all.extend(
        papers
            .into_iter()
            .map(|paper| Subject::Document(paper.change_id).to_string()),
    );
    for session in sessions.into_iter().flatten() {
        let (session, node) = (session.change_id, id.clone());
        all.insert(Subject::Member { session, node }.to_string());
    }
    Ok(all)
}

/// The wanted events, newest first, and the place behind which the search goes on, where it does.
pub(crate) fn find(cx: &Cx, wanted: &Wanted) -> Step<(Vec<Event>, Option<i64>)> {
    let (mut places, mut go_on) = (Vec::new(), None);
    if let Some(subjects) = &wanted.subjects {
        let scan = Scan::of("event_by_subject").below_each(subjects.iter().map(|one| key(one)));
        let marks = cx
            .scan::<EventMark>(scan)?
            .into_iter()
            .flatten()
            .filter(|mark| wanted.before.is_none_or(|before| mark.seq < before));
        let mut marks = chosen(cx, wanted, marks.collect())?;
        marks.sort_unstable_by_key(|mark| std::cmp::Reverse(mark.seq));
        places.extend(marks.iter().map(|mark| mark.seq));
    } else {
        let mut before = wanted.before;
        for round in 0.. {
            let mut scan = Scan::of("primary")
                .below(vec![LOCAL.into()])
                .desc()
                .limit(ROUND);
            if let Some(before) = before {
                scan = scan.after(vec![LOCAL.into(), before.into()]);
            }
            let marks = cx.scan_one::<EventMark>(scan)?;
            let end = marks.len() < ROUND as usize;
            before = marks.last().map(|mark| mark.seq);
            places.extend(chosen(cx, wanted, marks)?.into_iter().map(|mark| mark.seq));
            if end || places.len() > wanted.most {
                break;
            }
            if round + 1 == ROUNDS {
                go_on = before;
                break;
            }
        }
    }
    if places.len() > wanted.most {
        places.truncate(wanted.most);
        go_on = places.last().copied();
    }
    let keys: Vec<Vec<Cell>> = places
        .iter()
        .map(|seq| vec![LOCAL.into(), (*seq).into()])
        .collect();
    Ok((
        cx.rows::<Event>(&keys)?.into_iter().flatten().collect(),
        go_on,
    ))
}

/// Those of the events that the filters let through.
fn chosen(cx: &Cx, wanted: &Wanted, mut marks: Vec<EventMark>) -> Step<Vec<EventMark>> {
    marks.retain(|mark| {
        wanted.since.is_none_or(|since| mark.at >= since)
            && wanted
                .actor
                .as_ref()
                .is_none_or(|actor| mark.actor.to_lowercase() == actor.to_lowercase())
    });
    if let Some(branch) = &wanted.branch {
        let nodes = named(cx, marks.iter().map(|mark| mark.subject.as_str()))?;
        marks.retain(|mark| {
            ends(&mark.subject)
                .iter()
                .filter_map(|id| nodes.get(id))
                .any(|node| node.branch.as_ref() == Some(branch))
        });
    }
    Ok(marks)
}

/// The nodes that a subject is about, by `change_id`.
fn ends(subject: &str) -> Vec<String> {
    match Subject::parse(subject) {
        Some(Subject::Node(id)) => vec![id],
        Some(Subject::Edge { from, to, .. }) => vec![from, to],
        Some(Subject::Tag { node, .. } | Subject::Member { node, .. }) => vec![node],
        _ => Vec::new(),
    }
}

/// The nodes of these subjects, by `change_id`.
pub(crate) fn named<'s>(
    cx: &Cx,
    subjects: impl Iterator<Item = &'s str>,
) -> Step<BTreeMap<String, Named>> {
    let ids: BTreeSet<String> = subjects.flat_map(ends).collect();
    let scan = Scan::of("node_by_change_id").below_each(ids.iter().map(|id| key(id)));
    let rows = cx.scan::<Named>(scan)?.into_iter().flatten();
    Ok(rows.map(|node| (node.change_id.clone(), node)).collect())
}

/// A field that an event set.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Changed {
    pub field: String,
    /// Left out where it had no value, or none is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Left out where it was cleared
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// An event as people read it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Told {
    pub seq: i64,
    pub id: String,
    pub at: String,
    pub actor: String,
    pub actor_kind: String,
    pub kind: String,
    pub subject: String,
    /// The subject as it is called here: `#3 Title`, `#3 -> #4 leads_to`
    pub about: String,
    /// The node it is about, where it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<u32>,
    pub changes: Vec<Changed>,
    pub tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// First event of the write that it belongs to
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    /// First event of the write that it takes back
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    #[serde(skip)]
    pub minute: String,
}

/// Tells the events, each with what its fields were before.
pub(crate) fn tell(cx: &Cx, events: &[Event]) -> Step<Vec<Told>> {
    let subjects: BTreeSet<&str> = events.iter().map(|event| event.subject.as_str()).collect();
    let former = Scan::of("event_by_subject")
        .below_each(subjects.iter().map(|subject| key(subject)))
        .desc()
        .limit(FORMER);
    let nodes = named(cx, subjects.iter().copied());
    let (former, nodes) = (cx.scan::<Event>(former), nodes);
    let (former, nodes) = (former?, nodes?);
    let former: BTreeMap<&str, Vec<(i64, Fields)>> = subjects
        .into_iter()
        .zip(former.into_iter().map(|events| {
            events
                .iter()
                .map(|event| (event.seq, fields(event)))
                .collect()
        }))
        .collect();
    Ok(events
        .iter()
        .map(|event| one(event, former.get(event.subject.as_str()), &nodes))
        .collect())
}

fn fields(event: &Event) -> Fields {
    serde_json::from_str(&event.fields).unwrap_or_default()
}

fn one(
    event: &Event,
    former: Option<&Vec<(i64, Fields)>>,
    nodes: &BTreeMap<String, Named>,
) -> Told {
    let set = fields(event);
    let begins = event.after.is_none();
    let changes = set
        .iter()
        .filter(|(field, _)| !INCIDENTAL.contains(&field.as_str()))
        .map(|(field, value)| {
            // The newest one before this event that set the field: they come newest first.
            let before = former
                .into_iter()
                .flatten()
                .filter(|(seq, _)| *seq < event.seq && !begins)
                .find_map(|(_, fields)| fields.get(field));
            Changed {
                field: field.clone(),
                from: before.and_then(shown),
                to: shown(value),
            }
        })
        .collect();
    let (about, node_id) = about(&event.subject, &set, former, nodes);
    Told {
        seq: event.seq,
        id: event.id.clone(),
        at: time::show(event.at),
        actor: event.actor.clone(),
        actor_kind: event.actor_kind.clone(),
        kind: event.kind.clone(),
        subject: event.subject.clone(),
        about,
        node_id,
        changes,
        tool: event.tool.clone(),
        idempotency_key: event.idempotency_key.clone(),
        write: event.write.clone(),
        undoes: event.undoes.clone(),
        minute: time::show_minute(event.at),
    }
}

fn shown(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(shorten(&line, VALUE_CHARS))
}

/// What the subject is called here.
fn about(
    subject: &str,
    set: &Fields,
    former: Option<&Vec<(i64, Fields)>>,
    nodes: &BTreeMap<String, Named>,
) -> (String, Option<u32>) {
    let number = |id: &String| {
        nodes
            .get(id)
            .map_or_else(|| shorten(id, 13), |node| format!("#{}", node.id))
    };
    let said = |field: &str| {
        let now = set.get(field);
        now.or_else(|| former?.iter().find_map(|(_, fields)| fields.get(field)))
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    match Subject::parse(subject) {
        Some(Subject::Node(id)) => match nodes.get(&id) {
            Some(node) => (
                format!("#{} {}", node.id, shorten(&node.title, VALUE_CHARS)),
                Some(node.id),
            ),
            None => (shorten(&id, 13), None),
        },
        Some(Subject::Edge { from, to, kind }) => {
            (format!("{} -> {} {kind}", number(&from), number(&to)), None)
        }
        Some(Subject::Tag { node, theme }) => (format!("{} {theme}", number(&node)), None),
        Some(Subject::Theme(name)) => (name, None),
        Some(Subject::Document(_)) => (said("path"), None),
        Some(Subject::Session(_)) => (said("name"), None),
        Some(Subject::Member { node, .. }) => (number(&node), None),
        None => (subject.to_owned(), None),
    }
}
