//! `delete_theme`: takes a theme away, and with it its tags.

use crate::answer::Answer;
use crate::args::{Flag, Word};
use crate::cx::{Cx, Scan};
use crate::ledger::{LOCAL, Tx};
use crate::lookup;
use crate::model::{Node, NodeTheme, node_key};
use crate::refuse::Step;
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Delete theme",
    about: "Delete a theme and its tags; the nodes stay as they are.",
    effect: Remove,
    cli: {
        command: &["themes", "delete"],
        summary: "Delete a theme and its tags",
        positions: &["theme"],
        short: &[("dry_run", "n")],
        examples: &["deciduous themes delete search-quality --dry-run", "deciduous themes delete search-quality"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Theme's name
    theme: Word,
    /// Only say what would go
    dry_run: Option<Flag>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    name: String,
    dry_run: bool,
    deleted: bool,
    /// Nodes that lose the tag
    untagged: Vec<u32>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (tx, theme) = (Tx::open(cx), lookup::theme(cx, &args.theme.0));
    let (mut tx, mut theme) = (tx?, theme?);
    let mut tags = cx.scan_one::<NodeTheme>(Scan::of("node_theme_by_theme").below(vec![LOCAL.into(), theme.name.as_str().into()]))?;
    tags.retain(|tag| tag.deleted_at.is_none());
    let keys: Vec<_> = tags.iter().map(|tag| node_key(LOCAL, tag.node_id)).collect();
    let nodes = cx.rows::<Node>(&keys)?;
    let dry_run = args.dry_run.is_some_and(|flag| flag.0);
    let untagged: Vec<u32> = tags.iter().map(|tag| tag.node_id).collect();
    if !dry_run {
        for (tag, node) in tags.iter_mut().zip(&nodes) {
            if let Some(node) = node {
                tx.untag(node, tag)?;
            }
        }
        tx.remove_theme(&mut theme)?;
        tx.finish();
    }
    let verb = if dry_run { "Would delete" } else { "Deleted" };
    let lead = format!("{verb} the theme `{}` with {}.", theme.name, counted(untagged.len(), "tag"));
    let next = if dry_run { "call again without dry_run to delete it" } else { "" };
    Ok(Answer::new(Output { name: theme.name, dry_run, deleted: !dry_run, untagged }).lead(lead).next(next))
}
