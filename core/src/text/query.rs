//! What a query asks for: its words with their terms, and the phrases in quotes.
//!
//! `parseHTTPRequest "exact words"` is one word, found whole or by all of its parts, and one phrase.

use crate::text::stop::is_stop_word;
use crate::text::tokenize::{Term, folded_words, words};
use std::collections::BTreeSet;

/// More words than this are not looked at: a longer query is a pasted text, and its first words name it.
const MOST_WORDS: usize = 24;
/// Terms asked for at once; each costs a list of postings.
const MOST_TERMS: usize = 64;

/// One word of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// As written.
    pub text: String,
    /// The word is in a text when every term of one of these is.
    pub ways: Vec<Vec<String>>,
    /// It looks like the name of a thing, or stands in quotes.
    pub named: bool,
    /// It says nothing by itself.
    pub stop: bool,
}

/// A query or question, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// Words to look for, each once.
    pub words: Vec<Word>,
    /// Phrases in quotes of at least two words: as written, and folded.
    pub phrases: Vec<(String, String)>,
    /// The whole text folded, to be recognized where it stands as it is.
    pub folded: String,
}

impl Query {
    /// Reads a query. Stop words outside quotes are left out where other words remain.
    pub(crate) fn read(text: &str) -> Query {
        let mut query = Query::all_words(text);
        if query.words.iter().any(|word| !word.stop) {
            query.words.retain(|word| !word.stop);
        }
        query.words.truncate(MOST_WORDS);
        query
    }

    /// As [`Query::read`], with stop words and all.
    pub(crate) fn all_words(text: &str) -> Query {
        let mut query = Query {
            folded: folded_words(text),
            ..Query::default()
        };
        // Parts with odd numbers stand in quotes; a quote that is never closed is none.
        let parts: Vec<&str> = text.split(['"', '“', '”', '„']).collect();
        let closed = parts.len() - (parts.len() + 1) % 2;
        for (at, part) in parts.iter().enumerate() {
            let quoted = at % 2 == 1 && at < closed;
            let before = query.words.len();
            for term in words(part) {
                query.push(&term, quoted, at == 0 && query.words.is_empty());
            }
            if quoted && query.words.len() > before {
                let folded = folded_words(part);
                if folded.contains(' ') {
                    query.phrases.push((part.trim().to_owned(), folded));
                }
            }
        }
        query
    }

    fn push(&mut self, term: &Term, quoted: bool, first: bool) {
        let mut ways = vec![term.terms.clone()];
        if let Some(parts) = &term.parts {
            ways.push(parts.clone());
        }
        if self.words.iter().any(|word| word.ways == ways) {
            return;
        }
        self.words.push(Word {
            text: term.text.clone(),
            ways,
            named: quoted || is_name(&term.text, first),
            stop: !quoted && is_stop_word(&term.text.to_lowercase()),
        });
    }

    /// Every term that is looked for, each once.
    pub(crate) fn terms(&self) -> Vec<String> {
        let terms: BTreeSet<&String> = self
            .words
            .iter()
            .flat_map(|word| word.ways.iter().flatten())
            .collect();
        terms.into_iter().take(MOST_TERMS).cloned().collect()
    }
}

/// Whether a word looks like the name of a thing: a capital that is not a sentence's first, or letters with digits.
fn is_name(word: &str, first: bool) -> bool {
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let inner = word.chars().skip(1).any(char::is_uppercase);
    let digits = word.chars().any(|c| c.is_ascii_digit());
    let letters = word.chars().any(char::is_alphabetic);
    word.chars().count() > 1 && ((capitals > 0 && !first) || inner || (digits && letters))
}

#[cfg(test)]
mod tests {
    use super::Query;

    fn texts(query: &Query) -> Vec<&str> {
        query.words.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn stop_words_go_unless_nothing_else_is_left_or_they_are_quoted() {
        assert_eq!(
            texts(&Query::read("why did we choose Postgres")),
            ["choose", "Postgres"]
        );
        assert_eq!(texts(&Query::read("why")), ["why"]);
        assert_eq!(
            texts(&Query::read("\"the who\" tickets")),
            ["the", "who", "tickets"]
        );
        assert_eq!(texts(&Query::read(" ,;! ")), [""; 0]);
    }

    #[test]
    fn identifiers_are_found_whole_or_by_their_parts() {
        let query = Query::read("parseHTTPRequest");
        let ways = &query.words.first().expect("one word").ways;
        assert_eq!(
            *ways,
            [vec!["parsehttprequest"], vec!["pars", "http", "request"]]
        );
        let query = Query::read("決定木");
        assert_eq!(
            query.words.first().expect("one word").ways,
            [vec!["決", "定", "木", "決定", "定木"]]
        );
        assert_eq!(Query::read("caches cache Cached").words.len(), 1);
    }

    #[test]
    fn names_and_phrases() {
        let named = |text: &str| -> Vec<String> {
            Query::read(text)
                .words
                .into_iter()
                .filter(|word| word.named)
                .map(|word| word.text)
                .collect()
        };
        assert_eq!(
            named("Why Kafka and sha256 but not redis?"),
            ["Kafka", "sha256"]
        );
        assert_eq!(named("Postgres"), [""; 0]);
        assert_eq!(named("is \"redis\" there"), ["redis"]);
        let query = Query::read("say \"Token Bucket!\" and \"open");
        assert_eq!(
            query.phrases,
            [("Token Bucket!".to_owned(), "token bucket".to_owned())]
        );
    }
}
