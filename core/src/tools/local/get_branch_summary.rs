//! `get_branch_summary`: what was decided and done on a git branch, and what is still open there.

use crate::answer::Answer;
use crate::args::Word;
use crate::branch;
pub(crate) use crate::branch::Output;
use crate::cx::Cx;
use crate::refuse::Step;
use crate::tool::tool;
use serde::Deserialize;

tool! {
    title: "Branch summary",
    about: "Sum up a git branch before merging or taking it over: its decisions with their options, activity, what is still open, what it borrowed from other branches.",
    effect: Read,
    cli: { command: &["branch"], summary: "Sum up a git branch", positions: &["branch"], examples: &["deciduous branch main"] }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Git branch
    branch: Word,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    branch::answer(cx, args.branch.0)
}
