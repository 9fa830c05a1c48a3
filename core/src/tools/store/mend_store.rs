//! `mend_store`: makes the tables what the ledger says, a stretch a call.

use super::check_store::place;
use crate::answer::Answer;
use crate::args::Word;
use crate::cx::Cx;
use crate::ledger::care;
use crate::refuse::Step;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Mend store",
    about: "Mend what check_store finds in a stretch: rows are made again from their events, what is in no event is written to the ledger, counters are set right. A host makes a backup first and holds one transaction around all calls.",
    effect: Set,
    cli: {
        command: &["store", "mend"],
        summary: "Mend a stretch of the tables; `doctor --fix` does all of it, with a backup",
        examples: &["deciduous store mend"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// From the former call (default: the beginning)
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    /// What this call looked at: ledger, rows, folds, counters
    part: &'static str,
    /// Rows made again from their events
    rows: usize,
    /// Events written of what only a table said
    events: usize,
    /// Rows for what others join and the ledger does not know
    placeholders: usize,
    counters: usize,
    /// What cannot be mended and was left as it is
    left: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let place = place(args.cursor)?;
    let part = place.part();
    let mended = care::mend(cx, place)?;
    let lead = format!("Made {} again, wrote {}; {} left.", counted(mended.rows, "row"), counted(mended.events, "event"), mended.left);
    let cursor = mended.next.map(|next| next.to_string());
    let next = if cursor.is_some() { "go on with `cursor`" } else { "" };
    let output = Output {
        part,
        rows: mended.rows,
        events: mended.events,
        placeholders: mended.placeholders,
        counters: mended.counters,
        left: mended.left,
        truncated: cursor.is_some(),
        cursor,
    };
    Ok(Answer::new(output).lead(lead).next(next))
}
