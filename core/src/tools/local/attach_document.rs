//! `attach_document`: a file as evidence at a node.

use crate::answer::Answer;
use crate::args::{Ref, Text, Word};
use crate::around;
use crate::cx::Cx;
use crate::ledger::{Tx, fields};
use crate::lookup;
use crate::refuse::{Step, bad_argument, refusal, stop};
use crate::render::view::{plain, tone};
use crate::shapes::DocumentItem;
use crate::text::check::filled;
use crate::text::{counted, shorten};
use crate::tool::tool;
use deciduous_boundary::{FileFact, Refusal};
use serde::{Deserialize, Serialize};

tool! {
    title: "Attach document",
    about: "Keep a file of the project with a node: a benchmark, a log, a diagram, a paper. The bytes are copied, so the file may change later.",
    effect: Set,
    cli: {
        command: &["doc", "attach"],
        summary: "Attach a file to a node",
        positions: &["node_id", "file_path"],
        short: &[("description", "d")],
        examples: &["deciduous doc attach 42 docs/bench.md -d \"before and after\""]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node to attach to
    node_id: Ref,
    /// Path of a file inside the project, 64 MiB at most
    file_path: Word,
    /// What the file shows
    description: Option<Text>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    #[serde(flatten)]
    document: DocumentItem,
    existing: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let path = args.file_path.0;
    if path.is_empty() {
        return stop(bad_argument("file_path", "must not be blank", "name a file inside the project"));
    }
    let (name, path, sha256, size_bytes, media_type) = match cx.file(&path)? {
        FileFact::Stored { name, path, size_bytes, sha256, media_type } => (name, path, sha256, size_bytes, media_type),
        other => return stop(refused(&path, &other)),
    };
    let node = lookup::node(cx, &args.node_id.0)?;
    let (tx, attached) = (Tx::open(cx), around::documents(cx, node.id));
    let (mut tx, attached) = (tx?, attached?);
    let description = filled(args.description.map(|text| text.0));
    let same = attached.into_iter().find(|document| document.sha256 == sha256 && document.path == path);
    let existing = same.is_some();
    let document = match same {
        Some(mut document) => {
            if description.is_some() {
                tx.change_document(&mut document, fields! { description: description })?;
            }
            document
        }
        None => tx.attach(&node, fields! { name: name, path: path, sha256: sha256, size_bytes: size_bytes, media_type: media_type, description: description })?,
    };
    tx.finish();
    let state = if existing { "is attached already to" } else { "attached to" };
    let bytes = counted(usize::try_from(document.size_bytes).unwrap_or(0), "byte");
    let lead = format!("`{}` ({}) {state} {} #{} `{}`.", document.path, bytes, node.node_type, node.id, node.title);
    let output = Output { document: DocumentItem::from(&document), existing };
    Ok(Answer::new(output).lead(lead).view(cx, |page, output| {
        let document = &output.document;
        page.line(vec![plain(format!("{} #{} ", if existing { "Already attached to" } else { "Attached to" }, document.node_id)), tone("strong", document.path.as_str())]);
        page.indented(1, vec![tone("dim", format!("document {} · {} bytes · {}", document.id, document.size_bytes, document.media_type))]);
    }))
}

/// Why the file is not taken.
fn refused(path: &str, fact: &FileFact) -> Refusal {
    let path = shorten(path, 200);
    match fact {
        FileFact::Stored { .. } | FileFact::NotFound {} => refusal(404, format!("there is no file `{path}`"), "check the path; it is read from the project's folder"),
        FileFact::NotRegular {} => refusal(422, format!("`{path}` is no regular file"), "attach a file; of a folder, the files in it one by one"),
        FileFact::Outside {} => refusal(422, format!("`{path}` lies outside the project"), "copy it into the project first"),
        FileFact::TooLarge { size_bytes, limit_bytes } => {
            refusal(413, format!("`{path}` has {size_bytes} bytes; at most {limit_bytes} are taken"), "attach a smaller part of it, or name its address in the description")
        }
        FileFact::Unreadable {} => refusal(422, format!("`{path}` cannot be read"), "check who may read it"),
    }
}
