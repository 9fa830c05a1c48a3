//! `list_blobs`: the bytes that attachments refer to, for a host that cleans up the others.

use crate::answer::Answer;
use crate::cx::{Cx, Scan, row};
use crate::ledger::LOCAL;
use crate::refuse::Step;
use crate::render::view::{plain, tone};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

tool! {
    title: "List blobs",
    about: "List the SHA-256 of all bytes that attached files refer to.",
    effect: Read,
    cli: { command: &["doc", "blobs"], summary: "List the bytes that attached files refer to", examples: &["deciduous doc blobs --json"] }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Blob {
    sha256: String,
    size_bytes: i64,
    /// Documents that refer to it
    documents: Vec<u32>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    total: usize,
    blobs: Vec<Blob>,
}

row! {
    struct Bytes in "document" {
        id: u32,
        sha256: String,
        size_bytes: i64,
        deleted_at: Option<i64>,
    }
}

fn run(_: Args, cx: &Cx) -> Step<Answer<Output>> {
    let rows = cx.scan_one::<Bytes>(Scan::of("primary").below(vec![LOCAL.into()]))?;
    let mut by_hash: BTreeMap<String, Blob> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.deleted_at.is_none()) {
        let blob = by_hash.entry(row.sha256.clone()).or_insert(Blob { sha256: row.sha256, size_bytes: row.size_bytes, documents: Vec::new() });
        blob.documents.push(row.id);
    }
    let output = Output { total: by_hash.len(), blobs: by_hash.into_values().collect() };
    let lead = format!("{} with attached bytes.", counted(output.total, "blob"));
    Ok(Answer::new(output).lead(lead).view(cx, |page, output| {
        let rows = output.blobs.iter().map(|blob| {
            let documents: Vec<String> = blob.documents.iter().map(u32::to_string).collect();
            vec![plain(&blob.sha256), tone("dim", blob.size_bytes.to_string()), plain(documents.join(", "))]
        });
        page.table(&["sha256", "bytes", "documents"], 2, rows.collect());
    }))
}
