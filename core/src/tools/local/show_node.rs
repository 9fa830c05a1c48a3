//! `show_node`: one node with everything around it.

use crate::answer::Answer;
use crate::args::Ref;
use crate::around;
use crate::cx::Cx;
use crate::lookup;
use crate::refuse::Step;
use crate::render::story;
use crate::render::view::Page;
use crate::shapes::{DocumentItem, Neighbour, NodeDetail};
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// A hub's further edges are counted, not listed: walk them with trace_chain.
const EDGES_SHOWN: usize = 50;

tool! {
    title: "Show node",
    about: "Read one node in full: texts, edges with their rationale, themes, documents.",
    effect: Read,
    cli: { command: &["show"], summary: "Show a node", positions: &["node_id"], examples: &["deciduous show 42"] }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node to show
    node_id: Ref,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    #[serde(flatten)]
    node: NodeDetail,
    incoming: Vec<Neighbour>,
    outgoing: Vec<Neighbour>,
    edges_omitted: usize,
    themes: Vec<String>,
    documents: Vec<DocumentItem>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let node = lookup::node(cx, &args.node_id.0)?;
    let (edges, themes, documents) = (around::edges(cx, node.id, EDGES_SHOWN), around::themes(cx, node.id), around::documents(cx, node.id));
    let (edges, themes, documents) = (edges?, themes?, documents?);
    let lead = format!("{} #{} `{}` ({}), {} edges in, {} out.", node.node_type, node.id, node.title, node.status, edges.incoming.len(), edges.outgoing.len());
    let output = Output {
        node: NodeDetail::from(&node),
        incoming: edges.incoming,
        outgoing: edges.outgoing,
        edges_omitted: edges.omitted,
        themes,
        documents: documents.iter().map(DocumentItem::from).collect(),
    };
    Ok(Answer::new(output).lead(lead).view(cx, draw))
}

fn draw(page: &mut Page, output: &Output) {
    story::node(page, &output.node, None);
    story::edges(page, "From", &output.incoming);
    story::edges(page, "Led to", &output.outgoing);
    story::papers(page, &output.node.files, &output.themes, &output.documents);
}
