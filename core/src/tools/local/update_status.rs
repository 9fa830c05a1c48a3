//! `update_status`: says where a node stands.

use crate::answer::Answer;
use crate::args::{NewStatus, Ref};
use crate::cx::Cx;
use crate::ledger::{Tx, fields};
use crate::lookup;
use crate::model::{NodeType, Status};
use crate::refuse::Step;
use crate::render::view::{glyph, plain, title, tone};
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Update status",
    about: "Say where a node stands once it is clear: active, completed, rejected, superseded, abandoned.",
    effect: Set,
    cli: {
        command: &["status"],
        summary: "Set where a node stands",
        positions: &["node_id", "status"],
        examples: &["deciduous status 42 completed"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node to update
    node_id: Ref,
    /// New status
    status: NewStatus,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    id: u32,
    node_type: String,
    title: String,
    status: &'static str,
    former: String,
    changed: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (tx, node) = (Tx::open(cx), lookup::node(cx, &args.node_id.0));
    let (mut tx, mut node) = (tx?, node?);
    let (former, status) = (node.status.clone(), args.status.0);
    let changed = tx.change_node(&mut node, "node.changed", fields! { status: status.name() })?;
    tx.finish();
    let lead = if changed {
        format!("{} #{} `{}` is {} now; it was {former}.", node.node_type, node.id, node.title, status.name())
    } else {
        format!("{} #{} `{}` is {} already.", node.node_type, node.id, node.title, status.name())
    };
    let next = if changed { follow_up(node.kind(), status) } else { "" };
    let output = Output { id: node.id, node_type: node.node_type, title: node.title, status: status.name(), former, changed };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        page.line(vec![
            glyph(&output.node_type, output.node_type.as_str()),
            plain(format!(" #{} ", output.id)),
            title(&output.title, output.status),
            tone("dim", if output.changed { format!("  {} -> {}", output.former, output.status) } else { format!("  {} already", output.status) }),
        ]);
    }))
}

/// What usually belongs to the change and is easily forgotten.
fn follow_up(kind: Option<NodeType>, status: Status) -> &'static str {
    match (kind, status) {
        (Some(NodeType::Action), Status::Completed) => "add_node outcome for how it went, linked from the action",
        (_, Status::Superseded) => "link_nodes with edge_type `supersedes` to what replaces it",
        _ => "",
    }
}
