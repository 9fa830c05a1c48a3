//! `generate_writeup`: a pull request's text from the graph.

use crate::answer::Answer;
use crate::args::{Flag, LimitOrAll, Picks, Word};
use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::model::{Document, Node, NodeType, node_key};
use crate::refuse::Step;
use crate::render::excerpt::{Asked, Excerpt};
use crate::render::writeup::{Material, write};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Generate writeup",
    about: "Write a pull request's text: goals, decisions with what was rejected and why, commits, evidence, open questions, test plan. Pass the goal as root.",
    effect: Read,
    cli: {
        command: &["writeup"],
        summary: "Write a pull request's text from the graph",
        short: &[("title", "t"), ("roots", "r"), ("nodes", "n")],
        document: "markdown",
        examples: &["deciduous writeup -r 1 -t \"Search by title\"", "deciduous writeup -n 1-11 --no-dot -o pr.md"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Title (default: the goal's)
    title: Option<Word>,
    /// Root node IDs, comma-separated: these and all that follows from them
    roots: Option<Picks>,
    /// Nodes and ranges: "1-11" or "1,3,5-10"
    nodes: Option<Picks>,
    /// Leave out the graph
    no_dot: Option<Flag>,
    /// Leave out the test plan
    no_test_plan: Option<Flag>,
    /// Most nodes (default: all of roots and nodes, 100 of a whole graph; 0 = all)
    limit: Option<LimitOrAll>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    markdown: String,
    title: String,
    node_count: usize,
    edge_count: usize,
    decision_count: usize,
    outcome_count: usize,
    open_question_count: usize,
    total: usize,
    truncated: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let asked = Asked { roots: args.roots, nodes: args.nodes, limit: args.limit, with_options: true };
    let excerpt = Excerpt::of(cx, &asked)?;
    let (nodes, edges) = (excerpt.nodes::<Node>(cx, |node| node.id), excerpt.edges(cx));
    let (nodes, edges) = (nodes?, edges?);
    let of = |kind| nodes.iter().filter(move |node| node.kind() == Some(kind));
    let evidence = Scan::of("document_by_node").below_each(of(NodeType::Outcome).map(|node| node_key(LOCAL, node.id)));
    let documents: Vec<Document> = cx.scan::<Document>(evidence)?.into_iter().flatten().filter(|document| document.deleted_at.is_none()).collect();
    let title = args.title.map(|title| title.0).filter(|title| !title.is_empty());
    let is_set = |flag: Option<Flag>| flag.is_some_and(|flag| flag.0);
    let writeup = write(&Material {
        title: title.as_deref(),
        nodes: &nodes,
        edges: &edges,
        documents: &documents,
        omitted: excerpt.omitted(),
        with_dot: !is_set(args.no_dot),
        with_test_plan: !is_set(args.no_test_plan),
    });
    let output = Output {
        markdown: writeup.markdown,
        title: writeup.title,
        node_count: nodes.len(),
        edge_count: edges.len(),
        decision_count: of(NodeType::Decision).count(),
        outcome_count: of(NodeType::Outcome).count(),
        open_question_count: writeup.open_questions,
        total: excerpt.total,
        truncated: excerpt.truncated,
    };
    let lead = match nodes.len() {
        0 => "There is nothing to write about yet.".to_owned(),
        _ => format!(
            "Writeup of {}: {}, {}, {}.",
            excerpt.counted(),
            counted(output.decision_count, "decision"),
            counted(output.outcome_count, "outcome"),
            counted(output.open_question_count, "open question")
        ),
    };
    let next = match (nodes.len(), output.truncated, output.outcome_count) {
        (0, _, _) => "add_node a goal first",
        (_, true, _) => "pass `roots` for one goal's story, or `limit: 0` for everything",
        (_, _, 0) => "record what came out with add_node outcome: without one there is no evidence and no test plan",
        _ => "",
    };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| page.document(output.markdown.as_str())))
}
