//! `show_document`: one attachment and where its bytes are.

use crate::answer::Answer;
use crate::args::RowId;
use crate::cx::Cx;
use crate::lookup;
use crate::refuse::Step;
use crate::render::view::{plain, tone};
use crate::shapes::DocumentItem;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Show document",
    about: "Read what is known of one attached file; its bytes are the blob `sha256`.",
    effect: Read,
    cli: {
        command: &["doc", "info"],
        summary: "Show what is known of an attached file",
        positions: &["document_id"],
        examples: &["deciduous doc info 3"]
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
    #[serde(flatten)]
    document: DocumentItem,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let document = DocumentItem::from(&lookup::document(cx, args.document_id.0)?);
    let bytes = counted(usize::try_from(document.size_bytes).unwrap_or(0), "byte");
    let lead = format!("Document {} `{}` ({bytes}) of #{}.", document.id, document.path, document.node_id);
    Ok(Answer::new(Output { document }).lead(lead).view(cx, |page, output| {
        let document = &output.document;
        page.line(vec![plain(format!("document {} ", document.id)), tone("strong", document.path.as_str()), tone("dim", format!("  of #{}", document.node_id))]);
        page.indented(1, vec![tone("dim", format!("{bytes} · {} · {}", document.media_type, document.attached_at))]);
        page.indented(1, vec![tone("dim", format!("sha256 {}", document.sha256))]);
        if let Some(description) = &document.description {
            page.text(1, description);
        }
    }))
}
