//! `log_decision`: a choice, with what was chosen, what was not, and why.

use crate::answer::Answer;
use crate::args::{Confidence, Part, Parts, Ref, Text, Title, Word};
use crate::capture::{self, Capture, Joined, Made, Told};
use crate::cx::Cx;
use crate::ledger::{NewNode, Tx};
use crate::lookup;
use crate::model::{EdgeType, NodeType, Status};
use crate::refuse::{Step, bad_argument, stop};
use crate::render::view::tone;
use crate::rules::origin;
use crate::text::check::filled;
use crate::text::shorten;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Log decision",
    about: "Record a choice in one write: the decision, the option chosen and those rejected, each with its reason. Edges run from the decision to its options.",
    effect: Add,
    cli: {
        command: &["log", "decision"],
        summary: "Record a choice and its options",
        positions: &["title", "chosen_option"],
        short: &[("rationale", "r"), ("parent_id", "p"), ("confidence", "c"), ("branch", "b")],
        long: &[("rejected_options", "rejected"), ("parent_id", "parent")],
        negate: &["branch"],
        examples: &["deciduous log decision \"How to keep sessions\" \"Cookies\" --rejected \"Tokens\" -r \"works without scripts\" -p 1"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// What was to be decided, one line
    title: Title,
    /// Option taken: its title, or an object with `title`, `description`, …
    chosen_option: Part<Told>,
    /// Options not taken: titles, or objects with a `rationale`
    rejected_options: Option<Parts<Told>>,
    /// Why it was chosen
    rationale: Option<Text>,
    /// Node that led to the decision
    #[serde(alias = "parent")]
    parent_id: Option<Ref>,
    /// 0-100
    confidence: Option<Confidence>,
    /// Git branch (default: the checked-out one; "" for none)
    branch: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    decision: Made,
    chosen: Made,
    rejected: Vec<Made>,
    edges: Vec<Joined>,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (chosen, rejected) = (args.chosen_option.0, args.rejected_options.unwrap_or_default().0);
    distinct(&chosen, &rejected)?;
    let rationale = filled(args.rationale.map(|text| text.0));
    let branch = origin::branch(cx, args.branch);
    let because = rationale.clone().or_else(|| chosen.why());
    let chosen = chosen.node(cx, NodeType::Option, Status::Completed);
    let rejected: Step<Vec<_>> = rejected.into_iter().map(|told| Ok((told.why(), told.node(cx, NodeType::Option, Status::Rejected)?))).collect();
    let (branch, chosen, rejected) = (branch?, chosen?, rejected?);
    let tx = Tx::open(cx);
    let parent = args.parent_id.map(|node| lookup::node(cx, &node.0)).transpose();
    let (tx, parent) = (tx?, parent?);
    let mut capture = Capture::new(tx, branch);
    let decision = capture.add(NewNode {
        status: Status::Completed,
        description: rationale,
        confidence: args.confidence.map(|confidence| confidence.0),
        ..NewNode::of(NodeType::Decision, args.title.0)
    })?;
    if let Some(parent) = &parent {
        capture.join(parent, &decision, EdgeType::LeadsTo, None)?;
    }
    let chosen = capture.add(chosen)?;
    capture.join(&decision, &chosen, EdgeType::Chosen, because)?;
    let mut made = Vec::new();
    for (why, option) in rejected {
        let option = capture.add(option)?;
        capture.join(&decision, &option, EdgeType::Rejected, why)?;
        made.push(Made::from(&option));
    }
    let edges = capture.finish();
    let warnings = match parent {
        None => vec!["nothing leads to the decision; `parent_id` names the goal it serves".to_owned()],
        Some(_) => Vec::new(),
    };
    let over = if made.is_empty() { String::new() } else { format!(", {} rejected", made.len()) };
    let lead = format!("Logged decision #{} `{}`: chosen #{} `{}`{over}.", decision.id, decision.title, chosen.id, chosen.title);
    let next = match parent {
        None => format!("link_nodes from its goal to #{}", decision.id),
        Some(_) => format!("add_node action for what carries it out, linked from #{}", decision.id),
    };
    let output = Output { decision: Made::from(&decision), chosen: Made::from(&chosen), rejected: made, edges, warnings };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        capture::draw(page, [&output.decision, &output.chosen].into_iter().chain(&output.rejected), &output.edges);
        output.warnings.iter().for_each(|warning| page.indented(1, vec![tone("warn", warning.as_str())]));
    }))
}

/// An option cannot be both chosen and rejected, nor rejected twice.
fn distinct(chosen: &Told, rejected: &[Told]) -> Step<()> {
    let mut seen = vec![chosen.title.0.to_lowercase()];
    for option in rejected {
        let key = option.title.0.to_lowercase();
        if seen.contains(&key) {
            let reason = format!("names `{}`, which is chosen or named already", shorten(&option.title.0, 80));
            return stop(bad_argument("rejected_options", reason, "name each option once"));
        }
        seen.push(key);
    }
    Ok(())
}
