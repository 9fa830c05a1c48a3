//! `digest`: whether two stores say the same.

use crate::answer::Answer;
use crate::args::{Limit, Word};
use crate::cx::Cx;
use crate::exchange::{self, Digest, Part, Wanted};
use crate::refuse::{Step, bad_argument, stop};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// Nodes in one call unless told: one round of rows.
const PAGE: u32 = 100_000;

tool! {
    title: "Digest",
    about: "A digest of what the graph says, whatever the local numbers: equal in two stores that say the same.",
    effect: Read,
    cli: { command: &["digest"], summary: "Show a digest of the whole graph", examples: &["deciduous digest"] }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Nodes in one call (default 100 000)
    limit: Option<Limit>,
    /// The former call's cursor, which carries the digest so far
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    /// With the last call: 64 hexadecimal digits
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    nodes: usize,
    edges: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (mut digest, place) = begun(args.cursor)?;
    let limit = args.limit.unwrap_or(Limit(PAGE));
    let page = exchange::page(cx, Wanted { part: Part::Whole, branch: None, limit: Some(limit), cursor: place })?;
    digest.add_page(&page);
    let (nodes, edges) = (page.total_nodes, page.total_edges);
    let output = match page.cursor {
        Some(place) => Output { digest: None, nodes, edges, truncated: true, cursor: Some(format!("{place}:{}", digest.text())) },
        None => Output { digest: Some(digest.text()), nodes, edges, truncated: false, cursor: None },
    };
    let lead = match &output.digest {
        Some(digest) => format!("{digest} for {} and {}.", counted(nodes, "node"), counted(edges, "edge")),
        None => "The digest is not done.".to_owned(),
    };
    let next = if output.truncated { "call again with `cursor`" } else { "" };
    Ok(Answer::new(output).lead(lead).next(next))
}

/// A cursor is a place and the digest up to it.
fn begun(cursor: Option<Word>) -> Step<(Digest, Option<Word>)> {
    let Some(Word(text)) = cursor.filter(|cursor| !cursor.0.is_empty()) else {
        return Ok((Digest::default(), None));
    };
    match text.split_once(':').and_then(|(place, digest)| Some((Digest::read(digest)?, Word(place.to_owned())))) {
        Some((digest, place)) => Ok((digest, Some(place))),
        None => stop(bad_argument("cursor", format!("`{text}` is no cursor"), "pass the `cursor` of the former call, or leave it out")),
    }
}
