//! `end_session`: closes a conversation and keeps what came of it.

use crate::answer::Answer;
use crate::args::Text;
use crate::cx::Cx;
use crate::ledger::{Fields, LOCAL, NewNode, Tx, fields};
use crate::lookup;
use crate::model::{EdgeType, Node, NodeType, node_key};
use crate::refuse::{Step, refusal, stop};
use crate::render::view::plain;
use crate::rules::origin;
use crate::text::check::filled;
use crate::text::shorten;
use crate::time;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// A summary's beginning stands as the title of its observation.
const TITLE_CHARS: usize = 120;

tool! {
    title: "End session",
    about: "Close the current session, or the one named by `session_id`. Its `summary` is kept as an observation under the root goal.",
    effect: Add,
    cli: {
        command: &["session", "end"],
        summary: "Close a session",
        positions: &["session_id"],
        short: &[("summary", "s")],
        stdin: &["summary"],
        examples: &["deciduous session end 3 -s \"OAuth2 works, tokens rotate\""]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// What was accomplished
    summary: Option<Text>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    session_id: u32,
    name: String,
    root_node_id: u32,
    ended_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// The observation that holds the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_node_id: Option<u32>,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let branch = origin::branch(cx, None)?;
    let named = cx.common.borrow().session_id;
    let (tx, session) = (Tx::open(cx), lookup::current_session(cx, named));
    let (mut tx, mut session) = (tx?, session?);
    if let Some(at) = session.ended_at {
        return stop(refusal(409, format!("session {} `{}` ended at {}", session.id, session.name, time::show(at)), "resume_session opens it again"));
    }
    let root = cx.row::<Node>(node_key(LOCAL, session.root_id))?.filter(Node::is_live);
    tx.session = Some(session.clone());
    let mut set: Fields = fields! { ended_at: cx.now() };
    let mut warnings = Vec::new();
    let mut kept = None;
    let summary = filled(args.summary.map(|text| text.0));
    if let Some(summary) = &summary {
        let note = tx.add_node(observation(summary, branch))?;
        match &root {
            Some(root) => {
                tx.add_edge((root, &note), EdgeType::LeadsTo, None, fields! { rationale: "summary of the session" })?;
            }
            None => warnings.push(format!("the root goal #{} is gone, so the summary stands alone as #{}", session.root_id, note.id)),
        }
        set.insert("summary".to_owned(), summary.as_str().into());
        kept = Some(note.id);
    }
    tx.change_session(&mut session, "session.ended", set)?;
    tx.finish();
    if cx.kept_session() == Some(session.id) {
        cx.keep_session(None);
    }
    let place = kept.map_or(String::new(), |id| format!("; its summary is observation #{id}"));
    let alone = if summary.is_some() && root.is_none() { ", alone as the root goal is gone" } else { "" };
    let lead = format!("Session {} `{}` ended{place}{alone}.", session.id, session.name);
    let next = match &root {
        Some(root) if root.kind() == Some(NodeType::Goal) => format!("update_status of goal #{} when it is reached", root.id),
        _ => String::new(),
    };
    let output = Output {
        session_id: session.id,
        name: session.name,
        root_node_id: session.root_id,
        ended_at: time::show(cx.now()),
        summary,
        summary_node_id: kept,
        warnings,
    };
    Ok(Answer::new(output).lead(lead.clone()).next(next).view(cx, |page, _| page.line(vec![plain(lead)])))
}

/// The summary as a node: its first line is the title, and all of it the description where the title is not all.
fn observation(summary: &str, branch: Option<String>) -> NewNode {
    let line = summary.trim().lines().next().unwrap_or_default().replace('\t', " ");
    let title = shorten(line.trim(), TITLE_CHARS);
    let description = (title != summary.trim()).then(|| summary.to_owned());
    NewNode { description, branch, ..NewNode::of(NodeType::Observation, title) }
}
