//! `merge_events`: takes in events of other stores.

use crate::answer::Answer;
use crate::args::Objects;
use crate::cx::Cx;
use crate::ledger::merge;
use crate::ledger::strand::replica_of;
use crate::refuse::Step;
use crate::shapes::ConflictItem;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Merge events",
    about: "Take in ledger events of other stores, whole or not at all. What is held already is passed over; a gap is refused.",
    effect: Set,
    cli: {
        command: &["events", "merge"],
        summary: "Take in ledger events of other stores",
        positions: &["events"],
        file: &["events"],
        examples: &["deciduous events merge events.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Events as read_events gives them, of each replica in order
    events: Objects,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    merged: usize,
    known: usize,
    /// Records that the events are about
    subjects: usize,
    /// Fields that this merge decided between writers who did not know of each other
    conflicts: Vec<ConflictItem>,
    total_conflicts: usize,
    open_conflicts: u32,
    /// Replicas whose name two stores wrote under
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forks: Vec<String>,
    /// This store's new name, where its old one is in use elsewhere too
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed: Option<String>,
    seq: i64,
}

/// The rest is counted, and listed by get_pulse.
const CONFLICTS_SHOWN: usize = 20;

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let merged = merge::merge(cx, &args.events)?;
    let total_conflicts = merged.conflicts.len();
    let conflicts = merged.conflicts.iter().take(CONFLICTS_SHOWN).map(ConflictItem::from).collect();
    let decided = if total_conflicts == 0 { String::new() } else { format!(" It decided {}; what lost stays in the ledger.", counted(total_conflicts, "concurrent edit")) };
    let lead = format!("Merged {}, {} known before.{decided}", counted(merged.merged, "event"), merged.known);
    let output = Output {
        merged: merged.merged,
        known: merged.known,
        subjects: merged.subjects,
        conflicts,
        total_conflicts,
        open_conflicts: merged.open_conflicts,
        forks: merged.forks.iter().map(|strand| replica_of(strand).to_owned()).collect(),
        renamed: merged.renamed,
        seq: merged.seq,
    };
    Ok(Answer::new(output).lead(lead))
}
