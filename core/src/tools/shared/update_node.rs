//! `update_node`: corrects what a node says.

use crate::answer::Answer;
use crate::args::{CommaWords, Confidence, NewStatus, Object, Ref, Text, Title, Word};
use crate::cx::Cx;
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
    let mut set = Fields::new();
    let mut put = |name: &str, value: Value| set.insert(name.to_owned(), value);
    args.title.map(|title| put("title", json!(title.0)));
    given(args.description).map(|text| put("description", json!(text)));
    given(args.prompt).map(|text| put("prompt", json!(text)));
    args.status.map(|status| put("status", json!(status.0.name())));
    args.confidence.map(|confidence| put("confidence", json!(confidence.0)));
    args.commit.map(|_| put("commit", json!(commit)));
    args.files.map(|files| put("files", list(origin::paths(files.0))));
    if let Some(Object(map)) = args.metadata {
        metadata(map, &mut set);
    } else if let Some(Object(changes)) = args.metadata_merge {
        metadata(merged(&node, changes), &mut set);
    }
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

/// The keys of the seeds' metadata map that are columns here.
const COLUMNS: [&str; 5] = ["branch", "commit", "confidence", "prompt", "files"];

/// The whole map as the seeds see it: the columns and the rest.
fn merged(node: &Node, changes: Map<String, Value>) -> Map<String, Value> {
    let mut map: Map<String, Value> = node.metadata.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let columns = [json!(node.branch), json!(node.commit), json!(node.confidence), json!(node.prompt), json!(node.file_list())];
    map.extend(COLUMNS.into_iter().map(str::to_owned).zip(columns));
    map.extend(changes);
    map.retain(|_, value| !value.is_null() && !value.as_array().is_some_and(Vec::is_empty));
    map
}

/// Spreads a metadata map over the columns; what has no column stays a map.
fn metadata(mut map: Map<String, Value>, set: &mut Fields) {
    for name in COLUMNS {
        let value = map.remove(name).unwrap_or(Value::Null);
        let value = match value {
            Value::Array(_) if name == "files" => json!(value.to_string()),
            other => other,
        };
        set.insert(name.to_owned(), value);
    }
    set.insert("metadata".to_owned(), if map.is_empty() { Value::Null } else { json!(Value::Object(map).to_string()) });
}
