//! `list_themes`: the themes and how many nodes each gathers.

use crate::answer::Answer;
use crate::args::{Limit, Word};
use crate::cx::{Cx, Scan, row};
use crate::ledger::LOCAL;
use crate::model::{Theme, node_key};
use crate::page::{Pages, fitting};
use crate::refuse::Step;
use crate::render::view::{plain, tone};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

tool! {
    title: "List themes",
    about: "List the themes with the number of live nodes under each. list_nodes with `theme` shows them.",
    effect: Read,
    cli: {
        command: &["themes", "list"],
        summary: "List themes",
        pages: &["themes"],
        examples: &["deciduous themes list"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Page size (default: what fits 20 kB)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct ThemeItem {
    id: u32,
    name: String,
    color: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    node_count: usize,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    total: usize,
    themes: Vec<ThemeItem>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

row! {
    struct Tag in "node_theme" {
        node_id: u32,
        deleted_at: Option<i64>,
    }
}

row! {
    /// Whether a node stands: a tag may outlive it where two stores were merged.
    struct NodeMark in "node" {
        id: u32,
        node_type: String,
        deleted_at: Option<i64>,
    }
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let pages = Pages::new(args.limit, args.cursor)?;
    let mut themes = cx.scan_one::<Theme>(Scan::of("primary").below(vec![LOCAL.into()]))?;
    themes.retain(|theme| theme.deleted_at.is_none());
    let total = themes.len();
    let page = pages.slice(&themes);
    let tags = Scan::of("node_theme_by_theme").below_each(page.iter().map(|theme| vec![LOCAL.into(), theme.name.as_str().into()]));
    let tags = cx.scan::<Tag>(tags)?;
    let tagged: BTreeSet<u32> = tags.iter().flatten().filter(|tag| tag.deleted_at.is_none()).map(|tag| tag.node_id).collect();
    let keys: Vec<_> = tagged.iter().map(|id| node_key(LOCAL, *id)).collect();
    let nodes = cx.rows::<NodeMark>(&keys)?.into_iter().flatten();
    let live: BTreeSet<u32> = nodes.filter(|node| node.deleted_at.is_none() && !node.node_type.is_empty()).map(|node| node.id).collect();
    let items = page.iter().zip(&tags).map(|(theme, tags)| ThemeItem {
        id: theme.id,
        name: theme.name.clone(),
        color: theme.color.clone(),
        description: theme.description.clone(),
        node_count: tags.iter().filter(|tag| tag.deleted_at.is_none() && live.contains(&tag.node_id)).count(),
    });
    let mut items: Vec<ThemeItem> = items.collect();
    items.truncate(pages.bound(fitting(&items, pages.bytes())));
    let cursor = pages.after(items.len(), total);
    let lead = if total == 0 { "No theme yet.".to_owned() } else { format!("{}; {} shown.", counted(total, "theme"), items.len()) };
    let next = if total == 0 { "create_theme makes one" } else { "" };
    let output = Output { count: items.len(), total, themes: items, truncated: cursor.is_some(), cursor };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        let rows = output.themes.iter().map(|theme| {
            vec![
                plain(&theme.name),
                plain(theme.node_count.to_string()),
                tone("dim", theme.color.as_str()),
                plain(theme.description.clone().unwrap_or_default()),
            ]
        });
        page.table(&["theme", "nodes", "color", "gathers"], 3, rows.collect());
    }))
}
