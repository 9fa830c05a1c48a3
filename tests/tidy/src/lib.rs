//! What the rules of the house are written with.
//!
//! A rule is a file in `tests/`: a function from text to findings, a test that runs it over the tree, and a test that
//! shows it a bad sample, because a rule that cannot fail keeps nothing. Owns: reading the tree and its code. Never: a rule.
//!
//! ```text
//! files(&["rs"]) -> words(&text) -> findings -> hold(findings)
//! ```
#![forbid(unsafe_code)]

mod cargo;
mod code;
mod rust;
mod script;
mod tree;

pub use cargo::{metadata, path_dependencies};
pub use code::{Word, without_tests, words};
pub use tree::{Source, files, files_under, root};

/// Fails with every finding at once, one a line.
///
/// # Panics
/// When there is one.
pub fn hold(findings: Vec<String>) {
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}
