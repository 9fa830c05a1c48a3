//! `pivot`: from what was found out to what is done instead, as one write.

use crate::answer::Answer;
use crate::args::{Confidence, Flag, Ref, Text, Title, Word};
use crate::capture::{self, Capture, Joined, Made};
use crate::cx::Cx;
use crate::ledger::{NewNode, Tx, fields};
use crate::lookup;
use crate::model::{EdgeType, NodeType, Status};
use crate::refuse::{Step, refusal, stop};
use crate::render::view::tone;
use crate::rules::origin;
use crate::text::check::filled;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Pivot",
    about: "Record a change of course as one write: what was learned, the reconsidering, the new decision; the old node is superseded by it.",
    effect: Add,
    cli: {
        command: &["archaeology", "pivot"],
        summary: "Record a change of course: what was learned, and the new decision",
        positions: &["from_id", "observation", "new_approach"],
        short: &[("confidence", "c"), ("rationale", "r"), ("dry_run", "n"), ("branch", "b"), ("description", "d")],
        negate: &["branch"],
        examples: &[
            "deciduous archaeology pivot 12 \"Drivers leak memory\" \"Talk HTTP instead\" -c 85 -r \"workarounds piled up\"",
            "deciduous archaeology pivot 12 \"Drivers leak memory\" \"Talk HTTP instead\" --date 2024-03-01 --dry-run"
        ]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node that is given up
    from_id: Ref,
    /// What was learned
    observation: Title,
    /// What is done instead
    new_approach: Title,
    /// Why the old one did not hold
    rationale: Option<Text>,
    /// Longer text of the new decision
    description: Option<Text>,
    /// 0-100, of the new decision
    confidence: Option<Confidence>,
    /// Git branch (default: the checked-out one)
    branch: Option<Word>,
    /// When it happened, if not now: YYYY-MM-DD or RFC 3339
    date: Option<Word>,
    /// Only say what would be written
    dry_run: Option<Flag>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    dry_run: bool,
    /// The old node, as it is now
    superseded: Made,
    observation: Made,
    revisit: Made,
    decision: Made,
    edges: Vec<Joined>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let branch = origin::branch(cx, args.branch)?;
    let created_at = origin::date(cx, args.date.as_ref())?;
    let (tx, old) = (Tx::open(cx), lookup::node(cx, &args.from_id.0));
    let (tx, mut old) = (tx?, old?);
    if old.status == Status::Superseded.name() {
        return stop(refusal(409, format!("`#{}` `{}` is superseded already", old.id, old.title), "pivot from the node that holds now: trace_chain outgoing leads to it"));
    }
    let why = filled(args.rationale.map(|text| text.0));
    let mut write = Capture::new(tx, branch);
    let mut add = |new: NewNode| write.add(NewNode { created_at, ..new });
    let observation = add(NewNode::of(NodeType::Observation, args.observation.0))?;
    let revisit = add(NewNode { description: why.clone(), ..NewNode::of(NodeType::Revisit, title(&old.title)) })?;
    let decision = add(NewNode {
        description: filled(args.description.map(|text| text.0)),
        confidence: args.confidence.map(|confidence| confidence.0),
        ..NewNode::of(NodeType::Decision, args.new_approach.0)
    })?;
    write.join(&old, &observation, EdgeType::LeadsTo, Some("what was learned".to_owned()))?;
    write.join(&observation, &revisit, EdgeType::LeadsTo, Some("asks to reconsider".to_owned()))?;
    write.join(&old, &revisit, EdgeType::Supersedes, why)?;
    write.join(&revisit, &decision, EdgeType::Supersedes, Some("the new approach".to_owned()))?;
    write.tx.change_node(&mut old, "node.changed", fields! { status: Status::Superseded.name() })?;
    let edges = write.finish();
    let dry_run = args.dry_run.is_some_and(|flag| flag.0);
    if dry_run {
        cx.take_effects();
    }
    let verb = if dry_run { "Would pivot" } else { "Pivoted" };
    let lead = format!("{verb} from {} #{} `{}` to decision #{} `{}`; the old one is superseded.", old.node_type, old.id, old.title, decision.id, decision.title);
    let next = if dry_run { "call again without dry_run to write it".to_owned() } else { format!("link_nodes from its goal or its options to #{}", decision.id) };
    let output = Output {
        dry_run,
        superseded: Made::from(&old),
        observation: Made::from(&observation),
        revisit: Made::from(&revisit),
        decision: Made::from(&decision),
        edges,
    };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        if output.dry_run {
            page.line(vec![tone("warn", "would write")]);
        }
        capture::draw(page, [&output.superseded, &output.observation, &output.revisit, &output.decision], &output.edges);
    }))
}

/// What a revisit of a node is called; a title has a bound, and this one its beginning.
fn title(old: &str) -> String {
    format!("Reconsider: {}", crate::text::shorten(old, 900))
}
