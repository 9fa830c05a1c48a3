//! `update_node`: corrects what a node says.

use crate::answer::Answer;
use crate::args::{CommaWords, Confidence, NewStatus, Object, Ref, Text, Title, Word};
use crate::cx::Cx;
use crate::exchange::metadata;
use crate::ledger::{Fields, Tx};
use crate::lookup;
use crate::model::Node;
use crate::refuse::{Step, bad_argument, refusal, stop};
use crate::rules::origin;
use crate::shapes::NodeDetail;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

tool! {
    title: "Update node",
    about: "Correct what a node says: title, description, status, confidence, files, prompt, commit, metadata. An empty text clears a field.",
    effect: Set,
    cli: {
        command: &["edit"],
        summary: "Correct what a node says",
        positions: &["node_id"],
        short: &[("title", "t"), ("description", "d"), ("status", "s"), ("confidence", "c"), ("files", "f"), ("prompt", "p")],
        stdin: &["prompt", "description"],
        examples: &["deciduous edit 42 --title \"Cookies for the web\" -c 85"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node to correct
    node_id: Ref,
    /// New title
    title: Option<Title>,
    /// New description
    description: Option<Text>,
    /// New status
    status: Option<NewStatus>,
    /// 0-100
    confidence: Option<Confidence>,
    /// Comma-separated paths; replaces the list
    files: Option<CommaWords>,
    /// The user's words, verbatim
    prompt: Option<Text>,
    /// Commit hash, or "HEAD"
    commit: Option<Word>,
    /// Replaces the metadata map; a `branch` in it moves the node
    metadata: Option<Object>,
    /// Merged into the metadata map; a null removes its key
    metadata_merge: Option<Object>,
    /// Branch whose write lease is taken (default: the node's)
    branch: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    #[serde(flatten)]
    node: NodeDetail,
    changed: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let given = |text: Option<Text>| text.map(|text| crate::text::check::filled(Some(text.0)));
    if args.metadata.is_some() && args.metadata_merge.is_some() {
        return stop(bad_argument("metadata_merge", "cannot go with `metadata`", "give one of the two"));
    }
    let commit = origin::commit(cx, args.commit.clone())?;
    let mut node = lookup::node(cx, &args.node_id.0)?;
    let mut tx = Tx::open(cx)?;
    let mut set = match (args.metadata, args.metadata_merge) {
        (Some(Object(map)), _) => spread("metadata", map)?,
        (None, Some(Object(changes))) => spread("metadata_merge", merged(&node, changes))?,
        (None, None) => Fields::new(),
    };
    // What is given by its own name wins over the same key of the map.
    let mut put = |name: &str, value: Value| set.insert(name.to_owned(), value);
    args.title.map(|title| put("title", json!(title.0)));
    given(args.description).map(|text| put("description", json!(text)));
    given(args.prompt).map(|text| put("prompt", json!(text)));
    args.status.map(|status| put("status", json!(status.0.name())));
    args.confidence.map(|confidence| put("confidence", json!(confidence.0)));
    args.commit.map(|_| put("commit", json!(commit)));
    args.files.map(|files| put("files", list(origin::paths(files.0))));
    if set.is_empty() {
        return stop(refusal(400, "nothing to change was given", "give at least one of title, description, status, confidence, files, prompt, commit, metadata"));
    }
    let changed = tx.change_node(&mut node, "node.changed", set)?;
    if let Some(Word(branch)) = args.branch.filter(|branch| !branch.0.is_empty()) {
        tx.on_branch(Some(&branch));
    }
    tx.finish();
    let lead = if changed { format!("Changed {} #{} `{}`.", node.node_type, node.id, node.title) } else { format!("#{} says so already.", node.id) };
    Ok(Answer::new(Output { node: NodeDetail::from(&node), changed }).lead(lead))
}

fn list(paths: Vec<String>) -> Value {
    if paths.is_empty() { Value::Null } else { json!(json!(paths).to_string()) }
}

/// The whole map with the changes merged in; a null takes its key out.
fn merged(node: &Node, changes: Map<String, Value>) -> Map<String, Value> {
    let mut map: Map<String, Value> = metadata::written(node).and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    map.extend(changes);
    map
}

/// Spreads a metadata map over the columns; what has no column stays a map.
fn spread(argument: &str, mut map: Map<String, Value>) -> Step<Fields> {
    map.retain(|_, value| !value.is_null());
    let empty = map.is_empty();
    let mut set = metadata::fields(map).map_err(|(key, why)| bad_argument(argument, format!("has a `{key}` that {why}"), format!("correct `{key}` and call again")))?;
    if empty {
        set.insert("metadata".to_owned(), Value::Null);
    }
    Ok(set)
}
