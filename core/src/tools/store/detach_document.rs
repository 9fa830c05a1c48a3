//! `detach_document`: takes an attachment from its node; the bytes stay until they are collected.

use crate::answer::Answer;
use crate::args::RowId;
use crate::cx::Cx;
use crate::ledger::Tx;
use crate::lookup;
use crate::refuse::Step;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Detach document",
    about: "Take an attached file from its node. Its bytes are kept until they are collected.",
    effect: Remove,
    cli: {
        command: &["doc", "detach"],
        summary: "Take an attached file from its node",
        positions: &["document_id"],
        examples: &["deciduous doc detach 3"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Number of the document
    document_id: RowId,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    id: u32,
    node_id: u32,
    path: String,
    sha256: String,
    detached: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (tx, document) = (Tx::open(cx), lookup::document(cx, args.document_id.0));
    let (mut tx, mut document) = (tx?, document?);
    tx.detach(&mut document)?;
    tx.finish();
    let lead = format!("Document {} `{}` taken from #{}; its bytes are kept until they are collected.", document.id, document.path, document.node_id);
    Ok(Answer::new(Output { id: document.id, node_id: document.node_id, path: document.path, sha256: document.sha256, detached: true }).lead(lead))
}
