//! Code as words: what it names and what it says, without its comments.

use crate::tree::Source;
use crate::{rust, script};

/// One word of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// A name, a keyword too.
    Name { text: String, line: usize },
    /// A string, without its quotes.
    Text { text: String, line: usize },
    /// A sign, or an opening or closing bracket.
    Sign { text: char, line: usize },
}

impl Word {
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Name { text, .. } => Some(text),
            Self::Text { .. } | Self::Sign { .. } => None,
        }
    }

    #[must_use]
    pub fn is_name(&self, name: &str) -> bool {
        self.name() == Some(name)
    }

    #[must_use]
    pub fn is_sign(&self, sign: char) -> bool {
        matches!(self, Self::Sign { text, .. } if *text == sign)
    }

    #[must_use]
    pub fn line(&self) -> usize {
        match self {
            Self::Name { line, .. } | Self::Text { line, .. } | Self::Sign { line, .. } => *line,
        }
    }
}

/// The words of a file that is no test, without the tests in it.
///
/// # Panics
/// When a Rust file does not lex: then it does not compile either.
#[must_use]
pub fn words(source: &Source) -> Vec<Word> {
    if source.path.ends_with(".rs") {
        rust::words(&source.path, &source.text)
    } else {
        script::words(&source.text)
    }
}

/// The lines of a Rust file down to its tests, which stand at its end.
#[must_use]
pub fn without_tests(text: &str) -> &str {
    match text.find("\n#[cfg(test)]\nmod ") {
        Some(at) => &text[..at],
        None => text,
    }
}
