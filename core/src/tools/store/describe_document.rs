//! `describe_document`: says what an attachment shows.

use crate::answer::Answer;
use crate::args::{RowId, Text};
use crate::cx::Cx;
use crate::ledger::{Fields, Tx};
use crate::lookup;
use crate::refuse::Step;
use crate::shapes::DocumentItem;
use crate::text::check::filled;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use serde_json::json;

tool! {
    title: "Describe document",
    about: "Say what an attached file shows; an empty text takes the description away.",
    effect: Set,
    cli: {
        command: &["doc", "describe"],
        summary: "Say what an attached file shows",
        positions: &["document_id", "description"],
        stdin: &["description"],
        examples: &["deciduous doc describe 3 \"the load test of May\""]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Number of the document
    document_id: RowId,
    /// What it shows
    description: Text,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    #[serde(flatten)]
    document: DocumentItem,
    changed: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (tx, document) = (Tx::open(cx), lookup::document(cx, args.document_id.0));
    let (mut tx, mut document) = (tx?, document?);
    let set: Fields = [("description".to_owned(), json!(filled(Some(args.description.0))))].into();
    let changed = tx.change_document(&mut document, set)?;
    tx.finish();
    let lead = if changed { format!("Document {} `{}` described.", document.id, document.path) } else { format!("Document {} says so already.", document.id) };
    Ok(Answer::new(Output { document: DocumentItem::from(&document), changed }).lead(lead))
}
