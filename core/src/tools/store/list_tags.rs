//! `list_tags`: which node is under which theme.

use crate::answer::Answer;
use crate::args::{Limit, Ref, Word};
use crate::around;
use crate::cx::{Cx, Scan, row};
use crate::ledger::LOCAL;
use crate::lookup;
use crate::page::{Pages, fitting};
use crate::refuse::Step;
use crate::render::view::{glyph, plain, title, tone};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "List tags",
    about: "List the themes a node is under, or every tag of the graph.",
    effect: Read,
    cli: {
        command: &["tag", "list"],
        summary: "List the themes of a node, or all tags",
        positions: &["node_id"],
        pages: &["tags"],
        examples: &["deciduous tag list 42", "deciduous tag list"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node (default: all that are tagged)
    node_id: Option<Ref>,
    /// Page size (default: what fits 20 kB)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct TagItem {
    node_id: u32,
    theme: String,
    node_type: String,
    title: String,
    status: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    total: usize,
    tags: Vec<TagItem>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

row! {
    struct Tag in "node_theme" {
        node_id: u32,
        theme: String,
        deleted_at: Option<i64>,
    }
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(args.limit, args.cursor)?;
    let mut below = vec![LOCAL.into()];
    if let Some(node) = &args.node_id {
        below.push(lookup::node(cx, &node.0)?.id.into());
    }
    let mut tags = cx.scan_one::<Tag>(Scan::of("primary").below(below))?;
    tags.retain(|tag| tag.deleted_at.is_none());
    let nodes = around::briefs(cx, tags.iter().map(|tag| tag.node_id))?;
    // A tag may outlive its node where two stores were merged.
    tags.retain(|tag| nodes.contains_key(&tag.node_id));
    let total = tags.len();
    let items = pages.slice(&tags).iter().filter_map(|tag| {
        let node = nodes.get(&tag.node_id)?;
        Some(TagItem { node_id: node.id, theme: tag.theme.clone(), node_type: node.node_type.clone(), title: node.title.clone(), status: node.status.clone() })
    });
    let mut items: Vec<TagItem> = items.collect();
    items.truncate(pages.bound(fitting(&items, pages.bytes())));
    let cursor = pages.after(items.len(), total);
    let lead = if total == 0 { "Nothing is tagged there.".to_owned() } else { format!("{}; {} shown.", counted(total, "tag"), items.len()) };
    let next = if total == 0 { "tag_node puts a node under a theme" } else { "" };
    let output = Output { count: items.len(), total, tags: items, truncated: cursor.is_some(), cursor };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        let rows = output.tags.iter().map(|tag| {
            vec![
                plain(&tag.theme),
                tone("dim", format!("#{}", tag.node_id)),
                glyph(&tag.node_type, tag.node_type.as_str()),
                title(&tag.title, &tag.status),
            ]
        });
        page.table(&["theme", "node", "type", "title"], 3, rows.collect());
    }))
}
