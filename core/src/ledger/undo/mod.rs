//! Undo: a write is taken back by another one; nothing is erased.
//!
//! Owns: what is taken back, and that it is only where nothing later builds on it. The compensating events set the
//! fields of the former ones to what they were before, in one write that names the former in `undoes`. Taking back such
//! a write does the first one again. So `undo` twice walks back two writes, and `redo` twice walks forward again.

mod find;
mod hang;
mod plan;
mod tell;

pub(crate) use tell::TurnTold;

use crate::cx::Cx;
use crate::ledger::kept::Kept;
use crate::ledger::{Fields, Tx};
use crate::model::Event;
use crate::model::reference::NodeRef;
use crate::refuse::{Step, refusal, stop};
use plan::{Plan, Way};

/// Which write is meant.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The newest of this store.
    Newest,
    /// The newest that was undone.
    Again,
    Event(String),
    OfNode(NodeRef),
}

/// What was done, or would be.
#[derive(Debug)]
pub(crate) struct Undone {
    /// The first event of the write that is taken back, which tells its tool and its writer.
    pub former: Event,
    pub events: usize,
    /// The first event of the new write; none where none was made.
    pub event: Option<String>,
    pub turns: Vec<TurnTold>,
}

/// At most so many obstacles are named.
const NAMED: usize = 3;

/// Takes a write back; with `dry_run` only says what that would do.
pub(crate) fn undo(cx: &Cx, what: &What, dry_run: bool) -> Step<Undone> {
    let mut tx = Tx::open(cx)?;
    let write = match what {
        What::Newest => find::newest(cx, &tx.home, false)?,
        What::Again => find::newest(cx, &tx.home, true)?,
        What::Event(id) => find::named(cx, id)?,
        What::OfNode(node) => find::of_node(cx, node)?,
    };
    let events = cx.once("events of the write", || find::events(cx, &tx.home, &write))?;
    let plan = Plan::make(cx, &write, &events)?;
    if !plan.obstacles.is_empty() {
        return stop(blocked(&plan, &events));
    }
    let told = plan
        .turns
        .iter()
        .filter(|turn| turn.changes())
        .map(|turn| turn.told(&plan))
        .collect();
    let event = if dry_run {
        None
    } else {
        Some(record(cx, &mut tx, &plan, &write)?)
    };
    if !dry_run {
        tx.finish();
    }
    let Some(former) = events.first().cloned() else {
        return stop(refusal(
            500,
            "a write without events",
            "report this as a defect",
        ));
    };
    Ok(Undone {
        former,
        events: events.len(),
        event,
        turns: told,
    })
}

/// Makes the compensating events; answers the id of the first.
fn record(cx: &Cx, tx: &mut Tx, plan: &Plan, write: &str) -> Step<String> {
    tx.undoes = Some(write.to_owned());
    // Back in the order of their making: what comes back stands before what needs it.
    for turn in plan.turns.iter().filter(|turn| turn.changes()) {
        let mut row = turn.row.clone();
        row.record(tx, turn.kind(), &turn.subject, turn.set.clone())?;
        match &row {
            Kept::Node(node) => tx.on_branch(node.branch.as_deref()),
            Kept::Session(session)
                if turn.way == Way::Gone && cx.kept_session() == Some(session.id) =>
            {
                cx.keep_session(None);
            }
            _ => {}
        }
    }
    // A write that changed nothing in the end is still named by an event, or it would be found again and again.
    if let (None, Some(turn)) = (tx.write(), plan.turns.first()) {
        let mut row = turn.row.clone();
        let mut set = Fields::new();
        if matches!(row, Kept::Node(_)) {
            set.insert("updated_at".to_owned(), row.value("updated_at"));
        }
        row.record(tx, turn.kind(), &turn.subject, set)?;
    }
    Ok(tx.write().unwrap_or_default())
}

fn blocked(plan: &Plan, events: &[Event]) -> deciduous_boundary::Refusal {
    let named: Vec<&str> = plan
        .obstacles
        .iter()
        .take(NAMED)
        .map(|one| one.what.as_str())
        .collect();
    let more = match plan.obstacles.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let tool = events.first().map_or("", |event| event.tool.as_str());
    let first = plan.obstacles.iter().find_map(|one| one.event.as_deref());
    let next = match first {
        Some(event) => format!("undo `{event}` first, or set by hand what should be otherwise"),
        None => "set by hand what should be otherwise".to_owned(),
    };
    refusal(
        409,
        format!(
            "this write (`{tool}`) cannot be undone as it is: {}{more}",
            named.join("; ")
        ),
        next,
    )
}
