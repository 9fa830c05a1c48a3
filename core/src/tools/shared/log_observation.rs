//! `log_observation`: a fact learned, with where it belongs and what it was taken from.

use crate::answer::Answer;
use crate::args::{Ref, Text, Title, Word, Words};
use crate::capture::{self, Capture, Joined, Made};
use crate::cx::Cx;
use crate::ledger::{LOCAL, NewNode, Tx, fields};
use crate::lookup;
use crate::model::{EdgeType, NodeType, Theme};
use crate::refuse::{Step, Stop, bad_argument};
use crate::render::view::tone;
use crate::rules::origin;
use crate::rules::themes::{self, DEFAULT_COLOR};
use crate::text::check::filled;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Log observation",
    about: "Record a fact learned, in one write with its edges and themes. `related_to` leads to it; `took_from` is the idea it reuses, `why` says why.",
    effect: Add,
    cli: {
        command: &["log", "observation"],
        summary: "Record a fact learned",
        positions: &["title"],
        short: &[("description", "d"), ("related_to", "r"), ("took_from", "f"), ("why", "w"), ("tags", "t"), ("branch", "b")],
        negate: &["branch"],
        examples: &["deciduous log observation \"Tokens leak into logs\" -r 42", "deciduous log observation \"Same cache as in search\" -f 7 -w \"it fits\""]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// What was learned, one line
    title: Title,
    /// Longer text
    description: Option<Text>,
    /// Why it was taken from there
    why: Option<Text>,
    /// Node that leads to it
    related_to: Option<Ref>,
    /// Node whose idea it reuses
    took_from: Option<Ref>,
    /// Themes; missing ones are made
    tags: Option<Words>,
    /// Git branch (default: the checked-out one; "" for none)
    branch: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    #[serde(flatten)]
    node: Made,
    edges: Vec<Joined>,
    tags: Vec<String>,
    tags_made: Vec<String>,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let tags = names(args.tags.map(|tags| tags.0).unwrap_or_default())?;
    let branch = origin::branch(cx, args.branch)?;
    let tx = Tx::open(cx);
    let related = args.related_to.map(|node| lookup::node(cx, &node.0)).transpose();
    let source = args.took_from.map(|node| lookup::node(cx, &node.0)).transpose();
    let keys: Vec<_> = tags.iter().map(|name| vec![LOCAL.into(), name.as_str().into()]).collect();
    let known = cx.rows::<Theme>(&keys);
    let (tx, related, source, known) = (tx?, related?, source?, known?);
    let why = filled(args.why.map(|text| text.0));
    let mut warnings = Vec::new();
    if why.is_some() && source.is_none() {
        warnings.push("`why` is the reason of `took_from`, which was not given; it is not kept".to_owned());
    }
    let mut capture = Capture::new(tx, branch);
    let description = filled(args.description.map(|text| text.0));
    let node = capture.add(NewNode { description, ..NewNode::of(NodeType::Observation, args.title.0) })?;
    if let Some(related) = &related {
        capture.join(related, &node, EdgeType::LeadsTo, None)?;
    }
    if let Some(source) = &source {
        capture.join(source, &node, EdgeType::TookFrom, why)?;
    }
    let mut tags_made = Vec::new();
    for (name, theme) in tags.iter().zip(known) {
        if theme.as_ref().is_none_or(|theme| theme.deleted_at.is_some()) {
            capture.tx.add_theme(theme, name, fields! { color: DEFAULT_COLOR })?;
            tags_made.push(name.clone());
        }
        capture.tx.tag(&node, name, None)?;
    }
    let edges = capture.finish();
    let next = if edges.is_empty() { format!("link_nodes from what led to #{}", node.id) } else { String::new() };
    let lead = format!("Logged observation #{} `{}`.", node.id, node.title);
    let output = Output { node: Made::from(&node), edges, tags, tags_made, warnings };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| {
        capture::draw(page, [&output.node], &output.edges);
        output.warnings.iter().for_each(|warning| page.indented(1, vec![tone("warn", warning.as_str())]));
    }))
}

/// Themes by their kept names, each once.
fn names(given: Vec<String>) -> Step<Vec<String>> {
    let mut names = Vec::new();
    for tag in given {
        let name = themes::name(&tag).map_err(|stop| match stop {
            Stop::Refuse(refused) => {
                let why = refused.errors.get("name").cloned().unwrap_or_default();
                bad_argument("tags", format!("cannot be themes: {why}"), refused.next).into()
            }
            Stop::Need => Stop::Need,
        })?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}
