//! `get_graph`: the whole graph as data.

use crate::answer::Answer;
use crate::args::{Limit, Word};
use crate::cx::Cx;
use crate::exchange::{self, EdgeOut, NodeOut, Part, Wanted};
use crate::refuse::Step;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Get graph",
    about: "The full graph as JSON, whole up to 50 kB, else in pages that together hold everything once. For a part of it use trace_chain or list_nodes.",
    effect: Read,
    cli: {
        command: &["graph"],
        summary: "Write the whole graph as JSON",
        pages: &["nodes", "edges"],
        examples: &["deciduous graph --json > graph.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Nodes a page (default: what fits 50 kB)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    nodes: Vec<NodeOut>,
    edges: Vec<EdgeOut>,
    total_nodes: usize,
    total_edges: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let page = exchange::page(cx, Wanted { part: Part::Graph, branch: None, limit: args.limit, cursor: args.cursor })?;
    let whole = page.nodes.len() == page.total_nodes && page.cursor.is_none();
    let totals = format!("{} and {}", counted(page.total_nodes, "node"), counted(page.total_edges, "edge"));
    let lead = if whole { format!("The whole graph: {totals}.") } else { format!("{} and {}, of {totals} in all.", counted(page.nodes.len(), "node"), counted(page.edges.len(), "edge")) };
    let next = if page.cursor.is_some() { "pass `cursor` for the next page" } else { "" };
    let output = Output {
        truncated: page.cursor.is_some(),
        nodes: page.nodes,
        edges: page.edges,
        total_nodes: page.total_nodes,
        total_edges: page.total_edges,
        cursor: page.cursor,
    };
    Ok(Answer::new(output).lead(lead).next(next))
}
