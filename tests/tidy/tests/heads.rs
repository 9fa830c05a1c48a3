//! Every Rust file begins with what it is for.

use deciduous_tidy::{Source, files, hold};

fn headless(sources: &[Source]) -> Vec<String> {
    let has_head = |source: &Source| source.text.trim_start().starts_with("//!");
    sources
        .iter()
        .filter(|source| !has_head(source))
        .map(|source| format!("{}: begins without `//!`", source.path))
        .collect()
}

#[test]
fn every_file_has_a_head() {
    hold(headless(&files(&["rs"])));
}

#[test]
fn sees_a_missing_head() {
    let samples = [
        Source::new("a.rs", "fn main() {}\n"),
        Source::new("b.rs", "\n//! Is for b.\n"),
    ];
    assert_eq!(headless(&samples).len(), 1);
}
