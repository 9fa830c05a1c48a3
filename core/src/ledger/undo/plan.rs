//! What taking a write back means for each record that it touched.
//!
//! Owns: the values from before it, and what stands in the way. Never: writing (`mod`), finding the write (`find`).

use crate::cx::Cx;
use crate::ledger::LOCAL;
use crate::ledger::kept::{History, Kept, Rows};
use crate::ledger::undo::{find, hang};
use crate::ledger::write::{NODE_FIELD, ROOT_FIELD};
use crate::ledger::{Fields, Subject, kept};
use crate::model::{Event, NodeBrief, node_key};
use crate::refuse::Step;
use crate::refuse::{refusal, stop};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Fields that follow from others, or only tell when.
const INCIDENTAL: [&str; 4] = ["created_at", "created_text", "updated_at", "updated_text"];
pub(super) const DELETED: &str = "deleted_at";

/// What becomes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Gone,
    Back,
    Changed,
}

/// One record's part.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub subject: Subject,
    /// As it is now.
    pub row: Kept,
    pub set: Fields,
    pub way: Way,
}

/// Why a write cannot be taken back now.
#[derive(Clone, Debug)]
pub(super) struct Obstacle {
    pub what: String,
    /// The event that must go first.
    pub event: Option<String>,
}

/// All parts, in the order in which they are to be recorded.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub turns: Vec<Turn>,
    pub rows: Rows,
    /// Nodes by number: those that documents and sessions belong to.
    pub owners: BTreeMap<u32, NodeBrief>,
    pub(super) obstacles: Vec<Obstacle>,
}

impl Plan {
    pub(super) fn make(cx: &Cx, write: &str, events: &[Event]) -> Step<Plan> {
        let mut subjects: Vec<Subject> = Vec::new();
        let mut seen = BTreeSet::new();
        // What came last goes first.
        for event in events
            .iter()
            .rev()
            .filter(|event| seen.insert(&event.subject))
        {
            match Subject::parse(&event.subject) {
                Some(subject) => subjects.push(subject),
                None => return stop(strange(event)),
            }
        }
        let histories = kept::histories(cx, subjects.iter());
        let rows = Rows::load(cx, &subjects, &BTreeSet::new());
        let (histories, rows) = (histories?, rows?);
        if let Some(event) = find::undone_by(&histories, write) {
            return stop(undone(write, event));
        }
        let mut plan = Plan {
            rows,
            ..Plan::default()
        };
        for (subject, history) in subjects.into_iter().zip(&histories) {
            plan.add(cx, write, subject, history)?;
        }
        plan.owners = owners(cx, &plan.turns)?;
        let obstacles = hang::obstacles(cx, &plan)?;
        plan.obstacles.extend(obstacles);
        Ok(plan)
    }

    fn add(&mut self, cx: &Cx, write: &str, subject: Subject, history: &History) -> Step<()> {
        let Some(row) = self.rows.get(&subject) else {
            return stop(refusal(
                500,
                format!("the row of `{subject}` is missing"),
                "run `deciduous doctor`",
            ));
        };
        let own = |event: &Event| event.of_write() == write;
        let first = history
            .iter()
            .position(|(event, _)| own(event))
            .unwrap_or(history.len());
        let (prefix, rest) = history.split_at(first);
        let void = find::void(history, write);
        // What was taken back later than this write was not there before it either.
        let stood = prefix.iter().filter(|(event, _)| {
            void.get(event.of_write())
                .is_none_or(|settled| *settled < first)
        });
        let mut before = row.bare();
        if let Err(why) = before.fold(stood) {
            return stop(refusal(500, why, "run `deciduous doctor`"));
        }
        let touched: BTreeSet<&String> = rest
            .iter()
            .filter(|(event, _)| own(event))
            .flat_map(|(_, fields)| fields.keys())
            .filter(|name| *name != NODE_FIELD && *name != ROOT_FIELD)
            .collect();
        let later: Vec<&(Event, Fields)> = rest
            .iter()
            .filter(|(event, _)| !own(event) && !void.contains_key(event.of_write()))
            .collect();
        let made = before.is_made();
        let in_the_way = later.iter().rev().find_map(|(event, fields)| {
            let of_it = fields
                .keys()
                .find(|name| touched.contains(name) && !INCIDENTAL.contains(&name.as_str()));
            match of_it {
                Some(field) => Some((event, Some(field))),
                None if !made => Some((event, None)),
                None => None,
            }
        });
        if let Some((event, field)) = in_the_way {
            let what = self.told(&subject);
            let field = match field {
                Some(field) if field == DELETED => String::new(),
                Some(field) => format!("`{field}` of "),
                None => String::new(),
            };
            self.obstacles.push(Obstacle {
                what: format!(
                    "{field}{what} was changed since by `{}` ({}, event `{}`)",
                    event.actor, event.kind, event.id
                ),
                event: Some(event.id.clone()),
            });
            return Ok(());
        }
        let mut set = Fields::new();
        if made {
            for name in touched {
                set_if(&mut set, name, before.value(name), &row);
            }
            if matches!(row, Kept::Node(_)) {
                let source = if later.is_empty() { &before } else { &row };
                set.insert("updated_at".to_owned(), source.value("updated_at"));
                set_if(&mut set, "updated_text", source.value("updated_text"), &row);
            }
        } else if row.is_live() {
            set.insert(DELETED.to_owned(), json!(cx.now()));
        }
        let way = match set.get(DELETED) {
            Some(Value::Null) => Way::Back,
            Some(_) if row.is_live() => Way::Gone,
            _ => Way::Changed,
        };
        self.turns.push(Turn {
            subject,
            row,
            set,
            way,
        });
        Ok(())
    }
}

impl Turn {
    /// Whether there is anything to do.
    pub(super) fn changes(&self) -> bool {
        self.told_fields().next().is_some() || self.way != Way::Changed
    }

    /// The fields that a person wants to see.
    pub(super) fn told_fields(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.set
            .iter()
            .filter(|(name, _)| *name != DELETED && !INCIDENTAL.contains(&name.as_str()))
    }
}

fn set_if(set: &mut Fields, name: &str, value: Value, row: &Kept) {
    if row.value(name) != value {
        set.insert(name.to_owned(), value);
    }
}

/// The nodes that documents and sessions belong to, deleted ones included.
fn owners(cx: &Cx, turns: &[Turn]) -> Step<BTreeMap<u32, NodeBrief>> {
    let ids: BTreeSet<u32> = turns
        .iter()
        .filter_map(|turn| match &turn.row {
            Kept::Document(row) => Some(row.node_id),
            Kept::Session(row) => Some(row.root_id),
            _ => None,
        })
        .collect();
    let keys: Vec<_> = ids.into_iter().map(|id| node_key(LOCAL, id)).collect();
    let found = cx.rows::<NodeBrief>(&keys)?;
    Ok(found
        .into_iter()
        .flatten()
        .map(|node| (node.id, node))
        .collect())
}

fn strange(event: &Event) -> deciduous_boundary::Refusal {
    refusal(
        500,
        format!(
            "event `{}` is about `{}`, which is nothing known here",
            event.id, event.subject
        ),
        "run `deciduous doctor`",
    )
}

fn undone(write: &str, event: &Event) -> deciduous_boundary::Refusal {
    refusal(
        409,
        format!(
            "the write `{write}` was undone already by `{}` (event `{}`)",
            event.actor,
            event.of_write()
        ),
        format!("undo `{}` to bring it back", event.of_write()),
    )
}
