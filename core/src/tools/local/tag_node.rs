//! `tag_node`: puts a node under a theme.

use crate::answer::Answer;
use crate::args::{Ref, Word};
use crate::cx::Cx;
use crate::ledger::{LOCAL, Tx};
use crate::lookup;
use crate::model::NodeTheme;
use crate::refuse::Step;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Tag node",
    about: "Put a node under a theme that exists; create_theme makes one, list_themes shows them.",
    effect: Set,
    cli: {
        command: &["tag", "add"],
        summary: "Put a node under a theme",
        positions: &["node_id", "theme"],
        examples: &["deciduous tag add 42 search-quality"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Node to tag
    node_id: Ref,
    /// Theme's name
    theme: Word,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    node_id: u32,
    theme: String,
    existing: bool,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let (node, theme) = (lookup::node(cx, &args.node_id.0), lookup::theme(cx, &args.theme.0));
    let (node, theme) = (node?, theme?);
    let (tx, former) = (Tx::open(cx), cx.row::<NodeTheme>(vec![LOCAL.into(), node.id.into(), theme.name.as_str().into()]));
    let (mut tx, former) = (tx?, former?);
    let existing = former.as_ref().is_some_and(|tag| tag.deleted_at.is_none());
    if !existing {
        tx.tag(&node, &theme.name, former)?;
    }
    tx.finish();
    let state = if existing { "is under" } else { "put under" };
    let lead = format!("{} #{} `{}` {state} `{}`{}.", node.node_type, node.id, node.title, theme.name, if existing { " already" } else { "" });
    Ok(Answer::new(Output { node_id: node.id, theme: theme.name, existing }).lead(lead))
}
