//! Draws views for people. Words and order are decided here; colours and widths by whoever shows them.

use crate::model::{NodeBrief, Status};
use deciduous_boundary::{Block, Span, View};

/// A view under construction.
#[derive(Debug, Default)]
pub(crate) struct Page {
    blocks: Vec<Block>,
}

/// Plain text.
pub(crate) fn plain(text: impl Into<String>) -> Span {
    Span {
        text: text.into(),
        ..Span::default()
    }
}

/// Text in a tone of the palette.
pub(crate) fn tone(name: &str, text: impl Into<String>) -> Span {
    Span {
        text: text.into(),
        tone: name.to_owned(),
        glyph: false,
    }
}

/// As [`tone`], with the tone's glyph before it.
pub(crate) fn glyph(name: &str, text: impl Into<String>) -> Span {
    Span {
        text: text.into(),
        tone: name.to_owned(),
        glyph: true,
    }
}

/// A title, struck out when its node no longer stands.
pub(crate) fn title(text: &str, status: &str) -> Span {
    let stands = Status::parse(status).is_none_or(Status::stands);
    if stands {
        plain(text)
    } else {
        tone("gone", text)
    }
}

impl Page {
    pub(crate) fn heading(&mut self, text: impl Into<String>) {
        if !self.blocks.is_empty() {
            self.blocks.push(Block::Blank);
        }
        self.blocks.push(Block::Heading(text.into()));
    }

    pub(crate) fn line(&mut self, spans: Vec<Span>) {
        self.indented(0, spans);
    }

    pub(crate) fn indented(&mut self, indent: u8, spans: Vec<Span>) {
        self.blocks.push(Block::Line { indent, spans });
    }

    /// Text of a user, with its line breaks.
    pub(crate) fn text(&mut self, indent: u8, text: &str) {
        self.blocks.push(Block::Text {
            indent,
            text: text.to_owned(),
        });
    }

    pub(crate) fn table(&mut self, head: &[&str], flexible: usize, rows: Vec<Vec<Span>>) {
        self.blocks.push(Block::Table {
            head: head.iter().map(|name| (*name).to_owned()).collect(),
            rows,
            flexible,
        });
    }

    pub(crate) fn document(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Document(text.into()));
    }

    /// `◎ goal #1 Title`: how a node reads in a line.
    pub(crate) fn node(&mut self, indent: u8, kind: &str, id: u32, text: &str, status: &str) {
        self.indented(
            indent,
            vec![
                glyph(kind, kind),
                plain(format!(" #{id} ")),
                title(text, status),
            ],
        );
    }

    /// The table of a list of nodes.
    pub(crate) fn nodes(&mut self, nodes: &[NodeBrief]) {
        let rows = nodes.iter().map(|node| {
            vec![
                plain(format!("#{}", node.id)),
                glyph(&node.node_type, node.node_type.as_str()),
                tone("dim", node.status.as_str()),
                title(&node.title, &node.status),
                tone("dim", node.branch.clone().unwrap_or_default()),
                tone("dim", crate::time::show_day(node.created_at)),
            ]
        });
        self.table(
            &["id", "type", "status", "title", "branch", "created"],
            3,
            rows.collect(),
        );
    }

    pub(crate) fn finish(self) -> View {
        View {
            blocks: self.blocks,
        }
    }
}
