//! `read_blobs`: the bytes that documents name.

use crate::answer::Answer;
use crate::args::{Limit, Word};
use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::model::Document;
use crate::page::{key_after, key_cursor};
use crate::refuse::Step;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// Documents in a page unless told.
const PAGE: u32 = 5_000;

tool! {
    title: "Read blobs",
    about: "The SHA-256 and length of every document's bytes, detached ones included; for checking that the bytes are there.",
    effect: Read,
    cli: {
        command: &["store", "blobs"],
        summary: "List the bytes that documents name",
        pages: &["blobs"],
        examples: &["deciduous store blobs"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Documents in a page (default 5 000)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Blob {
    sha256: String,
    size_bytes: i64,
    /// The document and what it is called, for people
    what: String,
    /// Where the file lay in the project when it was attached
    path: String,
    /// Whether the document is attached: only then must its bytes be there
    needed: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    blobs: Vec<Blob>,
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
    let documents = cx.scan_one::<Document>(scan)?;
    let last = documents.last().filter(|_| documents.len() == limit as usize);
    let cursor = last.map(|document| key_cursor([i64::from(document.id)]));
    // One that was only heard of names no bytes yet.
    let named = documents.iter().filter(|document| !document.sha256.is_empty());
    let blobs: Vec<Blob> = named
        .map(|document| Blob {
            sha256: document.sha256.clone(),
            size_bytes: document.size_bytes,
            what: format!("document {} `{}` of #{}", document.id, document.name, document.node_id),
            path: document.path.clone(),
            needed: document.deleted_at.is_none(),
        })
        .collect();
    let lead = format!("{}.", counted(blobs.len(), "blob"));
    Ok(Answer::new(Output { blobs, truncated: cursor.is_some(), cursor }).lead(lead))
}
