//! `list_documents`: what is attached to a node, or everywhere.

use crate::answer::Answer;
use crate::args::{Limit, Ref, Word};
use crate::around;
use crate::cx::{Cx, Scan, row};
use crate::ledger::LOCAL;
use crate::lookup;
use crate::model::Document;
use crate::page::{Pages, fitting};
use crate::refuse::Step;
use crate::render::view::{plain, tone};
use crate::shapes::DocumentItem;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "List documents",
    about: "List the files attached to a node, or all of them, oldest first.",
    effect: Read,
    cli: {
        command: &["doc", "list"],
        summary: "List attached files",
        positions: &["node_id"],
        pages: &["documents"],
        examples: &["deciduous doc list", "deciduous doc list 42"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node (default: all)
    node_id: Option<Ref>,
    /// Page size (default: what fits 20 kB)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    total: usize,
    documents: Vec<DocumentItem>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

row! {
    /// Enough to count a document.
    struct DocumentMark in "document" {
        id: u32,
        deleted_at: Option<i64>,
    }
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(args.limit, args.cursor)?;
    let (total, documents) = match &args.node_id {
        Some(node) => {
            let documents = around::documents(cx, lookup::node(cx, &node.0)?.id)?;
            (documents.len(), pages.slice(&documents).to_vec())
        }
        None => all(cx, &pages)?,
    };
    let mut items: Vec<DocumentItem> = documents.iter().map(DocumentItem::from).collect();
    items.truncate(pages.bound(fitting(&items, pages.bytes())));
    let cursor = pages.after(items.len(), total);
    let lead = match total {
        0 => "No document is attached.".to_owned(),
        total => format!("{}; {} shown.", counted(total, "document"), items.len()),
    };
    let next = if total == 0 { "attach_document keeps a file with a node" } else { "" };
    let output = Output { count: items.len(), total, documents: items, truncated: cursor.is_some(), cursor };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        let rows = output.documents.iter().map(|document| {
            vec![
                plain(document.id.to_string()),
                plain(format!("#{}", document.node_id)),
                plain(&document.path),
                tone("dim", document.size_bytes.to_string()),
                tone("dim", document.media_type.as_str()),
                plain(document.description.clone().unwrap_or_default()),
            ]
        });
        page.table(&["id", "node", "path", "bytes", "type", "shows"], 5, rows.collect());
    }))
}

/// How many live documents there are, and those of the page.
fn all(cx: &Cx, pages: &Pages) -> Step<(usize, Vec<Document>)> {
    let marks = cx.scan_one::<DocumentMark>(Scan::of("primary").below(vec![LOCAL.into()]))?;
    let live: Vec<u32> = marks.into_iter().filter(|mark| mark.deleted_at.is_none()).map(|mark| mark.id).collect();
    let keys: Vec<_> = pages.slice(&live).iter().map(|id| vec![LOCAL.into(), (*id).into()]).collect();
    Ok((live.len(), cx.rows::<Document>(&keys)?.into_iter().flatten().collect()))
}
