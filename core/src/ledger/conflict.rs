//! Concurrent edits: which fields got different values from writers who did not know of each other.
//!
//! Owns: finding them among a subject's events, and keeping the table `conflict` right. Never: deciding; the fold does.

use crate::cx::{Cx, Scan, row};
use crate::ledger::{Fields, LOCAL, Subject, Tx};
use crate::model::{Conflict, Event, Workspace};
use crate::refuse::Step;
use crate::text::shorten;
use crate::time;
use fixedbitset::FixedBitSet;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Fields that follow from others, or only tell when.
const INCIDENTAL: [&str; 4] = ["created_at", "created_text", "updated_at", "updated_text"];
const DELETED: &str = "deleted_at";

/// One field that a merge decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub field: String,
    pub winner: String,
    pub losers: Vec<String>,
}

/// The newest events among `events` (in fold order): those that none of the others knew.
pub(super) fn heads(events: &[(Event, Fields)]) -> Vec<&str> {
    let known: BTreeSet<&str> = events
        .iter()
        .filter_map(|(event, _)| event.after.as_deref())
        .flat_map(|after| after.split(' '))
        .collect();
    let ids = events.iter().map(|(event, _)| event.id.as_str());
    ids.filter(|id| !known.contains(id)).collect()
}

/// The fields of one subject whose value was decided by the merge alone. `events` are in fold order.
pub(super) fn find(events: &[(Event, Fields)]) -> Vec<Found> {
    let chained = events
        .windows(2)
        .all(|pair| matches!(pair, [(a, _), (b, _)] if b.after.as_deref() == Some(a.id.as_str())));
    if chained {
        return Vec::new();
    }
    let known = known(events);
    let mut setters: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, (_, fields)) in events.iter().enumerate() {
        for field in fields
            .keys()
            .filter(|field| !INCIDENTAL.contains(&field.as_str()))
        {
            setters.entry(field).or_default().push(place);
        }
    }
    let value = |place: usize, field: &str| {
        let value = events.get(place).and_then(|(_, fields)| fields.get(field));
        let value = value.cloned().unwrap_or(Value::Null);
        // Two deletions agree, whenever they were.
        if field == DELETED {
            json!(value.is_null())
        } else {
            value
        }
    };
    let id = |place: usize| {
        events
            .get(place)
            .map_or(String::new(), |(event, _)| event.id.clone())
    };
    let mut found = Vec::new();
    for (field, places) in setters {
        let mut standing = Vec::new();
        let mut replaced = FixedBitSet::with_capacity(events.len());
        for place in places.into_iter().rev() {
            if !replaced.contains(place) {
                standing.push(place);
            }
            if let Some(known) = known.get(place) {
                replaced.union_with(known);
            }
        }
        let Some((winner, others)) = standing.split_first() else {
            continue;
        };
        let losers: Vec<String> = others
            .iter()
            .filter(|other| value(**other, field) != value(*winner, field))
            .map(|other| id(*other))
            .collect();
        if !losers.is_empty() {
            found.push(Found {
                field: field.to_owned(),
                winner: id(*winner),
                losers,
            });
        }
    }
    found
}

/// For each event the places of those that its writer knew, directly or by others.
fn known(events: &[(Event, Fields)]) -> Vec<FixedBitSet> {
    let places: BTreeMap<&str, usize> = events
        .iter()
        .enumerate()
        .map(|(place, (event, _))| (event.id.as_str(), place))
        .collect();
    let mut known: Vec<FixedBitSet> = Vec::with_capacity(events.len());
    for (event, _) in events {
        let mut set = FixedBitSet::with_capacity(events.len());
        let after = event
            .after
            .as_deref()
            .into_iter()
            .flat_map(|after| after.split(' '));
        for place in after.filter_map(|id| places.get(id)) {
            // A writer's clock is ahead of what it knew, so what is before is known already.
            if let Some(before) = known.get(*place) {
                set.union_with(before);
                set.insert(*place);
            }
        }
        known.push(set);
    }
    known
}

impl Tx<'_, '_> {
    /// Closes the conflicts over the fields that are about to be written: the writer sees what the merge decided.
    pub(super) fn close_conflicts(&mut self, subject: &str, fields: &Fields) {
        let Some(mut rows) = self.conflicts.remove(subject) else {
            return;
        };
        let written = rows.extract_if(.., |row| fields.contains_key(&row.field));
        let written: Vec<Conflict> = written.collect();
        for row in written {
            self.set_open(row, false);
        }
        if !rows.is_empty() {
            self.conflicts.insert(subject.to_owned(), rows);
        }
    }

    /// Makes the table say `found` of `subject`; answers what is new.
    pub(super) fn keep_conflicts(&mut self, subject: &str, found: Vec<Found>) -> Vec<Conflict> {
        let stored = self.conflicts.remove(subject).unwrap_or_default();
        let mut news = Vec::new();
        let mut stored: BTreeMap<String, Conflict> = stored
            .into_iter()
            .map(|row| (row.field.clone(), row))
            .collect();
        for Found {
            field,
            winner,
            losers,
        } in found
        {
            let losers = json!(losers).to_string();
            let former = stored.remove(&field);
            if former
                .as_ref()
                .is_some_and(|row| row.open == 1 && row.winner == winner && row.losers == losers)
            {
                continue;
            }
            let row = Conflict {
                workspace: self.workspace(),
                subject: subject.to_owned(),
                field,
                open: former.map_or(0, |row| row.open),
                winner,
                losers,
                found_at: self.cx.now(),
                seq: self.home.seq,
            };
            news.push(self.set_open(row, true));
        }
        for row in stored.into_values() {
            self.set_open(row, false);
        }
        news
    }

    fn set_open(&mut self, mut row: Conflict, open: bool) -> Conflict {
        let count = &mut self.home.conflicts;
        match (row.open, open) {
            (1, false) => *count = count.saturating_sub(1),
            (0, true) => *count = count.saturating_add(1),
            _ => {}
        }
        row.open = u32::from(open);
        row.seq = self.home.seq;
        self.put(&row);
        row
    }
}

/// All open conflicts, by subject, as a write needs them.
pub(super) fn all_open(cx: &Cx, home: &Workspace) -> Step<BTreeMap<String, Vec<Conflict>>> {
    if home.conflicts > 0 {
        by_subject(cx)
    } else {
        Ok(BTreeMap::new())
    }
}

/// As [`all_open`], whatever the counters say.
pub(super) fn by_subject(cx: &Cx) -> Step<BTreeMap<String, Vec<Conflict>>> {
    let mut by_subject: BTreeMap<String, Vec<Conflict>> = BTreeMap::new();
    for row in open(cx, 0)? {
        by_subject.entry(row.subject.clone()).or_default().push(row);
    }
    Ok(by_subject)
}

/// Open conflicts, at most `most` (0: all).
fn open(cx: &Cx, most: u32) -> Step<Vec<Conflict>> {
    let scan = Scan::of("conflict_by_open")
        .below(vec![LOCAL.into(), 1_u32.into()])
        .limit(most);
    cx.scan_one::<Conflict>(scan)
}

row! {
    /// A node's two names.
    struct NodeName in "node" {
        id: u32,
        change_id: String,
    }
}

/// A value that was written, by whom and when.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Written {
    /// As text, shortened; empty where it was cleared.
    pub value: String,
    pub by: String,
    pub at: String,
}

/// A conflict as people read it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Told {
    /// The node it is about, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<u32>,
    pub subject: String,
    pub field: String,
    pub stands: Written,
    pub lost: Vec<Written>,
}

/// So much of a value is told.
const VALUE_CHARS: usize = 200;

/// The first open conflicts with what was written, at most `most`.
pub(crate) fn told(cx: &Cx, most: u32) -> Step<Vec<Told>> {
    let rows = open(cx, most)?;
    tell(cx, &rows)
}

/// The open conflicts about one subject.
pub(crate) fn told_of(cx: &Cx, subject: &Subject) -> Step<Vec<Told>> {
    let scan = Scan::of("primary").below(vec![LOCAL.into(), subject.to_string().into()]);
    let mut rows = cx.scan_one::<Conflict>(scan)?;
    rows.retain(|row| row.open == 1);
    tell(cx, &rows)
}

fn tell(cx: &Cx, rows: &[Conflict]) -> Step<Vec<Told>> {
    let losers =
        |row: &Conflict| -> Vec<String> { serde_json::from_str(&row.losers).unwrap_or_default() };
    let ids: BTreeSet<String> = rows
        .iter()
        .flat_map(|row| losers(row).into_iter().chain([row.winner.clone()]))
        .collect();
    let nodes: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.subject.strip_prefix("node/"))
        .collect();
    let key = |id: &str| vec![LOCAL.into(), id.into()];
    let events = cx.scan::<Event>(Scan::of("event_by_id").below_each(ids.iter().map(|id| key(id))));
    let nodes =
        cx.scan::<NodeName>(Scan::of("node_by_change_id").below_each(nodes.into_iter().map(key)));
    let (events, nodes) = (events?, nodes?);
    let events: BTreeMap<String, Event> = events
        .into_iter()
        .flatten()
        .map(|event| (event.id.clone(), event))
        .collect();
    let nodes: BTreeMap<String, u32> = nodes
        .into_iter()
        .flatten()
        .map(|node| (node.change_id, node.id))
        .collect();
    let written = |id: &str, field: &str| {
        let event = events.get(id)?;
        let fields: Fields = serde_json::from_str(&event.fields).unwrap_or_default();
        let value = match fields.get(field) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        Some(Written {
            value: shorten(&value, VALUE_CHARS),
            by: event.actor.clone(),
            at: time::show(event.at),
        })
    };
    let told = |row: &Conflict| {
        Some(Told {
            node_id: row
                .subject
                .strip_prefix("node/")
                .and_then(|id| nodes.get(id))
                .copied(),
            subject: row.subject.clone(),
            field: row.field.clone(),
            stands: written(&row.winner, &row.field)?,
            lost: losers(row)
                .iter()
                .filter_map(|id| written(id, &row.field))
                .collect(),
        })
    };
    Ok(rows.iter().filter_map(told).collect())
}

#[cfg(test)]
mod tests {
    use super::{Found, find, heads};
    use crate::ledger::Fields;
    use crate::model::Event;
    use serde_json::{Value, json};

    fn event(id: &str, after: Option<&str>, fields: Value) -> (Event, Fields) {
        let event = Event {
            id: id.to_owned(),
            after: after.map(str::to_owned),
            ..Event::default()
        };
        (event, serde_json::from_value(fields).expect("fields"))
    }

    #[test]
    fn two_writers_of_one_field_conflict_until_one_writes_who_knew_both() {
        let mut events = vec![
            event("a", None, json!({"title": "0", "status": "pending"})),
            event("b", Some("a"), json!({"title": "1", "updated_at": 1})),
            event("c", Some("a"), json!({"title": "2", "updated_at": 2})),
        ];
        let lost = Found {
            field: "title".to_owned(),
            winner: "c".to_owned(),
            losers: vec!["b".to_owned()],
        };
        assert_eq!(heads(&events), ["b", "c"]);
        assert_eq!(find(&events), std::slice::from_ref(&lost));
        events.push(event("d", Some("b c"), json!({"status": "active"})));
        assert_eq!(heads(&events), ["d"]);
        assert_eq!(find(&events), [lost]);
        events.push(event("e", Some("d"), json!({"title": "3"})));
        assert_eq!(find(&events), []);
    }

    #[test]
    fn the_same_value_other_fields_and_two_deletions_agree() {
        let events = [
            event("a", None, json!({"title": "0"})),
            event("b", Some("a"), json!({"title": "1", "deleted_at": 5})),
            event(
                "c",
                Some("a"),
                json!({"title": "1", "status": "active", "deleted_at": 6}),
            ),
        ];
        assert_eq!(find(&events), []);
    }

    #[test]
    fn a_long_shared_past_is_no_conflict() {
        let mut events = vec![event("e0", None, json!({"title": "0"}))];
        for n in 1..100 {
            events.push(event(
                &format!("e{n}"),
                Some(&format!("e{}", n - 1)),
                json!({"title": n}),
            ));
        }
        events.push(event("x", Some("e50"), json!({"status": "active"})));
        assert_eq!(find(&events), []);
        assert_eq!(heads(&events), ["e99", "x"]);
    }
}
