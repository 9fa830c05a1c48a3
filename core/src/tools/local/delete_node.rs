//! `delete_node`: takes a node away, and with it what hangs on it.

use crate::answer::Answer;
use crate::args::{Flag, Limit, Ref};
use crate::around::{self, Hanging};
use crate::cx::Cx;
use crate::ledger::Tx;
use crate::lookup;
use crate::page::{Pages, fitting};
use crate::refuse::Step;
use crate::render::view::{Page, plain, tone};
use crate::shapes::EdgeItem;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Delete node",
    about: "Delete a node with its edges, tags and attachments. See first with `dry_run` what goes. To keep the history of a choice, use update_status instead.",
    effect: Remove,
    cli: {
        command: &["delete"],
        summary: "Delete a node and its edges",
        positions: &["node_id"],
        short: &[("dry_run", "n")],
        examples: &["deciduous delete 42 --dry-run", "deciduous delete 42"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node to delete
    node_id: Ref,
    /// Only say what would go (default false)
    dry_run: Option<Flag>,
    /// How many edges to list (default: what fits 20 kB)
    limit: Option<Limit>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Paper {
    id: u32,
    name: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    id: u32,
    change_id: String,
    node_type: String,
    title: String,
    dry_run: bool,
    deleted: bool,
    edges: Vec<EdgeItem>,
    total_edges: usize,
    truncated: bool,
    themes: Vec<String>,
    documents: Vec<Paper>,
    /// Sessions that lose the node.
    sessions: Vec<u32>,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(args.limit, None)?;
    let (tx, node) = (Tx::open(cx), lookup::node(cx, &args.node_id.0));
    let (mut tx, mut node) = (tx?, node?);
    let hanging = around::hanging(cx, &node)?;
    let dry_run = args.dry_run.is_some_and(|flag| flag.0);
    let mut edges: Vec<EdgeItem> = hanging.edges.iter().map(|(edge, _)| EdgeItem::from(edge)).collect();
    let total_edges = edges.len();
    edges.truncate(pages.bound(fitting(&edges, pages.bytes())));
    let roots = hanging.sessions.iter().filter(|(_, session)| session.root_id == node.id);
    let warnings = roots.map(|(_, session)| format!("it is the root of session {} `{}`", session.id, session.name)).collect();
    let mut output = Output {
        id: node.id,
        change_id: node.change_id.clone(),
        node_type: node.node_type.clone(),
        title: node.title.clone(),
        dry_run,
        deleted: !dry_run,
        truncated: edges.len() < total_edges,
        edges,
        total_edges,
        themes: hanging.tags.iter().map(|tag| tag.theme.clone()).collect(),
        documents: hanging.documents.iter().map(|document| Paper { id: document.id, name: document.name.clone() }).collect(),
        sessions: hanging.sessions.iter().map(|(_, session)| session.id).collect(),
        warnings,
    };
    output.sessions.sort_unstable();
    let verb = if dry_run { "Would delete" } else { "Deleted" };
    let mut lead = format!("{verb} {} #{} `{}`{}.", node.node_type, node.id, node.title, with_what(&output));
    output.warnings.iter().for_each(|warning| lead.push_str(&format!(" Note: {warning}.")));
    let next = if dry_run { "call again without dry_run to delete it" } else { "" };
    if !dry_run {
        take_away(&mut tx, hanging)?;
        tx.delete_node(&mut node)?;
        tx.finish();
    }
    Ok(Answer::new(output).lead(lead.clone()).next(next).view(cx, |page, output| draw(page, output, lead)))
}

/// What hangs on the node goes before it, so that no event speaks of a node that is gone.
fn take_away(tx: &mut Tx, mut hanging: Hanging) -> Step<()> {
    for (edge, ends) in &mut hanging.edges {
        tx.remove_edge((&ends.0, &ends.1), edge)?;
    }
    for tag in &mut hanging.tags {
        tx.untag(&hanging.node, tag)?;
    }
    for document in &mut hanging.documents {
        tx.detach(document)?;
    }
    for (member, session) in &mut hanging.sessions {
        tx.leave(&session.change_id, &hanging.node.change_id, member)?;
    }
    Ok(())
}

fn with_what(output: &Output) -> String {
    let counts = [(output.total_edges, "edge"), (output.themes.len(), "tag"), (output.documents.len(), "document")];
    let some = counts.iter().filter(|(count, _)| *count > 0);
    let named: Vec<String> = some.map(|(count, what)| counted(*count, what)).collect();
    if named.is_empty() { String::new() } else { format!(" with {}", named.join(", ")) }
}

fn draw(page: &mut Page, output: &Output, lead: String) {
    page.line(vec![plain(lead)]);
    for edge in &output.edges {
        page.indented(1, vec![plain(format!("#{} -> #{} ", edge.from_id, edge.to_id)), tone("dim", edge.edge_type.as_str())]);
    }
    if output.truncated {
        page.indented(1, vec![tone("dim", format!("and {} more", counted(output.total_edges - output.edges.len(), "edge")))]);
    }
    output.themes.iter().for_each(|theme| page.indented(1, vec![tone("dim", "tag "), plain(theme)]));
    output.documents.iter().for_each(|document| page.indented(1, vec![tone("dim", "document "), plain(&document.name)]));
}
