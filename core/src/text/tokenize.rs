//! Terms of a text: Unicode-aware, lower-cased, identifiers and paths split, lightly stemmed.
//!
//! `parseHTTPRequest` gives `parsehttprequest`, `pars`, `http`, `request`: a whole identifier is found, and so are its
//! parts. Scripts without spaces give one term a character and one a pair, so that any part of a word is found.

use crate::text::stem::stem;
use std::borrow::Cow;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// Longest term, in bytes; longer runs (hashes, encoded data) are cut here.
const TERM_BYTES: usize = 64;

/// All terms, in the order of the text.
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let folded = normal(text);
    for word in split(&folded) {
        split_scripts(word, &mut out);
    }
    out
}

/// A word of a text with its terms.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// As written.
    pub text: String,
    /// The word itself; of a script without spaces all its characters and pairs.
    pub terms: Vec<String>,
    /// The parts of an identifier, which say as much as the whole.
    pub parts: Option<Vec<String>>,
}

/// The words of a text, in its order.
pub(crate) fn words(text: &str) -> Vec<Term> {
    let folded = normal(text);
    split(&folded).map(term).collect()
}

fn term(word: &str) -> Term {
    let chars: Vec<char> = word.chars().collect();
    let (mut terms, mut split) = (Vec::new(), None);
    if chars.iter().copied().any(is_unspaced) {
        split_scripts(word, &mut terms);
    } else {
        push(&chars, &mut terms);
        let parts = parts(&chars);
        // A part of one character is no term of its own, so the rest would say less than the whole.
        if parts.len() > 1 && parts.iter().all(|part| part.len() > 1) {
            let mut out = Vec::new();
            parts.into_iter().for_each(|part| push(part, &mut out));
            split = Some(out);
        }
    }
    Term {
        text: word.to_owned(),
        terms,
        parts: split,
    }
}

/// A text in lower case with one space between its words and nothing else but these.
pub(crate) fn folded_words(text: &str) -> String {
    let folded = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.nfkc().flat_map(char::to_lowercase).collect()
    };
    split(&folded).collect::<Vec<_>>().join(" ")
}

/// Compatibility forms made one; most texts are ASCII and are so already.
fn normal(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    }
}

fn split(folded: &str) -> impl Iterator<Item = &str> {
    folded
        .split(|c: char| !c.is_alphanumeric() && !is_mark(c))
        .filter(|word| !word.is_empty())
}

/// Each term once, sorted.
#[must_use]
pub fn distinct<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    texts
        .into_iter()
        .flat_map(tokens)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x300..=0x36F | 0x483..=0x489 | 0x591..=0x5BD | 0x610..=0x61A | 0x64B..=0x65F | 0x900..=0x903 | 0x93A..=0x94F)
}

/// Scripts written without spaces.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Whether a word has no parts and is in one script: nearly all words are such, and quick to take.
fn is_plain(word: &str) -> bool {
    let (first, rest) = word.as_bytes().split_first().unwrap_or((&b' ', &[]));
    first.is_ascii_alphabetic() && rest.iter().all(u8::is_ascii_lowercase)
}

fn split_scripts(word: &str, out: &mut Vec<String>) {
    if is_plain(word) {
        out.push(shortened(&word.to_ascii_lowercase()));
        return;
    }
    let chars: Vec<char> = word.chars().collect();
    for run in chars.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
        if run.first().copied().is_some_and(is_unspaced) {
            out.extend(run.iter().map(char::to_string));
            out.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else {
            identifier(run, out);
        }
    }
}

fn identifier(run: &[char], out: &mut Vec<String>) {
    let parts: Vec<&[char]> = parts(run);
    push(run, out);
    if parts.len() > 1 {
        parts
            .into_iter()
            .filter(|part| part.len() > 1)
            .for_each(|part| push(part, out));
    }
}

fn push(run: &[char], out: &mut Vec<String>) {
    let lower: String = run.iter().flat_map(|c| c.to_lowercase()).collect();
    out.push(shortened(&lower));
}

fn shortened(lower: &str) -> String {
    let mut cut = lower.len().min(TERM_BYTES);
    while !lower.is_char_boundary(cut) {
        cut -= 1;
    }
    stem(lower.get(..cut).unwrap_or_default()).to_owned()
}

/// Splits camel case and digits from letters: `HTTPServer2` is `HTTP`, `Server`, `2`.
fn parts(run: &[char]) -> Vec<&[char]> {
    let mut bounds = vec![0];
    for (at, window) in run.windows(2).enumerate() {
        let [a, b] = window else { continue };
        let after = run.get(at + 2);
        let camel = a.is_lowercase() && b.is_uppercase();
        let acronym =
            a.is_uppercase() && b.is_uppercase() && after.is_some_and(|c| c.is_lowercase());
        if camel || acronym || a.is_numeric() != b.is_numeric() {
            bounds.push(at + 1);
        }
    }
    bounds.push(run.len());
    bounds
        .windows(2)
        .filter_map(|pair| run.get(*pair.first()?..*pair.get(1)?))
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn identifiers_paths_and_plurals() {
        assert_eq!(
            tokens("parseHTTPRequest"),
            ["parsehttprequest", "pars", "http", "request"]
        );
        assert_eq!(tokens("src/store/mod.rs"), ["src", "stor", "mod", "rs"]);
        assert_eq!(tokens("Options, sessions"), ["option", "session"]);
        assert_eq!(tokens("caching cached"), ["cach", "cach"]);
        assert_eq!(tokens("Straße CAFÉ"), ["straße", "café"]);
    }

    #[test]
    fn scripts_without_spaces_are_found_by_any_part() {
        assert_eq!(tokens("決定木"), ["決", "定", "木", "決定", "定木"]);
    }

    #[test]
    fn a_long_run_is_cut_between_characters() {
        assert!(tokens(&"é".repeat(500)).iter().all(|term| term.len() <= 64));
    }
}
