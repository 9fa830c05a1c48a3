//! `show_node`: one node with everything around it.

use crate::answer::Answer;
use crate::args::Ref;
use crate::around;
use crate::cx::Cx;
use crate::ledger::{Subject, conflict};
use crate::lookup;
use crate::refuse::Step;
use crate::render::story;
use crate::render::view::{Page, plain, tone};
use crate::shapes::{DocumentItem, Neighbour, NodeDetail};
use crate::text::counted;
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
    /// Fields that a merge decided between concurrent edits; writing the field settles it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<conflict::Told>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let node = lookup::node(cx, &args.node_id.0)?;
    let (edges, themes, documents) = (around::edges(cx, node.id, EDGES_SHOWN), around::themes(cx, node.id), around::documents(cx, node.id));
    let conflicts = conflict::told_of(cx, &Subject::Node(node.change_id.clone()));
    let (edges, themes, documents, conflicts) = (edges?, themes?, documents?, conflicts?);
    let fields: Vec<&str> = conflicts.iter().map(|one| one.field.as_str()).collect();
    let decided = if fields.is_empty() { String::new() } else { format!(" A merge decided between concurrent edits of its {}; set it anew to settle that.", fields.join(", ")) };
    let lead = format!("{} #{} `{}` ({}), {} in, {} out.{decided}", node.node_type, node.id, node.title, node.status, counted(edges.incoming.len(), "edge"), edges.outgoing.len());
    let output = Output {
        node: NodeDetail::from(&node),
        incoming: edges.incoming,
        outgoing: edges.outgoing,
        edges_omitted: edges.omitted,
        themes,
        documents: documents.iter().map(DocumentItem::from).collect(),
        conflicts,
    };
    Ok(Answer::new(output).lead(lead).view(cx, draw))
}

fn draw(page: &mut Page, output: &Output) {
    story::node(page, &output.node, None);
    story::edges(page, "From", &output.incoming);
    story::edges(page, "Led to", &output.outgoing);
    story::papers(page, &output.node.files, &output.themes, &output.documents);
    if !output.conflicts.is_empty() {
        page.heading("Decided by a merge");
    }
    for one in &output.conflicts {
        page.indented(1, vec![tone("strong", one.field.as_str()), plain(format!("  {}", told(&one.stands))), tone("dim", format!("  {}, {}", one.stands.by, one.stands.at))]);
        for lost in &one.lost {
            page.indented(2, vec![tone("gone", told(lost)), tone("dim", format!("  {}, {}", lost.by, lost.at))]);
        }
    }
}

/// A value that was written, or that there is none.
fn told(written: &conflict::Written) -> &str {
    if written.value.is_empty() { "(nothing)" } else { &written.value }
}
