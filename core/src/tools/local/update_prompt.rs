//! `update_prompt`: keeps the user's words on a node.

use crate::answer::Answer;
use crate::args::{Ref, Text};
use crate::cx::Cx;
use crate::ledger::{Fields, Tx};
use crate::lookup;
use crate::refuse::Step;
use crate::render::view::plain;
use crate::text::check::filled;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use serde_json::json;

tool! {
    title: "Update prompt",
    about: "Keep the user's words, verbatim, on a node that was added without them. An empty text clears them.",
    effect: Set,
    cli: {
        command: &["prompt"],
        summary: "Keep the user's words on a node",
        positions: &["node_id", "prompt"],
        stdin: &["prompt"],
        examples: &["deciduous prompt 42 \"make search fast\"", "deciduous prompt 42 --prompt-stdin < request.txt"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node to update
    node_id: Ref,
    /// The user's words, verbatim
    prompt: Text,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    id: u32,
    node_type: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    changed: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (tx, node) = (Tx::open(cx), lookup::node(cx, &args.node_id.0));
    let (mut tx, mut node) = (tx?, node?);
    let set = Fields::from([("prompt".to_owned(), json!(filled(Some(args.prompt.0))))]);
    let changed = tx.change_node(&mut node, "node.changed", set)?;
    tx.finish();
    let verb = match (changed, &node.prompt) {
        (false, _) => "Kept already: the prompt",
        (true, Some(_)) => "Kept the prompt",
        (true, None) => "Cleared the prompt",
    };
    let lead = format!("{verb} of {} #{} `{}`.", node.node_type, node.id, node.title);
    let output = Output { id: node.id, node_type: node.node_type, title: node.title, prompt: node.prompt, changed };
    Ok(Answer::new(output).lead(lead.clone()).view(cx, |page, _| page.line(vec![plain(lead)])))
}
