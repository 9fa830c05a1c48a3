//! `start_session`: a conversation with a goal of its own, which later nodes join.

use crate::answer::Answer;
use crate::args::{Text, Title};
use crate::cx::Cx;
use crate::ledger::{NewNode, Tx};
use crate::model::NodeType;
use crate::refuse::Step;
use crate::render::view::{plain, tone};
use crate::rules::origin;
use crate::text::check::filled;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Start session",
    about: "Begin a conversation: adds its root goal, and later writes of this process join it. Elsewhere pass `session_id`.",
    effect: Add,
    cli: {
        command: &["session", "start"],
        summary: "Begin a session with a root goal",
        positions: &["name", "goal_title"],
        short: &[("goal_prompt", "p")],
        stdin: &["goal_prompt"],
        examples: &["deciduous session start \"auth refactor\" \"Refactor auth to OAuth2\""]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Name to find it by
    name: Title,
    /// Title of the root goal
    goal_title: Title,
    /// The user's first words, verbatim
    goal_prompt: Option<Text>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    session_id: u32,
    root_node_id: u32,
    name: String,
    change_id: String,
    /// The session that this client was in; it stays open.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_open: Option<u32>,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let branch = origin::branch(cx, None)?;
    let mut tx = Tx::open(cx)?;
    let former = tx.session.take();
    let root = tx.add_node(NewNode {
        prompt: filled(args.goal_prompt.map(|text| text.0)),
        branch,
        ..NewNode::of(NodeType::Goal, args.goal_title.0)
    })?;
    let session = tx.start_session(&args.name.0, &root)?;
    tx.finish();
    cx.keep_session(Some(session.id));
    let warnings = former.iter().map(|former| format!("session {} stays open: end_session with its `session_id` when it is over", former.id));
    let warnings: Vec<String> = warnings.collect();
    let left = former.as_ref().map_or(String::new(), |former| format!(" Session {} `{}` stays open.", former.id, former.name));
    let lead = format!("Session {} `{}` began with goal #{} `{}`.{left}", session.id, session.name, root.id, root.title);
    let output = Output {
        session_id: session.id,
        root_node_id: root.id,
        name: session.name,
        change_id: session.change_id,
        left_open: former.map(|former| former.id),
        warnings,
    };
    let next = "add_node as you work, linked from the goal; end_session with a summary at the end";
    Ok(Answer::new(output).lead(lead.clone()).next(next).view(cx, |page, output| {
        page.line(vec![plain(lead)]);
        page.indented(1, vec![tone("dim", format!("add to it with --session-id {0}, or from now on with: export DECIDUOUS_SESSION={0}", output.session_id))]);
        output.warnings.iter().for_each(|warning| page.indented(1, vec![tone("warn", warning.as_str())]));
    }))
}
