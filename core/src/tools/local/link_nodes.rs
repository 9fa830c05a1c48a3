//! `link_nodes`: an edge between two nodes.

use crate::answer::Answer;
use crate::args::{LinkType, Ref, Text};
use crate::cx::Cx;
use crate::ledger::{Tx, fields};
use crate::lookup;
use crate::model::EdgeType;
use crate::refuse::Step;
use crate::render::view::{plain, tone};
use crate::rules::edges;
use crate::text::check::filled;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Link nodes",
    about: "Join two nodes: goal -> option -> decision -> action -> outcome. Say why in `rationale`; use chosen and rejected between options and their decision.",
    effect: Set,
    cli: {
        command: &["link"],
        summary: "Join two nodes",
        positions: &["from_id", "to_id"],
        short: &[("rationale", "r"), ("edge_type", "t")],
        long: &[("edge_type", "type")],
        examples: &["deciduous link 1 2 -r \"possible approach\"", "deciduous link 3 4 -t rejected -r \"too slow\""]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Source node
    from_id: Ref,
    /// Target node
    to_id: Ref,
    /// Why they are joined
    rationale: Option<Text>,
    /// Default leads_to
    edge_type: Option<LinkType>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    from_id: u32,
    to_id: u32,
    edge_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rationale: Option<String>,
    existing: bool,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (from, to) = (lookup::node(cx, &args.from_id.0), lookup::node(cx, &args.to_id.0));
    let (from, to) = (from?, to?);
    let kind = args.edge_type.map_or(EdgeType::LeadsTo, |kind| kind.0);
    let rationale = filled(args.rationale.map(|text| text.0));
    let tx = Tx::open(cx);
    let between = edges::check(cx, &from, &to, kind);
    let (mut tx, between) = (tx?, between?);
    let mut warnings = Vec::new();
    let existing = between.same.as_ref().is_some_and(|edge| edge.deleted_at.is_none());
    let edge = match between.same {
        Some(mut edge) if existing => {
            if rationale.is_some() && tx.change_edge((&from, &to), &mut edge, fields! { rationale: rationale })? {
                warnings.push("the edge stands already; its rationale was replaced".to_owned());
            }
            edge
        }
        former => tx.add_edge((&from, &to), kind, former, fields! { rationale: rationale })?,
    };
    tx.finish();
    if let Some(path) = between.cycle {
        let path: Vec<String> = path.iter().chain([&to.id]).map(|id| format!("#{id}")).collect();
        warnings.push(format!("this closes a cycle: {}", path.join(" -> ")));
    }
    let state = if existing { "stands already" } else { "added" };
    let lead = format!("Edge #{} -> #{} ({}) {state}.", from.id, to.id, kind.name());
    let output = Output { from_id: from.id, to_id: to.id, edge_type: kind.name(), rationale: edge.rationale, existing, warnings };
    Ok(Answer::new(output).lead(lead.clone()).view(cx, |page, output| {
        page.line(vec![plain(lead)]);
        output.warnings.iter().for_each(|warning| page.indented(1, vec![tone("warn", warning.as_str())]));
    }))
}
