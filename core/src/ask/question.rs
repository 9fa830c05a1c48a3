//! What a question asks for: words, named things, and hints at types, statuses and time.
//!
//! No language is understood here. A word either hints (`rejected`, `decisions`, `lately`), or is looked for, or says nothing.

use crate::model::reference::NodeRef;
use crate::model::{NodeType, Status};
use crate::text::query::Query;
use crate::text::stem;
use std::collections::BTreeSet;

/// Where answers are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    All,
    Active,
    Decisions,
    Goals,
    Observations,
    Recent,
}

impl Scope {
    pub(crate) const ALL: &'static [Scope] = &[
        Scope::All,
        Scope::Active,
        Scope::Decisions,
        Scope::Goals,
        Scope::Observations,
        Scope::Recent,
    ];

    /// The name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scope::All => "all",
            Scope::Active => "active",
            Scope::Decisions => "decisions",
            Scope::Goals => "goals",
            Scope::Observations => "observations",
            Scope::Recent => "recent",
        }
    }
}

/// A question, read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    /// What is looked for in the texts.
    pub query: Query,
    /// Nodes named by number.
    pub numbers: Vec<u32>,
    pub kinds: BTreeSet<NodeType>,
    pub statuses: BTreeSet<Status>,
    /// It asks for reasons.
    pub why: bool,
    /// It asks for what is new.
    pub recent: bool,
}

impl Question {
    pub(crate) fn read(text: &str) -> Question {
        let mut question = Question::default();
        let mut rest = String::with_capacity(text.len());
        for part in text.split_inclusive(char::is_whitespace) {
            let bare = part.trim_matches(|c: char| c.is_whitespace() || "?!.,;:()".contains(c));
            match NodeRef::parse(bare).filter(|_| bare.starts_with('#')) {
                Some(NodeRef::Number(id)) => question.numbers.push(id),
                _ => rest.push_str(part),
            }
        }
        let mut query = Query::all_words(&rest);
        let quoted = |word: &str| {
            query
                .phrases
                .iter()
                .any(|(written, _)| written.contains(word))
        };
        let mut hints = BTreeSet::new();
        for word in &query.words {
            let lower = word.text.to_lowercase();
            if word.ways.len() == 1 && !quoted(&word.text) && question.hint(&lower) {
                hints.insert(word.text.clone());
            }
        }
        query
            .words
            .retain(|word| !word.stop && !hints.contains(&word.text));
        query.words.truncate(24);
        question.query = query;
        question
    }

    /// Takes a word as a hint, if it is one.
    fn hint(&mut self, word: &str) -> bool {
        let stemmed = stem(word);
        let kind = NodeType::ALL
            .iter()
            .copied()
            .find(|kind| stem(kind.name()) == stemmed);
        let status = Status::ALL
            .iter()
            .copied()
            .find(|status| stem(status.name()) == stemmed);
        match word {
            "why" | "reason" | "reasons" | "rationale" | "because" => self.why = true,
            "recent" | "recently" | "latest" | "lately" | "newest" => self.recent = true,
            "decide" | "decided" | "chose" | "choose" | "chosen" | "picked" | "pick" => {
                self.kinds.insert(NodeType::Decision);
            }
            "alternative" | "alternatives" | "considered" => {
                self.kinds.insert(NodeType::Option);
            }
            "result" | "results" => {
                self.kinds.insert(NodeType::Outcome);
            }
            "open" => self.statuses.extend([Status::Pending, Status::Active]),
            "replaced" | "overturned" => {
                self.statuses.insert(Status::Superseded);
            }
            _ => {
                self.kinds.extend(kind);
                self.statuses.extend(status);
                return kind.is_some() || status.is_some();
            }
        }
        true
    }

    /// Whether it names anything at all.
    pub(crate) fn asks(&self) -> bool {
        !self.query.words.is_empty()
            || !self.numbers.is_empty()
            || !self.kinds.is_empty()
            || !self.statuses.is_empty()
            || self.recent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(question: &Question) -> Vec<&str> {
        question
            .query
            .words
            .iter()
            .map(|word| word.text.as_str())
            .collect()
    }

    #[test]
    fn hints_are_told_from_what_is_looked_for() {
        let question = Question::read("Why did we choose Postgres over SQLite in #12?");
        assert!(question.why);
        assert_eq!(words(&question), ["Postgres", "over", "SQLite"]);
        assert_eq!(question.numbers, [12]);
        assert_eq!(question.kinds, BTreeSet::from([NodeType::Decision]));
    }

    #[test]
    fn types_and_statuses_in_any_form() {
        let question = Question::read("which options were rejected lately?");
        assert!(words(&question).is_empty() && question.recent && question.asks());
        assert_eq!(question.kinds, BTreeSet::from([NodeType::Option]));
        assert_eq!(question.statuses, BTreeSet::from([Status::Rejected]));
    }

    #[test]
    fn what_is_quoted_is_looked_for() {
        assert_eq!(
            words(&Question::read("where is \"the rejected option\"")),
            ["the", "rejected", "option"]
        );
        assert!(!Question::read("why is it so?").asks() || Question::read("why is it so?").why);
    }
}
