//! `add_node`: a new node.

use crate::answer::Answer;
use crate::args::{CommaWords, Confidence, NewType, Text, Title, Word};
use crate::cx::Cx;
use crate::ledger::{NewNode, Tx};
use crate::refuse::Step;
use crate::render::view::tone;
use crate::rules::{origin, parents};
use crate::text::check::filled;
use crate::time;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Add node",
    about: "Record a goal, option, decision, action, outcome, observation or revisit as it comes up. Link it right after with link_nodes.",
    effect: Add,
    cli: {
        command: &["add"],
        summary: "Add a node",
        positions: &["node_type", "title"],
        short: &[("description", "d"), ("confidence", "c"), ("prompt", "p"), ("files", "f"), ("branch", "b")],
        stdin: &["prompt"],
        negate: &["branch"],
        examples: &["deciduous add goal \"Ship search\" -c 90", "deciduous add action \"Index titles\" -f src/index.rs --commit HEAD", "deciduous add decision \"Move to SQLite\" --date 2024-03-01"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// What the node records
    node_type: NewType,
    /// Short statement, one line
    title: Title,
    /// Longer text
    description: Option<Text>,
    /// 0-100
    confidence: Option<Confidence>,
    /// The user's words, verbatim
    prompt: Option<Text>,
    /// Comma-separated paths
    files: Option<CommaWords>,
    /// Git branch (default: the checked-out one; "" for none)
    branch: Option<Word>,
    /// Commit hash, or "HEAD"
    commit: Option<Word>,
    /// When it happened, if not now: YYYY-MM-DD or RFC 3339
    date: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    id: u32,
    node_type: &'static str,
    title: String,
    change_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// Where a date was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggested_parents: Vec<parents::Parent>,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (branch, commit) = (origin::branch(cx, args.branch), origin::commit(cx, args.commit));
    let (branch, commit) = (branch?, commit?);
    let created_at = origin::date(cx, args.date.as_ref())?;
    let mut tx = Tx::open(cx)?;
    let kind = args.node_type.0;
    let new = NewNode {
        description: filled(args.description.map(|text| text.0)),
        confidence: args.confidence.map(|confidence| confidence.0),
        prompt: filled(args.prompt.map(|text| text.0)),
        files: origin::paths(args.files.map(|files| files.0).unwrap_or_default()),
        branch,
        commit,
        created_at,
        ..NewNode::of(kind, args.title.0)
    };
    let suggested_parents = parents::for_new(cx, &new)?;
    let node = tx.add_node(new)?;
    let ended = tx.session.as_ref().filter(|session| session.ended_at.is_some()).map(|session| session.id);
    tx.finish();
    let mut warnings = parents::warnings(kind, &suggested_parents);
    let next = if warnings.is_empty() { String::new() } else { format!("link_nodes from its parent to #{}", node.id) };
    warnings.extend(ended.map(|id| format!("session {id} has ended; the node joined it all the same")));
    let on = created_at.map_or(String::new(), |at| format!(", dated {}", time::show_day(at)));
    let lead = format!("Added {} #{} `{}`{on}.", kind.name(), node.id, node.title);
    let output = Output {
        id: node.id,
        node_type: kind.name(),
        title: node.title,
        change_id: node.change_id,
        branch: node.branch,
        commit: node.commit,
        created_at: created_at.map(time::show),
        suggested_parents,
        warnings,
    };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        page.node(0, output.node_type, output.id, &output.title, "pending");
        output.warnings.iter().for_each(|warning| page.indented(1, vec![tone("warn", warning.as_str())]));
    }))
}
