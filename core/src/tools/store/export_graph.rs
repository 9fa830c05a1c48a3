//! `export_graph`: everything in the graph, in the history shape.

use crate::answer::Answer;
use crate::args::{Limit, Word};
use crate::cx::Cx;
use crate::exchange::{self, DocumentOut, EdgeOut, NodeOut, Part, SessionOut, TagOut, ThemeOut, Wanted};
use crate::refuse::Step;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Export graph",
    about: "The whole graph: nodes, edges, themes, tags, documents without their bytes, sessions. `import` reads it back.",
    effect: Read,
    cli: {
        command: &["export"],
        summary: "Write the whole graph as JSON",
        pages: &["nodes", "edges", "themes", "node_themes", "documents", "sessions"],
        examples: &["deciduous export > graph.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Only nodes of this branch, and edges between them
    branch: Option<Word>,
    /// Nodes in a page (default: about 1 MB)
    limit: Option<Limit>,
    /// The former page's cursor
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    nodes: Vec<NodeOut>,
    edges: Vec<EdgeOut>,
    themes: Vec<ThemeOut>,
    node_themes: Vec<TagOut>,
    documents: Vec<DocumentOut>,
    sessions: Vec<SessionOut>,
    total_nodes: usize,
    total_edges: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let branch = args.branch.map(|branch| branch.0).filter(|branch| !branch.is_empty());
    let page = exchange::page(cx, Wanted { part: Part::Whole, branch, limit: args.limit, cursor: args.cursor })?;
    let lead = format!("{} of {}, {} of {}.", page.nodes.len(), counted(page.total_nodes, "node"), page.edges.len(), counted(page.total_edges, "edge"));
    let next = if page.truncated { "call again with `cursor` for the rest" } else { "" };
    let output = Output {
        nodes: page.nodes,
        edges: page.edges,
        themes: page.themes,
        node_themes: page.node_themes,
        documents: page.documents,
        sessions: page.sessions,
        total_nodes: page.total_nodes,
        total_edges: page.total_edges,
        truncated: page.truncated,
        cursor: page.cursor,
    };
    Ok(Answer::new(output).lead(lead).next(next))
}
