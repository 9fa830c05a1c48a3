//! `redo_write`: does again what was undone.

use super::undo_write::{Output, answer};
use crate::answer::Answer;
use crate::args::{Flag, Limit};
use crate::cx::Cx;
use crate::ledger::undo::What;
use crate::refuse::Step;
use crate::tool::tool;
use serde::Deserialize;

tool! {
    title: "Redo write",
    about: "Do again the write that was undone last in this store. Refused where later writes stand in its way.",
    effect: Add,
    cli: {
        command: &["redo"],
        summary: "Do again what was undone last",
        short: &[("dry_run", "n")],
        examples: &["deciduous redo --dry-run", "deciduous redo"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Only say what would be done (default false)
    dry_run: Option<Flag>,
    /// How many changes to list (default: what fits 20 kB)
    limit: Option<Limit>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    answer(cx, &What::Again, args.dry_run, args.limit)
}
