//! `unlink_nodes`: removes what joins two nodes in one direction.

use crate::answer::Answer;
use crate::args::{LinkType, Ref};
use crate::cx::{Cx, Scan};
use crate::ledger::{LOCAL, Tx};
use crate::lookup;
use crate::model::{Edge, EdgeType, Node};
use crate::refuse::{Step, refusal, stop};
use crate::render::view::plain;
use crate::shapes::EdgeItem;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Unlink nodes",
    about: "Remove the edges from one node to another; with `edge_type` only that one.",
    effect: Remove,
    cli: {
        command: &["unlink"],
        summary: "Remove the edges from one node to another",
        positions: &["from_id", "to_id"],
        short: &[("edge_type", "t")],
        long: &[("edge_type", "type")],
        examples: &["deciduous unlink 1 2", "deciduous unlink 3 4 -t rejected"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Source node
    from_id: Ref,
    /// Target node
    to_id: Ref,
    /// Only this type (default: all)
    edge_type: Option<LinkType>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    from_id: u32,
    to_id: u32,
    removed: Vec<EdgeItem>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let tx = Tx::open(cx);
    let (from, to) = (lookup::node(cx, &args.from_id.0), lookup::node(cx, &args.to_id.0));
    let (mut tx, from, to) = (tx?, from?, to?);
    let kind = args.edge_type.map(|kind| kind.0);
    let (there, back) = (standing(cx, &from, &to), standing(cx, &to, &from));
    let (there, back) = (there?, back?);
    let wanted = |edge: &Edge| kind.is_none_or(|kind| edge.edge_type == kind.name());
    let (mut going, staying): (Vec<Edge>, Vec<Edge>) = there.into_iter().partition(wanted);
    if going.is_empty() {
        return nothing((&from, &to), kind, &staying, &back);
    }
    for edge in &mut going {
        tx.remove_edge((&from.change_id, &to.change_id), edge)?;
    }
    tx.finish();
    let lead = format!("Removed #{} -> #{} ({}).", from.id, to.id, types(&going));
    let output = Output { from_id: from.id, to_id: to.id, removed: going.iter().map(EdgeItem::from).collect() };
    Ok(Answer::new(output).lead(lead.clone()).view(cx, |page, _| page.line(vec![plain(lead)])))
}

fn standing(cx: &Cx, from: &Node, to: &Node) -> Step<Vec<Edge>> {
    let edges = cx.scan_one::<Edge>(Scan::of("primary").below(vec![LOCAL.into(), from.id.into(), to.id.into()]))?;
    Ok(edges.into_iter().filter(|edge| edge.deleted_at.is_none()).collect())
}

fn types(edges: &[Edge]) -> String {
    edges.iter().map(|edge| edge.edge_type.as_str()).collect::<Vec<_>>().join(", ")
}

/// There is no such edge; what stands between the two is said, as it is likely the one that was meant.
fn nothing<T>((from, to): (&Node, &Node), kind: Option<EdgeType>, other: &[Edge], back: &[Edge]) -> Step<T> {
    let which = kind.map_or(String::new(), |kind| format!("`{}` ", kind.name()));
    let next = if !other.is_empty() {
        format!("what stands there is {}: name it as `edge_type`, or leave that out", types(other))
    } else if !back.is_empty() {
        format!("there is one the other way round ({}): swap `from_id` and `to_id`", types(back))
    } else {
        "see with show_node what the nodes are linked to".to_owned()
    };
    stop(refusal(404, format!("there is no {which}edge from `#{}` to `#{}`", from.id, to.id), next))
}
