//! Aligned columns that survive wide, combining, emoji and right-to-left text.
//!
//! Owns: widths and padding. Never: what the cells say.

use super::paint::Paint;
use super::text::{shortened, shown, turns, width};
use deciduous_boundary::Span;

const GAP: &str = "  ";
/// The flexible column is not made narrower than this, whatever the terminal's width.
const NARROWEST: usize = 12;

struct Cell {
    glyph: String,
    text: String,
    tone: String,
}

impl Cell {
    fn width(&self) -> usize {
        width(&self.glyph) + width(&self.text)
    }
}

/// The table, one line for each row; nothing is shortened where nobody looks at it, and a column without a word is
/// left out.
pub fn draw(head: &[String], rows: &[Vec<Span>], flexible: usize, paint: &Paint) -> String {
    if rows.is_empty() {
        return format!("{}\n", paint.run("none", "dim"));
    }
    let mut lines: Vec<Vec<Cell>> = Vec::with_capacity(rows.len() + 1);
    if head.iter().any(|title| !title.is_empty()) {
        lines.push(
            head.iter()
                .map(|title| Cell {
                    glyph: String::new(),
                    text: shown(title, false),
                    tone: "dim".to_owned(),
                })
                .collect(),
        );
    }
    let header = lines.len();
    lines.extend(
        rows.iter()
            .map(|row| row.iter().map(|span| cell(span, paint)).collect()),
    );

    let mut columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let mut flexible = flexible;
    for column in (0..columns).rev() {
        if rows
            .iter()
            .all(|row| row.get(column).is_none_or(|span| span.text.is_empty()))
        {
            lines
                .iter_mut()
                .filter(|line| column < line.len())
                .for_each(|line| drop(line.remove(column)));
            flexible = flexible.saturating_sub(usize::from(column < flexible));
            columns -= 1;
        }
    }
    let mut widths = vec![0; columns];
    let mut numbers = vec![true; columns];
    for (index, line) in lines.iter().enumerate() {
        for (column, cell) in line.iter().enumerate() {
            widths[column] = widths[column].max(cell.width());
            numbers[column] &= index < header || is_number(&cell.text);
        }
    }
    let total = widths.iter().sum::<usize>() + GAP.len() * columns.saturating_sub(1);
    if let Some(widest) = widths.get_mut(flexible)
        && total > paint.width
    {
        *widest = widest
            .saturating_sub(total - paint.width)
            .max(NARROWEST.min(*widest));
    }

    let mut out = String::new();
    for line in &lines {
        let mut text = String::new();
        for (column, cell) in line.iter().enumerate() {
            let room = widths[column].saturating_sub(width(&cell.glyph));
            let content = shortened(&cell.text, room);
            let padding = " ".repeat(room - width(&content).min(room));
            let drawn = format!(
                "{}{}",
                paint.run(&cell.glyph, &cell.tone),
                isolated(paint.run(&content, &cell.tone), &content, paint)
            );
            let last = column + 1 == line.len();
            if numbers[column] {
                text.push_str(&padding);
                text.push_str(&drawn);
            } else {
                text.push_str(&drawn);
                text.push_str(if last { "" } else { &padding });
            }
            text.push_str(if last { "" } else { GAP });
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

fn cell(span: &Span, paint: &Paint) -> Cell {
    let glyph = if span.glyph {
        paint.glyph(&span.tone)
    } else {
        String::new()
    };
    Cell {
        glyph,
        text: shown(&span.text, false),
        tone: span.tone.clone(),
    }
}

/// Text read from right to left is set apart, or a terminal that knows directions would turn the whole row.
fn isolated(drawn: String, text: &str, paint: &Paint) -> String {
    if paint.terminal && turns(text) {
        format!("\u{2068}{drawn}\u{2069}")
    } else {
        drawn
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    digits.is_empty()
        || digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'%')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::paint::When;

    fn row(texts: [&str; 3]) -> Vec<Span> {
        texts
            .iter()
            .map(|text| Span {
                text: (*text).to_owned(),
                ..Span::default()
            })
            .collect()
    }

    #[test]
    fn columns_are_aligned_by_what_the_eye_sees() {
        let paint = Paint::of(When::Never, false);
        let head = ["id", "title", "by"].map(str::to_owned);
        let rows = [
            row(["#1", "漢字", "a"]),
            row(["#10", "e\u{301}té", "b"]),
            row(["", "👩‍💻 x", "c"]),
        ];
        assert_eq!(
            draw(&head, &rows, 1, &paint),
            " id  title  by\n #1  漢字   a\n#10  e\u{301}té    b\n     👩‍💻 x   c\n"
        );
    }

    #[test]
    fn what_is_empty_takes_no_room() {
        let paint = Paint::of(When::Never, false);
        let head = ["id", "by", "title"].map(str::to_owned);
        assert_eq!(
            draw(&head, &[row(["#1", "", "x"])], 2, &paint),
            "id  title\n#1  x\n"
        );
        assert_eq!(draw(&head, &[], 2, &paint), "none\n");
    }

    #[test]
    fn the_flexible_column_gives_way() {
        let mut paint = Paint::of(When::Never, false);
        paint.width = 30;
        let rows = [row([
            "#1",
            "a title that is much too long for this",
            "someone",
        ])];
        let drawn = draw(&[], &rows, 1, &paint);
        assert_eq!(drawn, "#1  a title that is…   someone\n");
    }
}
