//! DOT, the language of Graphviz: shape and colour by type, weight by status, line by edge type, all from the palette.
//!
//! Any text survives Graphviz, which reads backslashes, quotes and HTML entities in labels. Graphviz has no dash-dot
//! line (styles are solid, dashed, dotted, bold), so one is drawn as a list of colours with lengths, some transparent;
//! a double line is two colours with an invisible one between.
//!
//! ```text
//! n3 -> n4 [label="chosen", tooltip="fits the budget", color="#2b7a36", penwidth=2.4];
//! ```

use crate::cx::row;
use crate::model::{EdgeType, Node, NodeType, Status};
use crate::render::excerpt::EdgeLine;
use crate::text::{columns, shorten, wrap};

/// How many characters of a rationale a tooltip shows.
const TOOLTIP: usize = 300;
/// Lines of a label are not narrower and not wider, in columns.
const NARROW: usize = 26;
const WIDE: usize = 60;

const FONT: &str = "Helvetica,Arial,sans-serif";
/// What is not about a type: edges, and nodes that no longer stand.
const QUIET: &str = "#6b7280";
/// The strokes of the palette for what holds, what stops and what was taken.
const GOOD: &str = "#2b7a36";
const BAD: &str = "#b5400f";
const TAKEN: &str = "#5f3dc4";

row! {
    /// A node as a picture shows it.
    pub struct Sketch in "node" {
        id: u32,
        node_type: String,
        title: String,
        status: String,
    }
}

impl From<&Node> for Sketch {
    fn from(node: &Node) -> Self {
        Sketch {
            id: node.id,
            node_type: node.node_type.clone(),
            title: node.title.clone(),
            status: node.status.clone(),
        }
    }
}

/// Which way the picture reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rankdir {
    #[default]
    TopBottom,
    LeftRight,
}

impl Rankdir {
    pub(crate) const ALL: &'static [Rankdir] = &[Rankdir::TopBottom, Rankdir::LeftRight];

    /// Graphviz's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Rankdir::TopBottom => "TB",
            Rankdir::LeftRight => "LR",
        }
    }
}

/// How a picture is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Picture<'a> {
    pub title: Option<&'a str>,
    pub rankdir: Rankdir,
    /// Whether titles and reasons are told where a reader points.
    pub tooltips: bool,
}

/// Draws nodes and the edges among them; the same input gives the same bytes.
pub(crate) fn dot(picture: Picture, nodes: &[Sketch], edges: &[EdgeLine]) -> String {
    let mut out = String::from("digraph deciduous {\n");
    let reading = picture.rankdir.name();
    out.push_str(&format!("  graph [rankdir={reading}, fontname=\"{FONT}\", fontsize=16, bgcolor=\"white\", pad=0.3, nodesep=0.3, ranksep=0.45"));
    if let Some(title) = picture.title {
        let title = wrap(title, WIDE).join("\n");
        out.push_str(&format!(", labelloc=t, label=\"{}\\n \"", label(&title)));
    }
    out.push_str("];\n");
    out.push_str(&format!("  node [fontname=\"{FONT}\", fontsize=11, style=filled, fillcolor=\"#ffffff\", margin=\"0.14,0.07\"];\n"));
    out.push_str(&format!("  edge [fontname=\"{FONT}\", fontsize=9, color=\"{QUIET}\", fontcolor=\"{QUIET}\", arrowsize=0.7];\n"));
    for node in nodes {
        draw_node(&mut out, node, picture.tooltips);
    }
    for edge in edges {
        draw_edge(&mut out, edge, picture.tooltips);
    }
    out.push_str("}\n");
    out
}

fn draw_node(out: &mut String, node: &Sketch, tooltips: bool) {
    let kind = NodeType::parse(&node.node_type);
    let status = Status::parse(&node.status);
    let (glyph, shape, stroke) = kind.map_or(("", "box", QUIET), |kind| {
        (kind.glyph(), kind.shape(), kind.colours().0)
    });
    let tick = if matches!(status, Some(Status::Completed | Status::Done)) {
        " ✓"
    } else {
        ""
    };
    // Wider for longer titles, so that a node keeps about the proportions of a card.
    let width = (columns(&node.title) * 8).isqrt().clamp(NARROW, WIDE);
    let text = format!(
        "{glyph} #{}{tick}\n{}",
        node.id,
        wrap(&node.title, width).join("\n")
    );
    out.push_str(&format!(
        "  n{} [label=\"{}\", shape={shape}",
        node.id,
        label(&text)
    ));
    // These shapes have room of their own around a text.
    if matches!(shape, "parallelogram" | "house" | "ellipse") {
        out.push_str(", margin=\"0,0\"");
    }
    if tooltips {
        out.push_str(&format!(", tooltip=\"{}\"", tooltip(&node.title)));
    }
    out.push_str(&match status {
        Some(Status::Rejected) => {
            format!(", style=\"filled,dashed\", color=\"{stroke}80\", fontcolor=\"{QUIET}\"")
        }
        Some(status) if !status.stands() => {
            format!(", color=\"{stroke}59\", fontcolor=\"{QUIET}\"")
        }
        Some(Status::Active) => {
            format!(", color=\"{stroke}\", fillcolor=\"{stroke}2e\", penwidth=2.2")
        }
        Some(Status::Completed | Status::Done) => {
            format!(", color=\"{stroke}\", fillcolor=\"{stroke}14\"")
        }
        _ => format!(", color=\"{stroke}\""),
    });
    out.push_str("];\n");
}

fn draw_edge(out: &mut String, edge: &EdgeLine, tooltips: bool) {
    let Some(kind) = edge.kind() else { return };
    let mut attributes = Vec::new();
    if kind != EdgeType::LeadsTo {
        attributes.push(format!("label=\" {}\"", words(kind)));
    }
    if let Some(rationale) = edge.rationale.as_ref().filter(|_| tooltips) {
        attributes.push(format!(
            "tooltip=\"{}\"",
            tooltip(&shorten(rationale, TOOLTIP))
        ));
    }
    match kind {
        EdgeType::Chosen => attributes.push(format!("color=\"{GOOD}\", fontcolor=\"{GOOD}\", style=bold, penwidth=2.4")),
        EdgeType::Rejected => attributes.push("style=dashed".to_owned()),
        EdgeType::Blocks => attributes.push(format!("color=\"{BAD}\", fontcolor=\"{BAD}\", style=dotted, penwidth=1.6, arrowhead=tee, arrowsize=1.1")),
        EdgeType::TookFrom => attributes.push(format!("color=\"{}\", fontcolor=\"{TAKEN}\"", dash_dot(TAKEN))),
        EdgeType::Supersedes => attributes.push(format!("color=\"{QUIET}:invis:{QUIET}\"")),
        EdgeType::LeadsTo | EdgeType::Requires | EdgeType::Enables => {}
    }
    out.push_str(&format!("  n{} -> n{}", edge.from_id, edge.to_id));
    if !attributes.is_empty() {
        out.push_str(&format!(" [{}]", attributes.join(", ")));
    }
    out.push_str(";\n");
}

/// How an edge reads in the direction of its arrow.
fn words(kind: EdgeType) -> String {
    match kind {
        EdgeType::Supersedes => "superseded by".to_owned(),
        kind => kind.name().replace('_', " "),
    }
}

/// Dash, gap, dot, gap, four times, and a dash to the arrow; the numbers are parts of the edge's length.
fn dash_dot(colour: &str) -> String {
    let mark = format!("{colour};0.13:transparent;0.035:{colour};0.02:transparent;0.035:");
    format!("{}{colour}", mark.repeat(4))
}

/// Text in a label: Graphviz turns `\\` into `\`, `\n` into a line break, and entities into characters.
fn label(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push(' '),
            // An imported title may hold what no XML, and so no SVG, can.
            '\u{FFFE}' | '\u{FFFF}' => out.push(char::REPLACEMENT_CHARACTER),
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

/// Text in a tooltip: older versions of Graphviz read its backslashes twice, newer ones once, so one that looks the
/// same stands there. The label above it says the exact title.
fn tooltip(text: &str) -> String {
    label(&text.replace('\\', "⧵").replace('\n', " "))
}

#[cfg(test)]
mod tests;
