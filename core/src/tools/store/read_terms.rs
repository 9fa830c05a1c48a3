//! `read_terms`: what a search index must hold.

use crate::answer::Answer;
use crate::args::{Limit, Word};
use crate::cx::{Cx, Scan};
use crate::ledger::{LOCAL, indexed};
use crate::model::Node;
use crate::page::{key_after, key_cursor};
use crate::refuse::Step;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// Nodes in a page unless told.
const PAGE: u32 = 2_000;

tool! {
    title: "Read terms",
    about: "The terms of each node as the search index must hold them, in the order of the numbers; for checking an index and for making it again.",
    effect: Read,
    cli: {
        command: &["store", "terms"],
        summary: "Write what the search index must hold",
        pages: &["documents"],
        examples: &["deciduous store terms --limit 10"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Nodes in a page (default 2 000)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

/// A document of the index.
#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Indexed {
    workspace: u32,
    doc: u32,
    /// Terms with repetitions
    length: u32,
    /// Each once, sorted
    terms: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    documents: Vec<Indexed>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let limit = args.limit.map_or(PAGE, |limit| limit.0);
    let mut scan = Scan::of("primary").below(vec![LOCAL.into()]).limit(limit);
    if let Some([after]) = key_after::<1>(args.cursor.as_ref())? {
        scan = scan.after(vec![LOCAL.into(), after.into()]);
    }
    let nodes = cx.scan_one::<Node>(scan)?;
    let last = nodes.last().filter(|_| nodes.len() == limit as usize);
    let cursor = last.map(|node| key_cursor([i64::from(node.id)]));
    let document = |node: &Node| {
        let (terms, length) = indexed(node);
        // What says nothing is not in the index.
        (!terms.is_empty()).then_some(Indexed { workspace: node.workspace, doc: node.id, length, terms })
    };
    let documents: Vec<Indexed> = nodes.iter().filter_map(document).collect();
    let lead = format!("{}.", counted(documents.len(), "document"));
    Ok(Answer::new(Output { documents, truncated: cursor.is_some(), cursor }).lead(lead))
}
