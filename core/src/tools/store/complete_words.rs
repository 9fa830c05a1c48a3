//! `complete_words`: what the beginning of an argument may become, for a shell that completes it.

use crate::answer::Answer;
use crate::args::Word;
use crate::complete::{self, Candidate};
use crate::cx::Cx;
use crate::refuse::{Step, bad_argument, stop};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Complete words",
    about: "List what the beginning of an argument may become: nodes, themes, branches, sessions, documents.",
    effect: Read,
    cli: {
        command: &["complete"],
        summary: "List what the beginning of an argument may become",
        positions: &["kind", "prefix"],
        examples: &["deciduous complete node 4", "deciduous complete theme"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// node, theme, branch, session or document
    kind: Word,
    /// What is typed so far
    prefix: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    candidates: Vec<Candidate>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let prefix = args.prefix.map(|prefix| prefix.0).unwrap_or_default();
    let Some(candidates) = complete::candidates(cx, &args.kind.0, &prefix)? else {
        return stop(bad_argument("kind", format!("is no kind: `{}`", args.kind.0), format!("take one of {}", complete::KINDS.join(", "))));
    };
    let lines: Vec<String> = candidates.iter().map(|one| format!("{}\t{}", one.value, one.help)).collect();
    let lead = if lines.is_empty() { counted(0, "candidate") } else { lines.join("\n") };
    Ok(Answer::new(Output { candidates }).lead(lead))
}
