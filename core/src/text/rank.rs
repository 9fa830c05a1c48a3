//! Ranking of search hits, in whole numbers, so that the same question has the same answer on every machine.
//!
//! First by what the index tells (which terms, how rare, how long a text), then exactly, from the texts of the best.

use crate::text::query::{Query, Word};
use crate::text::tokenize::{folded_words, is_unspaced, tokens};
use std::collections::BTreeMap;

/// Weights count in 1/1024.
const ONE: u64 = 1_024;
/// A text of this many terms halves the weight of its length.
const USUAL_LENGTH: u64 = 64;
/// Only so much of a long text is read word by word; the index knows the rest.
const READ_BYTES: usize = 64 << 10;
/// Characters of an excerpt.
const EXCERPT: usize = 160;

/// The binary logarithm of a number from 1 on, in 1/1024; exact to the last bit everywhere, unlike a float's.
pub(crate) fn log2(number: u64) -> u64 {
    let number = number.max(1);
    let whole = u64::from(63 - number.leading_zeros());
    // The mantissa in 1.31 fixed point; each squaring gives one bit more of the fraction.
    let mut mantissa = if whole >= 31 {
        number >> (whole - 31)
    } else {
        number << (31 - whole)
    };
    let mut bits = 0;
    for _ in 0..10 {
        mantissa = (mantissa * mantissa) >> 31;
        bits <<= 1;
        if mantissa >= 1 << 32 {
            mantissa >>= 1;
            bits |= 1;
        }
    }
    whole * ONE + bits
}

/// How much a term that `df` of `docs` documents hold tells: rare ones more.
pub(crate) fn rarity(docs: u32, df: u32) -> u64 {
    let (docs, df) = (u64::from(docs.max(df)), u64::from(df));
    log2(2 * docs + 2).saturating_sub(log2(2 * df + 1)) + ONE / 8
}

/// A word's weight from its terms' rarity: that of the rarest way to say it.
pub(crate) fn word_weight(word: &Word, rarities: &BTreeMap<&str, u64>) -> u64 {
    let of = |way: &Vec<String>| {
        way.iter()
            .filter_map(|term| rarities.get(term.as_str()))
            .max()
            .copied()
    };
    word.ways.iter().filter_map(of).max().unwrap_or(0)
}

/// What a word counts in a document of `length` terms, before its text is read.
pub(crate) fn before_reading(weight: u64, length: u8) -> u64 {
    weight * 2 * USUAL_LENGTH / (USUAL_LENGTH + u64::from(length))
}

/// The texts of a hit, by how much they count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texts<'a> {
    pub title: &'a str,
    pub description: Option<&'a str>,
    pub prompt: Option<&'a str>,
}

impl<'a> Texts<'a> {
    fn fields(&self) -> [(&'static str, u64, Option<&'a str>); 3] {
        [
            ("title", 6, Some(self.title)),
            ("description", 3, self.description),
            ("prompt", 2, self.prompt),
        ]
    }
}

/// How a hit fits a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fit {
    pub score: u64,
    /// For each word of the query whether it was found.
    pub words: Vec<bool>,
    /// For each phrase of the query whether it was found.
    pub phrases: Vec<bool>,
    /// Field to the words found in it, and phrases.
    pub why: Vec<(&'static str, Vec<String>)>,
    /// What stands around the first word that is not in the title.
    pub excerpt: Option<String>,
}

impl Fit {
    /// Every word and phrase.
    pub(crate) fn is_whole(&self) -> bool {
        self.words.iter().chain(&self.phrases).all(|found| *found)
    }

    /// `title: token, auth; description: cookie`.
    pub(crate) fn reason(&self) -> String {
        let fields: Vec<String> = self
            .why
            .iter()
            .map(|(field, words)| format!("{field}: {}", words.join(", ")))
            .collect();
        fields.join("; ")
    }
}

/// Reads the texts of a hit. `weights` belong to the query's words; `known` says by bit which words the index found already,
/// also where a long text is not read to its end.
pub(crate) fn fit(query: &Query, weights: &[u64], known: u32, texts: &Texts) -> Fit {
    let mut fit = Fit {
        words: (0..query.words.len())
            .map(|n| n < 32 && known >> n & 1 == 1)
            .collect(),
        phrases: vec![false; query.phrases.len()],
        ..Fit::default()
    };
    let last = query.words.len().saturating_sub(1);
    for (field, weight, text) in texts.fields() {
        let Some(text) = text.map(beginning) else {
            continue;
        };
        let found = Field::read(text);
        let mut here = Vec::new();
        for (at, (word, rarity)) in query.words.iter().zip(weights).enumerate() {
            let times = found.times(word);
            if times > 0 {
                fit.score += weight * rarity * found.share(times) / ONE;
                here.push(word.text.to_lowercase());
                if let Some(mark) = fit.words.get_mut(at) {
                    *mark = true;
                }
                if field != "title" && fit.excerpt.is_none() {
                    fit.excerpt = Some(excerpt(text, word));
                }
            } else if at == last && found.begins(word) {
                // A last word may be half typed.
                fit.score += weight * rarity.max(&ONE) / 4;
            }
        }
        let total: u64 = weights.iter().sum();
        let folded = if query.words.len() > 1 || !query.phrases.is_empty() || field == "title" {
            folded_words(text)
        } else {
            String::new()
        };
        for (mark, (written, phrase)) in fit.phrases.iter_mut().zip(&query.phrases) {
            if holds(&folded, phrase) {
                *mark = true;
                fit.score += weight * total / 4;
                here.push(format!("\"{written}\""));
            }
        }
        if field == "title" && folded == query.folded {
            fit.score += weight * total;
        } else if query.words.len() > 1 && query.phrases.is_empty() && holds(&folded, &query.folded)
        {
            fit.score += weight * total / 4;
        }
        if !here.is_empty() {
            fit.why.push((field, here));
        }
    }
    fit
}

fn beginning(text: &str) -> &str {
    let mut cut = text.len().min(READ_BYTES);
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    text.get(..cut).unwrap_or_default()
}

/// A field's terms with how often each stands in it.
struct Field {
    counts: BTreeMap<String, u64>,
    length: u64,
}

impl Field {
    fn read(text: &str) -> Field {
        let (mut counts, mut length) = (BTreeMap::new(), 0);
        for term in tokens(text) {
            *counts.entry(term).or_default() += 1;
            length += 1;
        }
        Field { counts, length }
    }

    fn times(&self, word: &Word) -> u64 {
        let all = |way: &Vec<String>| {
            way.iter()
                .map(|term| self.counts.get(term).copied().unwrap_or(0))
                .min()
        };
        word.ways.iter().filter_map(all).max().unwrap_or(0)
    }

    /// What `times` occurrences count: soon no more, and less in a long text.
    fn share(&self, times: u64) -> u64 {
        ONE * 2 * USUAL_LENGTH * times
            / (USUAL_LENGTH * times + USUAL_LENGTH / 2 + self.length.min(1_000) / 2)
    }

    fn begins(&self, word: &Word) -> bool {
        let start = word.text.to_lowercase();
        let next = self.counts.range(start.clone()..).next();
        start.chars().count() > 1 && next.is_some_and(|(term, _)| term.starts_with(&start))
    }
}

/// Whether folded words stand in a folded text as whole words (parts are words in scripts without spaces).
fn holds(text: &str, phrase: &str) -> bool {
    if phrase.is_empty() {
        return false;
    }
    let free = |c: Option<char>| c.is_none_or(|c| c == ' ' || is_unspaced(c));
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text
            .get(at + phrase.len()..)
            .and_then(|text| text.chars().next());
        let (first, last) = (phrase.chars().next(), phrase.chars().next_back());
        (free(before) || first.is_some_and(is_unspaced))
            && (free(behind) || last.is_some_and(is_unspaced))
    })
}

/// The text around a word, on one line.
fn excerpt(text: &str, word: &Word) -> String {
    let is_it = |part: &str| {
        let terms = tokens(part);
        word.ways
            .iter()
            .any(|way| way.iter().all(|term| terms.contains(term)))
    };
    let parts: Vec<&str> = text.split_whitespace().collect();
    let at = parts.iter().position(|part| is_it(part)).unwrap_or(0);
    let start = at.saturating_sub(8);
    let line = parts.get(start..).unwrap_or_default().join(" ");
    let dots = if start > 0 { "… " } else { "" };
    format!("{dots}{}", crate::text::shorten(&line, EXCERPT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(query: &str, title: &str, description: Option<&str>) -> Fit {
        let query = Query::read(query);
        let weights = vec![4 * ONE; query.words.len()];
        fit(
            &query,
            &weights,
            0,
            &Texts {
                title,
                description,
                prompt: None,
            },
        )
    }

    #[test]
    fn logarithms_are_exact_in_their_bits() {
        assert_eq!(
            [1, 2, 1024, 1 << 40].map(log2),
            [0, ONE, 10 * ONE, 40 * ONE]
        );
        assert_eq!([3, 10, 1_000_003].map(log2), [1623, 3401, 20409]);
        assert!((1..5_000_u64).all(|n| log2(n) <= log2(n + 1)));
    }

    #[test]
    fn rare_terms_tell_more_and_every_term_tells_something() {
        assert!(rarity(1_000, 1) > rarity(1_000, 10));
        assert!(rarity(1_000, 1_000) > 0);
        assert!(rarity(0, 0) > 0);
    }

    #[test]
    fn a_title_counts_more_than_a_description() {
        let title = score("token", "Token bucket", Some("Limits requests"));
        let description = score(
            "token",
            "Rate limiter",
            Some("A token bucket limits requests"),
        );
        assert!(title.score > description.score);
        assert_eq!(title.reason(), "title: token");
        assert_eq!(description.reason(), "description: token");
        assert_eq!(
            description.excerpt.as_deref(),
            Some("A token bucket limits requests")
        );
    }

    #[test]
    fn the_whole_title_before_a_phrase_before_scattered_words() {
        let whole = score("token bucket", "Token bucket", None).score;
        let phrase = score("token bucket", "A token bucket for each caller", None).score;
        let scattered = score(
            "token bucket",
            "A bucket with a token for each caller",
            None,
        )
        .score;
        assert!(whole > phrase && phrase > scattered);
    }

    #[test]
    fn phrases_in_quotes_must_stand_as_they_are() {
        assert!(score("\"token bucket\"", "One token-bucket each", None).is_whole());
        assert!(!score("\"token bucket\"", "A bucket of token", None).is_whole());
        assert!(!score("\"oken bucket\"", "Token bucket", None).is_whole());
        assert!(score("\"定木\"", "決定木の学習", None).is_whole());
    }

    #[test]
    fn plurals_identifiers_and_scripts_without_spaces() {
        assert!(score("sessions", "A session", None).is_whole());
        assert!(score("HTTP request", "parseHTTPRequest fails", None).is_whole());
        assert!(score("parseHTTPRequest", "parse the HTTP request", None).is_whole());
        assert!(score("決定", "決定木の学習", None).is_whole());
        assert!(!score("木決", "決定木の学習", None).is_whole());
    }

    #[test]
    fn a_half_typed_last_word_counts_a_little() {
        let half = score("use authen", "Authentication by cookie", None);
        assert!(half.score > 0 && !half.is_whole());
        assert_eq!(score("use authen", "Cookies", None).score, 0);
    }

    #[test]
    fn long_texts_with_wide_characters_do_not_break() {
        let long = "é🦀 ".repeat(40_000);
        assert_eq!(score("crab", "x", Some(&long)).score, 0);
        assert!(score("é", "x", Some(&long)).score > 0);
    }
}
