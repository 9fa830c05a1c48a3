//! `untag_node`: takes a node from under a theme.

use crate::answer::Answer;
use crate::args::{Ref, Word};
use crate::around;
use crate::cx::Cx;
use crate::ledger::{LOCAL, Tx};
use crate::lookup;
use crate::model::NodeTheme;
use crate::refuse::{Step, refusal, stop};
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Untag node",
    about: "Take a node from under a theme.",
    effect: Remove,
    cli: {
        command: &["tag", "remove"],
        summary: "Take a node from under a theme",
        positions: &["node_id", "theme"],
        examples: &["deciduous tag remove 42 search-quality"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node to untag
    node_id: Ref,
    /// Theme's name
    theme: Word,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    node_id: u32,
    theme: String,
    removed: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (node, theme) = (lookup::node(cx, &args.node_id.0), lookup::theme(cx, &args.theme.0));
    let (node, theme) = (node?, theme?);
    let (tx, tag) = (Tx::open(cx), cx.row::<NodeTheme>(vec![LOCAL.into(), node.id.into(), theme.name.as_str().into()]));
    let (mut tx, tag) = (tx?, tag?);
    let Some(mut tag) = tag.filter(|tag| tag.deleted_at.is_none()) else {
        let themes: Vec<String> = around::themes(cx, node.id)?.iter().map(|name| format!("`{name}`")).collect();
        let next = if themes.is_empty() { "it is under no theme".to_owned() } else { format!("it is under {}", themes.join(", ")) };
        return stop(refusal(404, format!("`#{}` is not under the theme `{}`", node.id, theme.name), next));
    };
    tx.untag(&node, &mut tag)?;
    tx.finish();
    let lead = format!("{} #{} `{}` taken from under `{}`.", node.node_type, node.id, node.title, theme.name);
    Ok(Answer::new(Output { node_id: node.id, theme: theme.name, removed: true }).lead(lead))
}
