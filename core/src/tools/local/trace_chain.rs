//! `trace_chain`: everything that hangs together with a node, level by level.

use crate::answer::Answer;
use crate::args::{Limit, LimitOrAll, Ref, Way, Word};
use crate::chain::{self, Chain};
pub(crate) use crate::chain::Output;
use crate::cx::Cx;
use crate::graph::Direction;
use crate::refuse::Step;
use crate::tool::tool;
use serde::Deserialize;

tool! {
    title: "Trace chain",
    about: "Walk from a node breadth-first to see what led to it and what came of it. Every node with its depth, in pages of 50.",
    effect: Read,
    cli: {
        command: &["trace"],
        summary: "Show what a node hangs together with, as a tree",
        positions: &["node_id"],
        short: &[("max_depth", "d"), ("limit", "n")],
        long: &[("max_depth", "depth")],
        pages: &["nodes", "edges"],
        examples: &["deciduous trace 42", "deciduous trace 42 --direction incoming --depth 3"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Where to start
    node_id: Ref,
    /// 0 = unlimited (default)
    max_depth: Option<LimitOrAll>,
    /// Default both
    direction: Option<Way>,
    /// Nodes a page (default 50)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    chain::answer(cx, Chain {
        node: args.node_id,
        direction: args.direction.map_or(Direction::Both, |way| way.0),
        max_depth: args.max_depth.map_or(0, |depth| depth.0),
        limit: args.limit,
        cursor: args.cursor,
    })
}
