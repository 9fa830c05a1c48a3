//! Breaks text into lines by its characters, never inside what is drawn as one sign.

use unicode_normalization::char::is_combining_mark;

/// Lines of at most `width` columns. Breaks at spaces, which the breaks replace; a word that is longer is broken inside,
/// behind a mark such as `/` where there is one.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let (mut now, mut used) = (String::new(), 0);
        for (at, word) in line.split(' ').enumerate() {
            if at > 0 && used + 1 + columns(word).min(width) > width {
                lines.push(std::mem::take(&mut now));
                used = 0;
            } else if at > 0 {
                now.push(' ');
                used += 1;
            }
            let parts = word.split_inclusive(|c| columns(word) > width && "/\\_-.,:;=".contains(c));
            for (sign, wide, rest) in parts.flat_map(|part| signs(part, width)) {
                if used > 0 && used + rest > width {
                    lines.push(std::mem::take(&mut now));
                    used = 0;
                }
                now.push_str(sign);
                used += wide;
            }
        }
        lines.push(now);
    }
    lines
}

/// How many columns a text takes, roughly: a terminal's host knows better.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

fn width(c: char) -> usize {
    match c {
        _ if joins(c) => 0,
        '\u{1100}'..='\u{115F}' | '\u{2E80}'..='\u{FFFD}' | '\u{1F000}'.. => 2,
        _ => 1,
    }
}

/// Whether the character is drawn together with the one before it.
fn joins(c: char) -> bool {
    is_combining_mark(c)
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{1160}'..='\u{11FF}')
        || matches!(c, '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0000}'..='\u{E01EF}')
}

/// The signs of a part of a word, each a character with all that is drawn together with it; with each its columns, and
/// how many must fit on the line with it: all of a short part at its first sign.
fn signs(part: &str, width: usize) -> impl Iterator<Item = (&str, usize, usize)> {
    let whole = columns(part);
    let mut rest = part;
    std::iter::from_fn(move || {
        let is_first = rest.len() == part.len();
        let mut chars = rest.char_indices();
        let (_, mut before) = chars.next()?;
        let mut flags = usize::from(is_flag_half(before));
        let mut end = rest.len();
        for (at, c) in chars {
            let half = is_flag_half(c);
            if !(joins(c) || before == '\u{200D}' || half && flags == 1) {
                end = at;
                break;
            }
            flags += usize::from(half);
            before = c;
        }
        let (sign, behind) = rest.split_at_checked(end)?;
        rest = behind;
        let wide = columns(sign).min(2);
        let fits = is_first && whole <= width;
        Some((sign, wide, if fits { whole } else { wide }))
    })
}

/// A flag is two of these.
fn is_flag_half(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn breaks_at_spaces_and_only_then_inside_words() {
        assert_eq!(
            wrap("keep people signed in", 12),
            ["keep people", "signed in"]
        );
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(
            wrap("see from_change_id/to_change_id", 16),
            ["see", "from_change_id/", "to_change_id"]
        );
        assert_eq!(wrap("two\nlines", 40), ["two", "lines"]);
        assert_eq!(wrap("a  b", 40), ["a  b"]);
    }

    #[test]
    fn never_inside_a_sign() {
        let family = "👩\u{200D}👩\u{200D}👧";
        assert_eq!(wrap(&family.repeat(2), 2), [family, family]);
        assert_eq!(wrap("e\u{301}e\u{301}", 1), ["e\u{301}", "e\u{301}"]);
        assert_eq!(wrap("🇩🇪🇫🇷", 2), ["🇩🇪", "🇫🇷"]);
        assert_eq!(wrap("決定木", 4), ["決定", "木"]);
    }
}
