//! Draws the core's rendering for a person.
//!
//! Owns: indentation, wrapping, tones on a stream. Never: what is shown; the core's `View` says that.

use super::paint::Paint;
use super::table;
use super::text::{shown, turns, width, wrapped};
use deciduous_boundary::{Block, Span, View};

const STEP: usize = 2;

pub fn draw(view: &View, paint: &Paint) -> String {
    let mut out = String::new();
    for block in &view.blocks {
        match block {
            Block::Heading(text) => {
                out.push_str(&paint.run(&shown(text, false), "strong"));
                out.push('\n');
            }
            Block::Line { indent, spans } => {
                out.push_str(&" ".repeat(usize::from(*indent) * STEP));
                spans
                    .iter()
                    .for_each(|span| out.push_str(&run(span, paint)));
                trim_end(&mut out);
                out.push('\n');
            }
            Block::Text { indent, text } => {
                prose(&mut out, usize::from(*indent) * STEP, text, paint)
            }
            Block::Table {
                head,
                rows,
                flexible,
            } => out.push_str(&table::draw(head, rows, *flexible, paint)),
            Block::Document(text) => document(&mut out, text, paint),
            Block::Blank => out.push('\n'),
        }
    }
    out
}

fn run(span: &Span, paint: &Paint) -> String {
    let text = shown(&span.text, false);
    let drawn = paint.run(&text, &span.tone);
    let drawn = if paint.terminal && turns(&text) {
        format!("\u{2068}{drawn}\u{2069}")
    } else {
        drawn
    };
    if span.glyph {
        format!("{}{drawn}", paint.run(&paint.glyph(&span.tone), &span.tone))
    } else {
        drawn
    }
}

fn prose(out: &mut String, indent: usize, text: &str, paint: &Paint) {
    let margin = " ".repeat(indent);
    for line in shown(text, true).lines() {
        let leading = line.len() - line.trim_start().len();
        let columns = if paint.terminal {
            paint.width.saturating_sub(indent).max(20)
        } else {
            usize::MAX
        };
        // A line that is set in (code, lists) is left as its writer set it.
        let parts = if leading > 0 || width(line) <= columns {
            vec![line.to_owned()]
        } else {
            wrapped(line, columns)
        };
        for part in parts {
            out.push_str(&margin);
            out.push_str(&part);
            trim_end(out);
            out.push('\n');
        }
    }
}

/// A document goes out as it is, but a terminal must not act on it.
pub fn document(out: &mut String, text: &str, paint: &Paint) {
    if paint.terminal {
        out.push_str(&shown(text, true))
    } else {
        out.push_str(text)
    }
    if !text.is_empty() && !text.ends_with('\n') {
        out.push('\n');
    }
}

fn trim_end(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::paint::When;

    #[test]
    fn a_view_without_a_terminal_is_plain_text() {
        let span = |text: &str| Span {
            text: text.to_owned(),
            tone: "strong".to_owned(),
            glyph: true,
        };
        let view = View {
            blocks: vec![
                Block::Heading("Head".to_owned()),
                Block::Line {
                    indent: 1,
                    spans: vec![span("a"), span(" b\u{1b}")],
                },
                Block::Blank,
                Block::Text {
                    indent: 2,
                    text: "one\ntwo".to_owned(),
                },
                Block::Document("# raw\u{1b}".to_owned()),
            ],
        };
        let drawn = draw(&view, &Paint::of(When::Never, false));
        assert_eq!(
            drawn,
            "Head\n  a b\\u{1b}\n\n    one\n    two\n# raw\u{1b}\n"
        );
    }
}
