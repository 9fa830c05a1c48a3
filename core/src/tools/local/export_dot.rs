//! `export_dot`: the graph as a picture's source.

use crate::answer::Answer;
use crate::args::{LimitOrAll, Picks, Reading, Word};
use crate::cx::Cx;
use crate::refuse::Step;
use crate::render::dot::{Picture, Sketch, dot};
use crate::render::excerpt::{Asked, Excerpt};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Export DOT",
    about: "Make Graphviz source of the graph or a part of it, for a picture. A large graph is cut to its newest goals unless roots, nodes or limit say otherwise.",
    effect: Read,
    cli: {
        command: &["dot"],
        summary: "Write the graph as DOT, for Graphviz",
        short: &[("roots", "r"), ("nodes", "n"), ("title", "t")],
        document: "dot",
        render: "dot",
        examples: &["deciduous dot -r 1 | dot -Tsvg > goal.svg", "deciduous dot -n 1,3,5-10 --rankdir LR -o part.dot"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Root node IDs, comma-separated: these and all that follows from them
    roots: Option<Picks>,
    /// Nodes and ranges: "1-11" or "1,3,5-10"
    nodes: Option<Picks>,
    /// Title of the picture
    title: Option<Word>,
    /// Top to bottom (default) or left to right
    rankdir: Option<Reading>,
    /// Most nodes (default: all of roots and nodes, 100 of a whole graph; 0 = all)
    limit: Option<LimitOrAll>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    dot: String,
    node_count: usize,
    edge_count: usize,
    total: usize,
    truncated: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let asked = Asked { roots: args.roots, nodes: args.nodes, limit: args.limit, with_options: false };
    let excerpt = Excerpt::of(cx, &asked)?;
    let (nodes, edges) = (excerpt.nodes::<Sketch>(cx, |node| node.id), excerpt.edges(cx));
    let (nodes, edges) = (nodes?, edges?);
    let title = args.title.map(|title| title.0).filter(|title| !title.is_empty());
    let picture = Picture { title: title.as_deref(), rankdir: args.rankdir.map(|reading| reading.0).unwrap_or_default(), tooltips: true };
    let dot = dot(picture, &nodes, &edges);
    let output = Output { dot, node_count: nodes.len(), edge_count: edges.len(), total: excerpt.total, truncated: excerpt.truncated };
    let lead = format!("DOT of {} and {}.", excerpt.counted(), counted(output.edge_count, "edge"));
    let next = if output.truncated { "pass `roots` for one story, or `limit: 0` for everything" } else { "" };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| page.document(output.dot.as_str())))
}
