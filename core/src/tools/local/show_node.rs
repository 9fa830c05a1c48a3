//! `show_node`: one node with everything around it.

use crate::answer::Answer;
use crate::args::Ref;
use crate::around;
use crate::cx::Cx;
use crate::lookup;
use crate::refuse::Step;
use crate::render::view::{Page, glyph, plain, title, tone};
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

/// In the order in which the story is told: why, what was asked, from where, to where, evidence.
fn draw(page: &mut Page, output: &Output) {
    let node = &output.node;
    page.line(vec![glyph(&node.node_type, node.node_type.as_str()), tone("strong", format!(" #{} ", node.id)), title(&node.title, &node.status)]);
    let mut facts = vec![node.status.clone()];
    facts.extend(node.confidence.map(|confidence| format!("confidence {confidence}")));
    facts.extend(node.branch.clone());
    facts.extend(node.commit.as_ref().map(|hash| hash.chars().take(12).collect()));
    facts.push(node.created_at.clone());
    page.indented(1, vec![tone("dim", facts.join(" · "))]);
    for (name, text) in [("Why", &node.description), ("Asked", &node.prompt)] {
        if let Some(text) = text {
            page.heading(name);
            page.text(1, text);
        }
    }
    for (name, edges) in [("From", &output.incoming), ("Led to", &output.outgoing)] {
        if !edges.is_empty() {
            page.heading(name);
            edges.iter().for_each(|edge| draw_edge(page, edge));
        }
    }
    for (name, items) in [("Files", node.files.clone()), ("Themes", output.themes.clone())] {
        if !items.is_empty() {
            page.heading(name);
            items.into_iter().for_each(|item| page.indented(1, vec![plain(item)]));
        }
    }
    if !output.documents.is_empty() {
        page.heading("Documents");
        output.documents.iter().for_each(|document| page.indented(1, vec![plain(&document.name), tone("dim", format!("  {} bytes, {}", document.size_bytes, document.media_type))]));
    }
}

fn draw_edge(page: &mut Page, edge: &Neighbour) {
    page.indented(1, vec![
        glyph(&edge.node_type, edge.node_type.as_str()),
        plain(format!(" #{} ", edge.id)),
        title(&edge.title, &edge.status),
        tone("dim", format!("  {}", edge.edge_type)),
    ]);
    if let Some(rationale) = &edge.rationale {
        page.text(3, rationale);
    }
}
