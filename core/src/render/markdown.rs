//! Text of users in Markdown: what they wrote is read as they wrote it, and stays where it was put.
//!
//! No heading, list, table, link, image, HTML, formula or mention comes out of it. Only code is kept as code, between
//! single backticks or in a fence, since nothing inside code is read. Numbers such as `#12` are kept from linking too:
//! they name nodes here and something else on a forge.

/// Keeps what follows it from being read as a mention or a number of an issue; nothing is drawn for it.
const JOINER: char = '\u{2060}';

/// One line of text, whatever it held.
pub(crate) fn inline(text: &str) -> String {
    line(
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .as_str(),
    )
}

/// Text with its paragraphs, line breaks and fenced code, every line behind `prefix`.
pub(crate) fn block(text: &str, prefix: &str) -> String {
    let mut out = Vec::new();
    let mut paragraph: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(now) = lines.next() {
        if let Some((mark, info)) = opens_fence(now) {
            end_paragraph(&mut out, &mut paragraph);
            let code: Vec<&str> = lines
                .by_ref()
                .take_while(|line| !closes_fence(line, mark))
                .collect();
            separate(&mut out);
            out.extend(fence(info, &code.join("\n")).lines().map(str::to_owned));
        } else if now.trim().is_empty() {
            end_paragraph(&mut out, &mut paragraph);
        } else {
            paragraph.push(format!("{}{}", indent(now), line(now.trim())));
        }
    }
    end_paragraph(&mut out, &mut paragraph);
    let lines = out
        .iter()
        .map(|line| format!("{}\n", format!("{prefix}{line}").trim_end()));
    lines.collect()
}

/// A code span that holds any text.
pub(crate) fn code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| {
            if c == '\n' || c == '\t' {
                ' '
            } else {
                shown(c)
            }
        })
        .collect();
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A block of code whose fence is longer than any inside.
pub(crate) fn fence(info: &str, text: &str) -> String {
    let ticks = "`".repeat((longest_run(text) + 1).max(3));
    let text: String = text
        .chars()
        .map(|c| if c == '\n' || c == '\t' { c } else { shown(c) })
        .collect();
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{ticks}{info}\n{text}{end}{ticks}\n")
}

/// A node's number, which no forge links to something else.
pub(crate) fn number(id: u32) -> String {
    format!("`#{id}`")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Ends a paragraph whose lines stay lines.
fn end_paragraph(out: &mut Vec<String>, paragraph: &mut Vec<String>) {
    let Some(last) = paragraph.pop() else { return };
    separate(out);
    out.extend(paragraph.drain(..).map(|line| format!("{line}\\")));
    out.push(last);
}

fn separate(out: &mut Vec<String>) {
    if !out.is_empty() {
        out.push(String::new());
    }
}

/// The mark of a fence that the line opens, and the language it names.
fn opens_fence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let tick = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let (mark, info) = line.split_at_checked(line.find(|c| c != tick).unwrap_or(line.len()))?;
    if mark.len() < 3 || info.contains('`') {
        return None;
    }
    // Forges draw some languages; a text stays text.
    let drawn = [
        "mermaid",
        "math",
        "geojson",
        "topojson",
        "stl",
        "suggestion",
    ];
    let word = info.split_whitespace().next().unwrap_or_default();
    let plain = word.len() <= 20
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'_'));
    let kept = plain && !drawn.contains(&word.to_ascii_lowercase().as_str());
    Some((mark, if kept { word } else { "" }))
}

fn closes_fence(line: &str, mark: &str) -> bool {
    let line = line.trim();
    line.starts_with(mark)
        && mark
            .chars()
            .next()
            .is_some_and(|tick| line.chars().all(|c| c == tick))
}

/// The white space before a line, as what Markdown does not read.
fn indent(line: &str) -> String {
    let spaces = line
        .chars()
        .take_while(|c| c.is_whitespace())
        .map(|c| if c == '\t' { 4 } else { 1 });
    "\u{A0}".repeat(spaces.sum::<usize>().min(24))
}

/// One trimmed line.
fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mark = block_mark(text);
    let mut before = None;
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(c) = rest.chars().next()
    {
        if let Some(span) = code_span(rest, before) {
            out.extend(span.chars().map(shown));
            before = Some('`');
            at += span.len();
            continue;
        }
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        if mark == Some(at) || is_read(c, before, behind) || c == '.' && ends_in_www(text, at) {
            out.push('\\');
        }
        out.push(shown(c));
        let next = behind.chars().next();
        let named = c == '@' && next.is_some_and(|c| c == '_' || c.is_alphanumeric());
        if named || c == '#' && next.is_some_and(|c| c.is_ascii_digit()) {
            out.push(JOINER);
        }
        before = Some(c);
        at += c.len_utf8();
    }
    out
}

/// Whether Markdown, or what a forge adds to it, would read the character between `before` and `behind`.
fn is_read(c: char, before: Option<char>, behind: &str) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '^' | '$' => true,
        '_' => !(word(before) && word(behind.chars().next())),
        // The end of a heading.
        '#' => before.is_none_or(char::is_whitespace),
        // Some readers turn addresses into links by themselves.
        ':' => behind.starts_with("//"),
        _ => false,
    }
}

/// Where the mark of a list, a heading or a line below one stands at the beginning of a line.
fn block_mark(text: &str) -> Option<usize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered = digits > 0 && text.get(digits..)?.starts_with(['.', ')']);
    (numbered || text.starts_with(['-', '+', '=', ':'])).then_some(digits)
}

/// Whether the text before `end` is the beginning of a web address.
fn ends_in_www(text: &str, end: usize) -> bool {
    text.get(..end).is_some_and(|before| {
        before
            .get(before.len().saturating_sub(3)..)
            .is_some_and(|last| last.eq_ignore_ascii_case("www"))
    })
}

/// The code span at the beginning of `rest`, between single backticks.
fn code_span(rest: &str, before: Option<char>) -> Option<&str> {
    let inside = rest.strip_prefix('`').filter(|_| before != Some('`'))?;
    let end = inside.find('`')?;
    let (text, behind) = inside.split_at_checked(end)?;
    let single = !behind.get(1..).unwrap_or_default().starts_with('`');
    (single && !text.trim().is_empty())
        .then(|| rest.get(..end + 2))
        .flatten()
}

/// The character, or what stands for one that is not to be drawn: imports may hold what new texts may not.
fn shown(c: char) -> char {
    match c {
        '\t' | '\u{2028}' | '\u{2029}' | '\u{85}' => ' ',
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

#[cfg(test)]
mod tests;
