//! `write_graph_file`: the text of `graph.json`, piece by piece.

use crate::answer::Answer;
use crate::args::Word;
use crate::cx::Cx;
use crate::exchange::{self, Piece};
use crate::page::no_cursor;
use crate::refuse::{Step, stop};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Write graph file",
    about: "The whole graph as the text of `graph.json`: one record a line, the same in every store that holds the same events.",
    effect: Read,
    cli: {
        command: &["segments", "graph"],
        summary: "Write the text of graph.json",
        examples: &["deciduous segments graph"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// The former piece's cursor
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    /// A piece of the file, to be put behind the former ones
    text: String,
    total_nodes: usize,
    total_edges: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let place = match args.cursor.filter(|cursor| !cursor.0.is_empty()) {
        None => Piece::Nodes(0),
        Some(cursor) => match Piece::read(&cursor.0) {
            Some(place) => place,
            None => return stop(no_cursor(&cursor.0)),
        },
    };
    let piece = exchange::piece(cx, place)?;
    let lead = format!("{} and {}.", counted(piece.nodes, "node"), counted(piece.edges, "edge"));
    let cursor = piece.next.map(Piece::shown);
    let output = Output { text: piece.text, total_nodes: piece.nodes, total_edges: piece.edges, truncated: cursor.is_some(), cursor };
    let next = if output.truncated { "call again with `cursor`" } else { "" };
    Ok(Answer::new(output).lead(lead).next(next))
}
