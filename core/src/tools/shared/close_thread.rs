//! `close_thread`: how it went, what was learned, what follows.

use crate::answer::Answer;
use crate::args::{Flag, Parts, Ref, Text, Title, Word};
use crate::capture::{self, Capture, Joined, Made, Told};
use crate::cx::Cx;
use crate::ledger::{NewNode, Tx, fields};
use crate::lookup;
use crate::model::{EdgeType, Node, NodeType, Status};
use crate::refuse::{Step, bad_argument, stop};
use crate::render::view::tone;
use crate::rules::origin;
use crate::text::check::filled;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Close thread",
    about: "Record how work ended, in one write: the outcome under its action, the goal completed (left open when `success` is false), lessons and follow-up goals.",
    effect: Add,
    cli: {
        command: &["close"],
        summary: "Record how work ended",
        positions: &["title"],
        short: &[("description", "d"), ("parent_id", "p"), ("goal_id", "g"), ("branch", "b")],
        long: &[("lessons", "lesson"), ("follow_ups", "follow-up"), ("parent_id", "parent"), ("goal_id", "goal")],
        negate: &["branch"],
        examples: &["deciduous close \"Search answers in 40 ms\" -p 12 -g 1 --lesson \"Index early\" --follow-up \"Rank by age\""]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// How it went, one line
    title: Title,
    /// Longer text
    description: Option<Text>,
    /// Node that led to the outcome, mostly an action
    #[serde(alias = "parent")]
    parent_id: Option<Ref>,
    /// Goal to complete
    #[serde(alias = "goal")]
    goal_id: Option<Ref>,
    /// What was learned: titles or objects
    lessons: Option<Parts<Told>>,
    /// Goals that follow: titles or objects
    follow_ups: Option<Parts<Told>>,
    /// Whether it succeeded (default true)
    success: Option<Flag>,
    /// Git branch (default: the checked-out one; "" for none)
    branch: Option<Word>,
}

/// What became of the goal.
#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Ended {
    #[serde(flatten)]
    goal: Made,
    changed: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    outcome: Made,
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<Ended>,
    lessons: Vec<Made>,
    follow_ups: Vec<Made>,
    edges: Vec<Joined>,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let success = args.success.is_none_or(|flag| flag.0);
    let branch = origin::branch(cx, args.branch);
    let lessons = nodes(cx, args.lessons, NodeType::Observation);
    let goals = nodes(cx, args.follow_ups, NodeType::Goal);
    let (branch, lessons, goals) = (branch?, lessons?, goals?);
    let tx = Tx::open(cx);
    let parent = args.parent_id.map(|node| lookup::node(cx, &node.0)).transpose();
    let goal = args.goal_id.map(|node| lookup::node(cx, &node.0)).transpose();
    let (tx, parent, mut goal) = (tx?, parent?, goal?);
    if let Some(other) = goal.as_ref().filter(|node| node.kind() != Some(NodeType::Goal)) {
        let reason = format!("names {} #{}, which is no goal", other.node_type, other.id);
        return stop(bad_argument("goal_id", reason, "name a goal, or give the node as `parent_id`"));
    }
    let warnings = warnings(parent.as_ref().or(goal.as_ref()), goal.as_ref().filter(|_| success));
    let mut capture = Capture::new(tx, branch);
    let outcome = capture.add(NewNode {
        status: Status::Completed,
        description: filled(args.description.map(|text| text.0)),
        ..NewNode::of(NodeType::Outcome, args.title.0)
    })?;
    // Without a parent the outcome hangs from the goal itself, so that it is not lost.
    if let Some(from) = parent.as_ref().or(goal.as_ref()) {
        let why = (!success).then(|| "did not succeed".to_owned());
        capture.join(from, &outcome, EdgeType::LeadsTo, why)?;
    }
    let lessons = below(&mut capture, &outcome, lessons)?;
    let follow_ups = below(&mut capture, &outcome, goals)?;
    let mut changed = false;
    if let Some(goal) = goal.as_mut().filter(|_| success) {
        changed = capture.tx.change_node(goal, "node.changed", fields! { status: Status::Completed.name() })?;
    }
    let edges = capture.finish();
    let ended = goal.as_ref().map(|goal| Ended { goal: Made::from(goal), changed });
    let about = ended.as_ref().map_or(String::new(), |ended| {
        let state = if changed { "is completed now".to_owned() } else { format!("stays {}", ended.goal.status) };
        format!(" Goal #{} {state}.", ended.goal.id)
    });
    let lead = format!("Closed with outcome #{} `{}`.{about}", outcome.id, outcome.title);
    let next = if edges.iter().any(|edge| edge.to_id == outcome.id) { String::new() } else { format!("link_nodes from its action to #{}", outcome.id) };
    let output = Output { outcome: Made::from(&outcome), success, goal: ended, lessons, follow_ups, edges, warnings };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        let goal = output.goal.as_ref().map(|ended| &ended.goal);
        let made = goal.into_iter().chain([&output.outcome]).chain(&output.lessons).chain(&output.follow_ups);
        capture::draw(page, made, &output.edges);
        output.warnings.iter().for_each(|warning| page.indented(1, vec![tone("warn", warning.as_str())]));
    }))
}

type Reasoned = (Option<String>, NewNode);

fn nodes(cx: &Cx, told: Option<Parts<Told>>, kind: NodeType) -> Step<Vec<Reasoned>> {
    told.unwrap_or_default().0.into_iter().map(|told| Ok((told.why(), told.node(cx, kind, Status::Pending)?))).collect()
}

/// Adds what the outcome leads to.
fn below(capture: &mut Capture, outcome: &Node, nodes: Vec<Reasoned>) -> Step<Vec<Made>> {
    let mut made = Vec::new();
    for (why, new) in nodes {
        let node = capture.add(new)?;
        capture.join(outcome, &node, EdgeType::LeadsTo, why)?;
        made.push(Made::from(&node));
    }
    Ok(made)
}

fn warnings(from: Option<&Node>, completed: Option<&Node>) -> Vec<String> {
    let mut warnings = Vec::new();
    match from {
        None => warnings.push("nothing leads to the outcome; `parent_id` names its action".to_owned()),
        Some(node) if node.kind() != Some(NodeType::Action) => {
            warnings.push(format!("{} #{} is no action; find_orphans lists an outcome that no action leads to", node.node_type, node.id));
        }
        Some(_) => {}
    }
    if let Some(goal) = completed.filter(|goal| Status::parse(&goal.status).is_some_and(|status| !status.stands())) {
        warnings.push(format!("goal #{} was {} before", goal.id, goal.status));
    }
    warnings
}
