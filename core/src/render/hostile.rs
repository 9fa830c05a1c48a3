//! Texts that try to leave their place, for the tests of documents.

use proptest::prelude::*;

/// Pieces that mean something to Markdown, HTML, DOT or Graphviz.
const PIECES: &[&str] = &[
    "#",
    "## ",
    "-",
    "- ",
    "+ ",
    "* ",
    "**",
    "_",
    "__",
    "`",
    "```",
    "````",
    "~~~",
    "~~",
    ">",
    "<",
    "</",
    "<b>",
    "<!--",
    "-->",
    "<details>",
    "[",
    "]",
    "](",
    "![",
    "(",
    ")",
    "[^1]: ",
    "|",
    "|-|-|",
    "---",
    "===",
    "1. ",
    "12) ",
    "\\",
    "\\\\",
    "\\N",
    "\\n",
    "\\G",
    "\\\"",
    "\"",
    "'",
    "&",
    "&amp;",
    "&lt;",
    "&#64;",
    "&copy",
    "@sam",
    "a@b.example",
    "#12",
    "https://x.example",
    "www.x.example",
    "$x$",
    "$$",
    ":",
    ";",
    "{",
    "}",
    "e\u{301}",
    "\u{200D}",
    "👩\u{200D}👧",
    "🇩🇪",
    "שלום",
    "決定",
    "\u{A0}",
    "\u{200B}",
    "\t",
    " ",
    "  ",
    "    ",
    "word",
    "snake_case",
    "%",
    "mermaid",
    "[ ] ",
    "[x] ",
    "!",
    "\u{FEFF}",
    "\u{FFFF}",
    "\u{2028}",
    "\u{202E}",
    "\u{7}",
];

/// One line that is not blank.
pub(crate) fn title() -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => proptest::sample::select(PIECES).prop_map(str::to_owned), 1 => "\\PC{1,4}"];
    let line = proptest::collection::vec(piece, 1..14)
        .prop_map(|pieces| pieces.concat().trim().to_owned());
    line.prop_filter("blank", |line| !bare(line).is_empty())
}

/// Several lines.
pub(crate) fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop_oneof![5 => title(), 1 => Just(String::new())], 1..7)
        .prop_map(|lines| lines.join("\n"))
}

/// What is left of a text when what documents may add or shift is not looked at: white space, marks that keep from
/// linking, backticks of code; and when characters that no document shows are one.
pub(crate) fn bare(text: &str) -> String {
    let kept = text
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '`' | '\u{2060}'));
    kept.filter(|c| !matches!(c, '\u{2028}' | '\u{2029}'))
        .map(|c| if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}') { '\u{FFFD}' } else { c })
        .collect()
}
