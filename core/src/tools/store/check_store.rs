//! `check_store`: whether the tables are what the ledger says, a stretch a call.

use crate::answer::Answer;
use crate::args::Word;
use crate::cx::Cx;
use crate::ledger::care::{self, Finding, Place};
use crate::refuse::Step;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Check store",
    about: "Check a stretch of the store: the ledger's chains, places and counters, whether each row is in the ledger and joins what is there, whether each subject's row is what its events make. Changes nothing.",
    effect: Read,
    cli: {
        command: &["store", "check"],
        summary: "Check the tables against the ledger, as `doctor` does",
        pages: &["findings"],
        examples: &["deciduous store check"]
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
    /// Events, rows or subjects
    looked_at: usize,
    findings: Vec<Finding>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let place = place(args.cursor)?;
    let part = place.part();
    let checked = care::check(cx, place)?;
    let lead = format!("{} in {} of the {part}.", counted(checked.findings.len(), "finding"), checked.looked_at);
    let cursor = checked.next.map(|next| next.to_string());
    let next = if cursor.is_some() { "go on with `cursor`" } else { "" };
    let output = Output { part, looked_at: checked.looked_at, findings: checked.findings, truncated: cursor.is_some(), cursor };
    Ok(Answer::new(output).lead(lead).next(next))
}

/// The place that a cursor names; the beginning where there is none.
pub(super) fn place(cursor: Option<Word>) -> Step<Place> {
    match cursor.filter(|cursor| !cursor.0.is_empty()) {
        Some(cursor) => Place::read(&cursor.0),
        None => Ok(Place::default()),
    }
}
