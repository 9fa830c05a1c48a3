//! `ask_graph`: a question in plain words, answered from what was recorded.

use crate::answer::Answer;
use crate::args::{AskScope, Flag, Limit, Text, Word};
use crate::ask::{self, Ask, Scope};
pub(crate) use crate::ask::Output;
use crate::cx::Cx;
use crate::refuse::Step;
use crate::tool::tool;
use serde::Deserialize;

tool! {
    title: "Ask the graph",
    about: "Ask why something is as it is. Finds decisions with their options and rationale by words and edges, says why each result is there and what the graph knows nothing of. No model.",
    effect: Read,
    cli: {
        command: &["ask"],
        summary: "Ask a question of the graph",
        positions: &["question"],
        short: &[("scope", "s"), ("limit", "n")],
        long: &[("include_context", "context")],
        pages: &["results"],
        examples: &["deciduous ask \"why Postgres?\"", "deciduous ask \"which options were rejected?\" --scope recent"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Plain words; "quotes" keep them together, #42 names a node
    question: Text,
    /// Where results may lie (default all)
    scope: Option<AskScope>,
    /// Add neighbours of each result
    include_context: Option<Flag>,
    /// Page size (default 8)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    ask::answer(cx, Ask {
        question: args.question.0,
        scope: args.scope.map_or(Scope::All, |scope| scope.0),
        context: args.include_context.is_some_and(|flag| flag.0),
        limit: args.limit.map(|limit| limit.0),
        cursor: args.cursor,
    })
}
