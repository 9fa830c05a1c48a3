//! A node told as a story: what it is and why, what was asked, from where, to where, on which papers.

use crate::render::view::{Page, glyph, plain, title, tone};
use crate::rules::succession;
use crate::shapes::{DocumentItem, Neighbour, NodeDetail, NodeMark};

/// The node itself.
pub(crate) fn node(page: &mut Page, node: &NodeDetail, superseded_by: Option<&NodeMark>) {
    page.line(vec![
        glyph(&node.node_type, node.node_type.as_str()),
        tone("strong", format!(" #{} ", node.id)),
        title(&node.title, &node.status),
    ]);
    let mut facts = vec![node.status.clone()];
    facts.extend(
        node.confidence
            .map(|confidence| format!("confidence {confidence}")),
    );
    facts.extend(node.branch.clone());
    facts.extend(
        node.commit
            .as_ref()
            .map(|hash| hash.chars().take(12).collect()),
    );
    facts.push(node.created_at.clone());
    page.indented(1, vec![tone("dim", facts.join(" · "))]);
    if let Some(successor) = superseded_by {
        page.indented(
            1,
            vec![
                tone("warn", succession::mark(&node.status, Some(successor))),
                plain(format!("  {}", successor.title)),
            ],
        );
    }
    for (name, text) in [("Why", &node.description), ("Asked", &node.prompt)] {
        if let Some(text) = text {
            page.heading(name);
            page.text(1, text);
        }
    }
}

/// Neighbours under a heading, each with the reason; nothing where there are none.
pub(crate) fn edges(page: &mut Page, heading: &str, edges: &[Neighbour]) {
    if edges.is_empty() {
        return;
    }
    page.heading(heading);
    for edge in edges {
        page.indented(
            1,
            vec![
                glyph(&edge.node_type, edge.node_type.as_str()),
                plain(format!(" #{} ", edge.id)),
                title(&edge.title, &edge.status),
                tone("dim", format!("  {}", edge.edge_type)),
            ],
        );
        if let Some(rationale) = &edge.rationale {
            page.text(3, rationale);
        }
    }
}

/// Files, themes and documents.
pub(crate) fn papers(
    page: &mut Page,
    files: &[String],
    themes: &[String],
    documents: &[DocumentItem],
) {
    for (name, items) in [("Files", files), ("Themes", themes)] {
        if !items.is_empty() {
            page.heading(name);
            items
                .iter()
                .for_each(|item| page.indented(1, vec![plain(item)]));
        }
    }
    if !documents.is_empty() {
        page.heading("Documents");
        for document in documents {
            page.indented(
                1,
                vec![
                    plain(&document.name),
                    tone(
                        "dim",
                        format!("  {} bytes, {}", document.size_bytes, document.media_type),
                    ),
                ],
            );
        }
    }
}
