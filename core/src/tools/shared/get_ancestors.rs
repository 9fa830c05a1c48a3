//! `get_ancestors`: what led to a node.

use crate::answer::Answer;
use crate::args::{Limit, LimitOrAll, Ref, Word};
use crate::chain::{self, Chain};
pub(crate) use crate::chain::Output;
use crate::cx::Cx;
use crate::graph::Direction;
use crate::refuse::Step;
use crate::tool::tool;
use serde::Deserialize;

tool! {
    title: "Get ancestors",
    about: "Walk to everything that led to a node: goals, options, decisions. The node itself comes first. All of them, nearest first, in pages of 50.",
    effect: Read,
    cli: {
        command: &["ancestors"],
        summary: "Show what led to a node",
        positions: &["node_id"],
        short: &[("max_depth", "d"), ("limit", "n")],
        long: &[("max_depth", "depth")],
        pages: &["nodes", "edges"],
        examples: &["deciduous ancestors 42"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Where to start
    node_id: Ref,
    /// 0 = unlimited (default)
    max_depth: Option<LimitOrAll>,
    /// Nodes a page (default 50)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let max_depth = args.max_depth.map_or(0, |depth| depth.0);
    chain::answer(cx, Chain { node: args.node_id, direction: Direction::Incoming, max_depth, limit: args.limit, cursor: args.cursor })
}
