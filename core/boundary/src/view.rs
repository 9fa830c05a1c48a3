//! A rendering for a person, without a decision on colours or widths: a terminal or a page draws it.

use serde::{Deserialize, Serialize};

/// Blocks from top to bottom.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct View {
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// A heading over what follows.
    Heading(String),
    /// One line, indented by `indent` steps.
    Line {
        indent: u8,
        spans: Vec<Span>,
    },
    /// Text of a user, with its line breaks, indented.
    Text {
        indent: u8,
        text: String,
    },
    /// Aligned columns; a host may shorten the column numbered `flexible` to fit the width.
    Table {
        head: Vec<String>,
        rows: Vec<Vec<Span>>,
        flexible: usize,
    },
    /// Output that is a document of its own (Markdown, DOT): written as it is.
    Document(String),
    Blank,
}

/// A run of text in one tone.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Span {
    pub text: String,
    /// A name of the catalogue's palette (`tones`), whose colour, weight and glyph a host looks up; empty: plain.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tone: String,
    /// Put the tone's glyph, if it has one, before the text. Left out where output is not a terminal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub glyph: bool,
}
