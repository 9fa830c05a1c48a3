//! The core has no world and no order that leaks. `core/clippy.toml` says the same with reasons to who writes; this says
//! it for every build, features and targets apart.

use deciduous_tidy::{Source, Word, files_under, hold, words};

/// Names that stand for something the core is told, or for a map whose order is chance.
const TYPES: [&str; 6] = [
    "HashMap",
    "HashSet",
    "RandomState",
    "SystemTime",
    "Instant",
    "OsRng",
];

/// Modules of `std` that reach outside.
const MODULES: [&str; 8] = ["env", "fs", "io", "net", "os", "process", "thread", "time"];

fn findings(source: &Source) -> Vec<String> {
    let words = words(source);
    let mut findings = Vec::new();
    let mut finding = |word: &Word, name: &str| {
        findings.push(format!("{}:{}: names `{name}`", source.path, word.line()))
    };
    for (at, word) in words.iter().enumerate() {
        if let Some(name) = TYPES.iter().find(|name| word.is_name(name)) {
            finding(word, name);
        }
        let follows = |at: usize, sign: char| words.get(at).is_some_and(|word| word.is_sign(sign));
        if word.is_name("std") && follows(at + 1, ':') && follows(at + 2, ':') {
            for (word, name) in first_names(&words[at + 3..]) {
                if MODULES.contains(&name) {
                    finding(word, &format!("std::{name}"));
                }
            }
        }
    }
    findings
}

/// What `std::` is followed by: one name, or the first name of each part of a `{…}`.
fn first_names(words: &[Word]) -> Vec<(&Word, &str)> {
    let name = |word| Word::name(word).map(|name| (word, name));
    if !words.first().is_some_and(|word| word.is_sign('{')) {
        return words.first().and_then(name).into_iter().collect();
    }
    let mut names = Vec::new();
    let mut depth = 0;
    let mut begins = false;
    for word in words {
        if begins && depth == 1 {
            names.extend(name(word));
        }
        begins = word.is_sign('{') || word.is_sign(',');
        depth += i32::from(word.is_sign('{'));
        depth -= i32::from(word.is_sign('}'));
        if depth == 0 {
            break;
        }
    }
    names
}

#[test]
fn the_core_names_nothing_outside() {
    let sources = files_under("core", &["rs"]);
    hold(
        sources
            .iter()
            .filter(|source| !source.is_test())
            .flat_map(findings)
            .collect(),
    );
}

#[test]
fn sees_every_way_out() {
    let text = "use std::collections::HashMap;\nuse std::{fmt, fs::File, time};\nfn a() { std::env::var(\"x\"); Instant::now(); }\n";
    let found = findings(&Source::new("core/src/a.rs", text));
    assert_eq!(found.len(), 5, "{found:?}");
    let good = "use std::{fmt, collections::{BTreeMap, BTreeSet}};\nuse crate::time;\n#[cfg(test)]\nmod tests { use std::fs; }\n";
    assert_eq!(findings(&Source::new("core/src/a.rs", good)), [""; 0]);
}
