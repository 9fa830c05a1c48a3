//! Finds records by what callers say, and refuses clearly what is not there.

use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::model::reference::NodeRef;
use crate::model::{Event, Node, node_key};
use crate::refuse::{Step, refusal, stop};
use crate::text::shorten;
use crate::time;
use deciduous_boundary::Refusal;

/// How many candidates an ambiguous prefix names.
const CANDIDATES: u32 = 6;

/// The live node that `reference` names. Unknown is 404, ambiguous 409 with the candidates, deleted 410 with who and when.
pub(crate) fn node(cx: &Cx, reference: &NodeRef) -> Step<Node> {
    let found = any_node(cx, reference)?;
    if found.is_live() {
        Ok(found)
    } else {
        Err(gone(cx, &found)?.into())
    }
}

/// As [`node`], deleted ones included.
pub(crate) fn any_node(cx: &Cx, reference: &NodeRef) -> Step<Node> {
    match reference {
        NodeRef::Number(id) => cx
            .row::<Node>(node_key(LOCAL, *id))?
            .ok_or_else(|| unknown(reference).into()),
        NodeRef::ChangeId(id) => {
            let scan = Scan::of("node_by_change_id")
                .below(vec![LOCAL.into(), id.as_str().into()])
                .limit(1);
            cx.scan_one::<Node>(scan)?
                .pop()
                .ok_or_else(|| unknown(reference).into())
        }
        NodeRef::Prefix(prefix) => {
            // `g` is behind every hexadecimal digit and the hyphen.
            let scan = Scan::of("node_by_change_id")
                .below(vec![LOCAL.into()])
                .from(prefix.as_str())
                .to(format!("{prefix}g"))
                .limit(CANDIDATES);
            let mut found = cx.scan_one::<Node>(scan)?;
            match found.len() {
                0 => stop(unknown(reference)),
                1 => found.pop().ok_or_else(|| unknown(reference).into()),
                _ => stop(ambiguous(prefix, &found)),
            }
        }
    }
}

fn unknown(reference: &NodeRef) -> Refusal {
    refusal(
        404,
        format!("there is no node `{reference}`"),
        "find it with search_nodes or list_nodes",
    )
}

fn ambiguous(prefix: &str, candidates: &[Node]) -> Refusal {
    let named: Vec<String> = candidates
        .iter()
        .map(|node| {
            format!(
                "{} #{} `{}`",
                node.change_id,
                node.id,
                shorten(&node.title, 40)
            )
        })
        .collect();
    let more = if candidates.len() as u32 == CANDIDATES {
        " and maybe more"
    } else {
        ""
    };
    refusal(
        409,
        format!(
            "`{prefix}` is the beginning of {} nodes{more}: {}",
            candidates.len(),
            named.join("; ")
        ),
        "call again with one of these ids",
    )
}

/// The refusal for a node that was deleted.
fn gone(cx: &Cx, node: &Node) -> Step<Refusal> {
    let event = match &node.last_event {
        Some(id) => cx
            .scan_one::<Event>(
                Scan::of("event_by_id")
                    .below(vec![LOCAL.into(), id.as_str().into()])
                    .limit(1),
            )?
            .pop(),
        None => None,
    };
    let by = event.map_or(String::new(), |event| format!(" by `{}`", event.actor));
    let at = node
        .deleted_at
        .map_or(String::new(), |at| format!(" at {}", time::show(at)));
    Ok(refusal(
        410,
        format!(
            "node `#{}` `{}` was deleted{at}{by}",
            node.id,
            shorten(&node.title, 80)
        ),
        "use another node; the ledger keeps its history",
    ))
}
