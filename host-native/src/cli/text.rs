//! Text of users on a terminal: nothing in it may act, and its width is what the eye sees.
//!
//! Owns: escaping, widths, shortening, wrapping. Never: colour.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The text with every character that would act on a terminal written out: controls, and marks that turn the reading
/// direction of what follows. Newlines and tabs stay where `lines` says so.
pub fn shown(text: &str, lines: bool) -> String {
    if !text.chars().any(acts) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' | '\t' if lines => out.push(character),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            acting if acts(acting) => out.extend(acting.escape_unicode()),
            plain => out.push(plain),
        }
    }
    out
}

fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// Columns it takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text, or as much of its start as fits with an ellipsis; never cut inside what is seen as one character.
pub fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = 0;
    for (start, grapheme) in text.grapheme_indices(true) {
        let end = start + grapheme.len();
        if width(&text[..end]) + 1 > columns {
            break;
        }
        kept = end;
    }
    format!("{}…", text[..kept].trim_end())
}

/// Whether it holds letters read from right to left.
pub fn turns(text: &str) -> bool {
    text.chars().any(|character| {
        matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
    })
}

/// The line broken between words so that each part fits; a longer word stands alone.
pub fn wrapped(line: &str, columns: usize) -> Vec<String> {
    if width(line) <= columns {
        return vec![line.to_owned()];
    }
    let mut out = Vec::new();
    let mut part = String::new();
    for word in line.split_inclusive(' ') {
        if !part.is_empty() && width(&part) + width(word.trim_end()) > columns {
            out.push(part.trim_end().to_owned());
            part.clear();
        }
        part.push_str(word);
    }
    out.push(part.trim_end().to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(shown("a\u{1b}[31mb", false), "a\\u{1b}[31mb");
        assert_eq!(shown("a\nb", true), "a\nb");
        assert_eq!(shown("a\nb\u{202e}", false), "a\\nb\\u{202e}");
        assert_eq!(shown("héllo 👩‍💻", false), "héllo 👩‍💻");
    }

    #[test]
    fn shortening_keeps_whole_characters() {
        assert_eq!(shortened("漢字漢字", 8), "漢字漢字");
        assert_eq!(shortened("漢字漢字", 7), "漢字漢…");
        assert_eq!(shortened("漢字漢字", 6), "漢字…");
        assert_eq!(shortened("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        assert_eq!(shortened("👩‍💻👩‍💻👩‍💻", 4), "👩‍💻…");
    }

    #[test]
    fn wrapping_breaks_between_words() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("extraordinary", 5), ["extraordinary"]);
    }
}
