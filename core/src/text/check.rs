//! What characters a text may hold. Everything printable is kept as written.

/// How many lines a text may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Titles and names: no control character at all.
    One,
    /// Newline and tab are taken too.
    Many,
}

/// Why the text is not taken, if so.
pub(crate) fn printable(text: &str, lines: Lines) -> Result<(), String> {
    let mut next = text.chars().skip(1);
    let bad = text.chars().find(|c| {
        let after = next.next();
        // A carriage return is taken only as a part of a newline: alone it overwrites what stands before it.
        let break_or_tab = matches!(c, '\n' | '\t') || *c == '\r' && after == Some('\n');
        is_control(*c) && !(lines == Lines::Many && break_or_tab)
    });
    match bad {
        None => Ok(()),
        Some(c) => {
            let allowed = if lines == Lines::Many {
                "other than newline and tab"
            } else {
                ""
            };
            let kind = format!(
                "holds the control character U+{:04X}; control characters {allowed}",
                u32::from(c)
            );
            Err(format!("{} are not taken", kind.trim_end()))
        }
    }
}

/// Control characters, and the marks that turn the direction of text that follows them.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// None when there is nothing but white space.
pub(crate) fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}
