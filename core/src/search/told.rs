//! Search hits told: what each says, the lead, and how they are drawn.

use crate::render::view::{Page, glyph, plain, title, tone};
use crate::rules::succession;
use crate::search::Ranked;
use crate::shapes::NodeMark;
use crate::text::{counted, shorten};
use crate::time;
use serde::Serialize;

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Found {
    id: u32,
    node_type: String,
    title: String,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    created_at: String,
    /// Field to the words found in it.
    matched: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<NodeMark>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    pub count: usize,
    pub nodes: Vec<Found>,
    pub total: usize,
    /// `about` or `at most` where not every node was looked at.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub total_is: &'static str,
    pub truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Words that no node holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_words: Vec<String>,
    pub notes: Vec<String>,
}

pub(crate) fn found(one: &Ranked, superseded_by: Option<NodeMark>) -> Found {
    let node = &one.hit;
    Found {
        id: node.id,
        node_type: node.node_type.clone(),
        title: node.title.clone(),
        status: node.status.clone(),
        branch: node.branch.clone(),
        created_at: time::shown(node.created_at, node.created_text.as_deref()),
        matched: one.fit.reason(),
        excerpt: one.fit.excerpt.clone(),
        superseded_by,
    }
}

pub(crate) fn said(query: &str, output: &Output) -> (String, String) {
    let query = shorten(query.trim(), 80);
    let Some(first) = output.nodes.first() else {
        let why = if output.notes.is_empty() { "." } else { ": " };
        return (
            format!(
                "Nothing found for `{query}`{why}{}",
                output
                    .notes
                    .iter()
                    .map(|note| format!("{note}."))
                    .collect::<String>()
            ),
            "try fewer or other words, or ask_graph; list_nodes shows what there is".to_owned(),
        );
    };
    let of = if output.total_is.is_empty() {
        String::new()
    } else {
        format!("{} ", output.total_is)
    };
    let mut lead = format!(
        "{} of {of}{} for `{query}`; best: {} #{} `{}`.",
        output.count,
        counted(output.total, "hit"),
        first.node_type,
        first.id,
        shorten(&first.title, 80)
    );
    for note in &output.notes {
        lead.push_str(&format!(" Note: {note}."));
    }
    let next = match &first.superseded_by {
        Some(successor) => format!(
            "get_node_context {}, which holds instead of #{}",
            successor.id, first.id
        ),
        None => format!("get_node_context {} tells its story", first.id),
    };
    (lead, next)
}

pub(crate) fn draw(page: &mut Page, output: &Output) {
    for hit in &output.nodes {
        let mut line = vec![
            glyph(&hit.node_type, hit.node_type.as_str()),
            tone("strong", format!(" #{} ", hit.id)),
            title(&hit.title, &hit.status),
        ];
        let mark = succession::mark(&hit.status, hit.superseded_by.as_ref());
        if !mark.is_empty() {
            line.push(tone("warn", format!("  {mark}")));
        }
        page.line(line);
        if let Some(excerpt) = &hit.excerpt {
            page.indented(2, vec![plain(excerpt)]);
        }
        page.indented(
            2,
            vec![tone(
                "dim",
                [
                    hit.matched.as_str(),
                    hit.branch.as_deref().unwrap_or_default(),
                    hit.created_at.get(..10).unwrap_or_default(),
                ]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(" · "),
            )],
        );
    }
    if output.nodes.is_empty() {
        page.line(vec![plain("Nothing found.")]);
    }
    output
        .notes
        .iter()
        .for_each(|note| page.line(vec![tone("warn", note.as_str())]));
}
