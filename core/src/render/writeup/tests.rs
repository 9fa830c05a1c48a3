//! No text changes the structure of a writeup.

use super::{Material, write};
use crate::model::{EdgeType, Node, NodeType, Status};
use crate::render::excerpt::EdgeLine;
use crate::render::hostile::{text, title};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// A node of each type with the same texts, and a chain over all of them.
fn story(title: &str, text: &str) -> (Vec<Node>, Vec<EdgeLine>) {
    let node = |(kind, id): (&NodeType, u32)| Node {
        id,
        node_type: kind.name().to_owned(),
        title: title.to_owned(),
        status: Status::Pending.name().to_owned(),
        description: Some(text.to_owned()),
        prompt: Some(text.to_owned()),
        files: serde_json::to_string(&[title]).ok(),
        commit: Some(title.to_owned()),
        ..Node::default()
    };
    let nodes: Vec<Node> = NodeType::ALL.iter().zip(1..).map(node).collect();
    let edge = |(kind, from): (&EdgeType, u32)| EdgeLine {
        from_id: from,
        to_id: from + 1,
        edge_type: kind.name().to_owned(),
        rationale: Some(text.to_owned()),
        deleted_at: None,
    };
    let kinds = [
        EdgeType::LeadsTo,
        EdgeType::Chosen,
        EdgeType::LeadsTo,
        EdgeType::LeadsTo,
        EdgeType::LeadsTo,
        EdgeType::Supersedes,
    ];
    (nodes, kinds.iter().zip(1..).map(edge).collect())
}

/// What stands in the document: headings of level 2 by their text, others by their level, and the number of items and
/// of parts that only users could have brought in.
fn structure(title: &str, text: &str) -> (Vec<String>, usize, usize) {
    let (nodes, edges) = story(title, text);
    let material = Material {
        title: Some(title),
        nodes: &nodes,
        edges: &edges,
        documents: &[],
        omitted: 0,
        with_dot: true,
        with_test_plan: true,
    };
    let markdown = write(&material).markdown;
    let (mut headings, mut items, mut foreign, mut level) = (Vec::new(), 0, 0, 0);
    for event in Parser::new_ext(
        &markdown,
        Options::all() - Options::ENABLE_SMART_PUNCTUATION - Options::ENABLE_HEADING_ATTRIBUTES,
    ) {
        match event {
            Event::Start(Tag::Heading { level: at, .. }) => {
                level = at as usize;
                headings.push(level.to_string());
            }
            Event::End(_) => level = 0,
            Event::Text(text) if level == 2 => headings.push(text.to_string()),
            Event::Start(Tag::Item) => items += 1,
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Rule
            | Event::FootnoteReference(_) => foreign += 1,
            Event::Start(
                Tag::Table(_)
                | Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::Emphasis
                | Tag::Strikethrough
                | Tag::HtmlBlock
                | Tag::FootnoteDefinition(_),
            ) => foreign += 1,
            _ => {}
        }
    }
    (headings, items, foreign)
}

proptest! {
    #[test]
    fn no_text_changes_the_structure(title in title(), text in text()) {
        // A reason of one line stands in its item's line, one of several below it; items and headings stay the same.
        prop_assert_eq!(structure(&title, &text), structure("plain", "plain"));
    }
}

#[test]
fn empty_sections_are_left_out() {
    let nodes = [Node {
        id: 1,
        node_type: "observation".to_owned(),
        title: "A fact".to_owned(),
        status: "pending".to_owned(),
        ..Node::default()
    }];
    let material = Material {
        title: None,
        nodes: &nodes,
        edges: &[],
        documents: &[],
        omitted: 0,
        with_dot: false,
        with_test_plan: true,
    };
    assert_eq!(
        write(&material).markdown,
        "# A fact\n\n## Learned\n\n- **A fact** (`#1`)\n"
    );
}
