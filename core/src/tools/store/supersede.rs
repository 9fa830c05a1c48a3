//! `supersede`: a node no longer holds; what holds instead, and what falls with it.

use crate::answer::Answer;
use crate::args::{Flag, Ref, Text};
use crate::capture::Made;
use crate::cx::Cx;
use crate::graph::{Direction, walk};
use crate::ledger::{LOCAL, Tx, fields};
use crate::lookup;
use crate::model::{EdgeType, Node, Status, node_key};
use crate::refuse::{Step, refusal, stop};
use crate::render::view::{Page, plain, tone};
use crate::rules::edges;
use crate::text::check::filled;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// So many nodes fall with one at once.
const MOST: usize = 1_000;

tool! {
    title: "Supersede",
    about: "Mark a node as superseded, by the node that holds now where there is one; with `cascade` also what followed from it.",
    effect: Set,
    cli: {
        command: &["archaeology", "supersede"],
        summary: "Mark a node as superseded, by another one where there is one",
        positions: &["old_id", "new_id"],
        short: &[("rationale", "r"), ("dry_run", "n")],
        examples: &[
            "deciduous archaeology supersede 12 31 -r \"HTTP replaced the drivers\"",
            "deciduous archaeology supersede 12 --cascade --dry-run"
        ]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node that no longer holds
    old_id: Ref,
    /// Node that holds instead
    new_id: Option<Ref>,
    /// Why
    rationale: Option<Text>,
    /// Also everything that followed from the old node
    cascade: Option<Flag>,
    /// Only say what would change
    dry_run: Option<Flag>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    dry_run: bool,
    /// Nodes whose status changed
    superseded: Vec<Made>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<Made>,
    /// Whether the edge to the new node stood already
    existing: bool,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let tx = Tx::open(cx);
    let (old, new) = (lookup::node(cx, &args.old_id.0), args.new_id.as_ref().map(|id| lookup::node(cx, &id.0)).transpose());
    let (mut tx, old, new) = (tx?, old?, new?);
    let between = new.as_ref().map(|new| edges::check(cx, &old, new, EdgeType::Supersedes)).transpose();
    let falling = if args.cascade.is_some_and(|flag| flag.0) { following(cx, old.id, new.as_ref().map(|new| new.id)) } else { Ok(Vec::new()) };
    let (between, falling) = (between?, falling?);
    let rows = cx.rows::<Node>(&falling.iter().map(|id| node_key(LOCAL, *id)).collect::<Vec<_>>())?;
    let mut warnings = Vec::new();
    let mut superseded = Vec::new();
    for mut node in [old.clone()].into_iter().chain(rows.into_iter().flatten()) {
        if tx.change_node(&mut node, "node.changed", fields! { status: Status::Superseded.name() })? {
            superseded.push(Made::from(&node));
        }
    }
    let rationale = filled(args.rationale.map(|text| text.0));
    let existing = between.as_ref().and_then(|between| between.same.as_ref()).is_some_and(|edge| edge.deleted_at.is_none());
    if let (Some(new), Some(between)) = (&new, between) {
        match between.same {
            Some(mut edge) if existing => {
                if rationale.is_some() {
                    tx.change_edge((&old, new), &mut edge, fields! { rationale: rationale })?;
                }
            }
            former => {
                tx.add_edge((&old, new), EdgeType::Supersedes, former, fields! { rationale: rationale })?;
            }
        }
        if between.cycle.is_some() {
            warnings.push(format!("#{} leads back to #{}: this closes a cycle", new.id, old.id));
        }
        if !Status::parse(&new.status).is_none_or(Status::stands) {
            warnings.push(format!("#{} is {} itself", new.id, new.status));
        }
    } else if rationale.is_some() {
        return stop(refusal(400, "`rationale` belongs to the edge to a new node, and none is named", "name the node that holds now, or write an observation that says why"));
    }
    tx.finish();
    let dry_run = args.dry_run.is_some_and(|flag| flag.0);
    if dry_run {
        cx.take_effects();
    }
    let by = new.as_ref().map_or(String::new(), |new| format!(" by #{} `{}`", new.id, new.title));
    let with = match superseded.iter().filter(|node| node.id != old.id).count() {
        0 => String::new(),
        more => format!(", with {} that followed from it", counted(more, "node")),
    };
    let verb = if dry_run { "would be" } else { "is" };
    let lead = format!("{} #{} `{}` {verb} superseded{by}{with}.", old.node_type, old.id, old.title);
    let next = if dry_run { "call again without dry_run to write it" } else { "" };
    let output = Output { dry_run, superseded, superseded_by: new.as_ref().map(Made::from), existing, warnings };
    Ok(Answer::new(output).lead(lead.clone()).next(next).view(cx, |page, output| draw(page, output, lead)))
}

/// What followed from the node and still stands, without what replaced it: replacing and borrowing are not following.
fn following(cx: &Cx, id: u32, new: Option<u32>) -> Step<Vec<u32>> {
    let graph = cx.graph(LOCAL)?;
    let Some(start) = graph.position(id) else {
        return Ok(Vec::new());
    };
    let follow = |kind| !matches!(kind, EdgeType::Supersedes | EdgeType::TookFrom);
    let stop_at = new.and_then(|new| graph.position(new));
    let kept: Vec<u32> = walk(&graph, stop_at.as_slice(), Direction::Outgoing, None, follow).iter().map(|visit| visit.position).collect();
    let visits = walk(&graph, &[start], Direction::Outgoing, None, follow);
    let falls = visits.iter().filter(|visit| visit.depth > 0 && !kept.contains(&visit.position));
    let ids: Vec<u32> = falls.filter(|visit| graph.status(visit.position).is_none_or(Status::stands)).map(|visit| graph.id(visit.position)).collect();
    if ids.len() > MOST {
        return stop(refusal(422, format!("{} nodes follow from `#{id}`; at most {MOST} fall at once", ids.len()), "supersede its parts one by one"));
    }
    Ok(ids)
}

fn draw(page: &mut Page, output: &Output, lead: String) {
    page.line(vec![plain(lead)]);
    for node in &output.superseded {
        page.node(1, &node.node_type, node.id, &node.title, &node.status);
    }
    output.warnings.iter().for_each(|warning| page.indented(1, vec![tone("warn", warning.as_str())]));
}
