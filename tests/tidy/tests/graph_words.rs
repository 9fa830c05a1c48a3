//! No host names a word of the graph: if it needs one, the core lacks a tool or a column.

use std::fs;

use deciduous_tidy::{Source, Word, files_under, hold, root, words};
use serde_json::Value;

const HOSTS: [&str; 2] = ["host-native/src", "host-web/src"];
const CODE: [&str; 6] = ["rs", "ts", "tsx", "js", "mjs", "css"];

/// Words that are ordinary in a program too. A host may name a thing so, but it may not say the word.
const ORDINARY: [&str; 13] = [
    "action",
    "active",
    "blocks",
    "chosen",
    "completed",
    "done",
    "enables",
    "feedback",
    "option",
    "outcome",
    "pending",
    "rejected",
    "requires",
];

/// The names in the catalogue's vocabulary.
fn vocabulary(catalogue: &Value) -> Vec<String> {
    let lists = ["node_types", "statuses", "edge_types"].map(|list| &catalogue["vocabulary"][list]);
    let names = lists
        .into_iter()
        .flat_map(|list| list.as_array().into_iter().flatten());
    names
        .filter_map(|entry| entry["name"].as_str().map(str::to_owned))
        .collect()
}

/// `GoalCount`, `goalCount` and `GOAL_COUNT` as `goal_count`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut after_small = false;
    for sign in name.chars() {
        if sign.is_uppercase() && after_small {
            snake.push('_');
        }
        after_small = sign.is_lowercase() || sign.is_ascii_digit();
        snake.extend(sign.to_lowercase());
    }
    snake
}

/// Whether a name has the word in it as a part of its own.
fn names(name: &str, word: &str) -> bool {
    format!("_{}_", snake(name)).contains(&format!("_{word}_"))
}

/// Whether a string is the word, or quotes it, as SQL would.
fn says(text: &str, word: &str) -> bool {
    let quotes = ["'", "\"", "\\\"", "`"];
    text == word
        || quotes
            .iter()
            .any(|quote| text.contains(&format!("{quote}{word}{quote}")))
}

fn findings(source: &Source, vocabulary: &[String]) -> Vec<String> {
    let mut findings = Vec::new();
    for found in words(source) {
        for word in vocabulary {
            let (kind, is_found) = match &found {
                Word::Name { text, .. } => (
                    "names",
                    !ORDINARY.contains(&word.as_str()) && names(text, word),
                ),
                Word::Text { text, .. } => ("says", says(text, word)),
                Word::Sign { .. } => continue,
            };
            if is_found {
                findings.push(format!("{}:{}: {kind} `{word}`", source.path, found.line()));
            }
        }
    }
    findings
}

#[test]
fn no_host_names_a_graph_word() {
    let path = root().join("bindings/schema/catalog.json");
    let text = fs::read_to_string(&path)
        .expect("`bindings/schema/catalog.json`; run `cargo xtask generate`");
    let vocabulary = vocabulary(&serde_json::from_str(&text).expect("JSON"));
    assert!(
        vocabulary.len() > 15,
        "the catalogue has no vocabulary: {vocabulary:?}"
    );
    for ordinary in ORDINARY {
        assert!(
            vocabulary.iter().any(|word| word == ordinary),
            "`{ordinary}` is not in the vocabulary"
        );
    }
    let sources = HOSTS
        .iter()
        .flat_map(|host| files_under(host, &CODE))
        .filter(|source| !source.is_test());
    hold(
        sources
            .flat_map(|source| findings(&source, &vocabulary))
            .collect(),
    );
}

#[test]
fn sees_a_word_in_every_dress() {
    let vocabulary = ["goal", "leads_to", "done"].map(str::to_owned);
    let rust = "enum A { Goal }\nfn goal_count() {}\nconst LEADS_TO: u8 = 1;\nconst B: &str = \"done\";\n\
                const C: &str = \"where type = 'goal'\";\n";
    let found = findings(&Source::new("host-native/src/a.rs", rust), &vocabulary);
    assert_eq!(found.len(), 5, "{found:?}");
    let script = findings(
        &Source::new("host-web/src/a.ts", "const isGoal = x === 'leads_to';"),
        &vocabulary,
    );
    assert_eq!(script.len(), 2, "{script:?}");
}

#[test]
fn lets_ordinary_code_be() {
    let vocabulary = ["goal", "done", "option"].map(str::to_owned);
    let text = "// a goal\n/// The goal.\nfn done(x: Option<u8>) { say(\"no goals are done\"); }\n#[cfg(test)]\nmod tests { fn goal() {} }\n";
    assert_eq!(
        findings(&Source::new("host-native/src/a.rs", text), &vocabulary),
        [""; 0]
    );
}
