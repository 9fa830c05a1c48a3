//! `get_node_context`: a node's story: itself, what led to it, what came of it, what stood beside it.

use crate::answer::Answer;
use crate::args::{Limit, Ref};
use crate::around::{self, EdgeMark, Ends};
use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::lookup;
use crate::model::node_key;
use crate::model::reference::NodeRef;
use crate::refuse::Step;
use crate::render::story;
use crate::render::view::{Page, tone};
use crate::rules::succession;
use crate::shapes::{DocumentItem, Neighbour, NodeDetail, NodeMark};
use crate::text::shorten;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// Parents and children of each kind unless the caller says how many.
const MOST: usize = 25;
/// Siblings are looked for below so many parents, among so many children of each.
const PARENTS: usize = 8;
const CHILDREN: u32 = 40;

tool! {
    title: "Node context",
    about: "Read a node's story before building on it: the node in full, parents and children with their rationale, siblings, themes, documents, what superseded it.",
    effect: Read,
    cli: {
        command: &["context"],
        summary: "Tell a node's story",
        positions: &["node_id"],
        short: &[("limit", "n")],
        examples: &["deciduous context 42"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node to read
    node_id: Ref,
    /// Most parents, children and siblings each (default 25)
    limit: Option<Limit>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    node: NodeDetail,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<NodeMark>,
    parents: Vec<Neighbour>,
    children: Vec<Neighbour>,
    siblings: Vec<NodeMark>,
    themes: Vec<String>,
    documents: Vec<DocumentItem>,
    edges_omitted: usize,
    siblings_omitted: usize,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let most = args.limit.map_or(MOST, |limit| limit.0 as usize);
    let node = lookup::node(cx, &args.node_id.0);
    // What is asked by number is asked for in the first round.
    let node = match args.node_id.0 {
        NodeRef::Number(id) => {
            let _ = (around::ends(cx, id, most), around::themes(cx, id), around::documents(cx, id), succession::successors(cx, &[id]));
            node?
        }
        _ => node?,
    };
    let (ends, themes) = (around::ends(cx, node.id, most), around::themes(cx, node.id));
    let (documents, successor) = (around::documents(cx, node.id), succession::successors(cx, &[node.id]));
    let (ends, themes, documents) = (ends?, themes?, documents?);
    let (others, beside) = (around::briefs(cx, ends.others()), beside(cx, node.id, &ends));
    let (others, beside) = (others?, beside?);
    let siblings_omitted = beside.len().saturating_sub(most);
    let beside = beside.get(..most.min(beside.len())).unwrap_or_default();
    let (siblings, mut successor) = (around::briefs_in_order(cx, beside), successor?);
    let edges = ends.named(&others);
    let output = Output {
        superseded_by: successor.remove(&node.id),
        node: NodeDetail::from(&node),
        parents: edges.incoming,
        children: edges.outgoing,
        siblings: siblings?.iter().map(NodeMark::from).collect(),
        themes,
        documents: documents.iter().map(DocumentItem::from).collect(),
        edges_omitted: edges.omitted,
        siblings_omitted,
    };
    let next = match &output.superseded_by {
        Some(successor) => format!("get_node_context {}, which holds instead", successor.id),
        None if output.edges_omitted > 0 => format!("trace_chain {} goes through all {} edges that are not listed", output.node.id, output.edges_omitted),
        None => String::new(),
    };
    let lead = lead(&output);
    Ok(Answer::new(output).lead(lead).next(next).view(cx, draw))
}

/// Other children of the node's parents, by number.
fn beside(cx: &Cx, id: u32, ends: &Ends) -> Step<Vec<u32>> {
    let mut parents: Vec<u32> = ends.incoming.iter().map(|edge| edge.from_id).collect();
    parents.dedup();
    parents.truncate(PARENTS);
    let scan = Scan::of("primary").below_each(parents.into_iter().map(|id| node_key(LOCAL, id))).limit(CHILDREN);
    let mut beside: Vec<u32> = cx.scan::<EdgeMark>(scan)?.into_iter().flatten().filter(|edge| edge.deleted_at.is_none() && edge.to_id != id).map(|edge| edge.to_id).collect();
    beside.sort_unstable();
    beside.dedup();
    Ok(beside)
}

fn lead(output: &Output) -> String {
    let node = &output.node;
    let sure = node.confidence.map_or(String::new(), |confidence| format!(" ({confidence}%)"));
    let mut lead = format!("Node: #{} [{}] \"{}\"{sure}, {}", node.id, node.node_type, shorten(&node.title, 200), node.status);
    if let Some(successor) = &output.superseded_by {
        lead.push_str(&format!("\nSuperseded by: #{} [{}] \"{}\"", successor.id, successor.node_type, shorten(&successor.title, 200)));
    }
    for (name, edges) in [("Parents", &output.parents), ("Children", &output.children)] {
        let mut named: Vec<String> = edges.iter().map(|edge| format!("#{} [{}]", edge.id, edge.node_type)).collect();
        named.dedup();
        let more = named.len().saturating_sub(12);
        named.truncate(12);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if !named.is_empty() {
            lead.push_str(&format!("\n{name}: {}{more}", named.join(", ")));
        }
    }
    lead
}

fn draw(page: &mut Page, output: &Output) {
    story::node(page, &output.node, output.superseded_by.as_ref());
    story::edges(page, "Came from", &output.parents);
    if !output.siblings.is_empty() {
        page.heading("Beside it");
        output.siblings.iter().for_each(|one| page.node(1, &one.node_type, one.id, &one.title, &one.status));
    }
    story::edges(page, "Led to", &output.children);
    story::papers(page, &output.node.files, &output.themes, &output.documents);
    if output.edges_omitted + output.siblings_omitted > 0 {
        page.line(vec![tone("dim", format!("… {} more edges, {} more beside it", output.edges_omitted, output.siblings_omitted))]);
    }
}
