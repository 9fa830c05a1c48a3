//! The tree speaks of the program only: not of the machine on which it was written, nor of who wrote it, nor of where a
//! package manager looks.

use deciduous_tidy::{Source, files, hold};

/// Files that package managers write.
const LOCKS: [&str; 4] = [
    "Cargo.lock",
    "package-lock.json",
    "uv.lock",
    "pnpm-lock.yaml",
];

/// In two parts each, so that this file does not say them.
const PATHS: [[&str; 2]; 3] = [["/wo", "rk/"], ["/ro", "ot/"], ["/tmp/bash", "_jobs"]];
const HOSTS: [[&str; 2]; 8] = [
    ["crates", ".io"],
    ["npmjs", "."],
    ["pypi", ".org"],
    ["pythonhosted", ".org"],
    ["static.rust", "-lang.org"],
    ["deb.debian", ".org"],
    ["proxy.golang", ".org"],
    ["rubygems", ".org"],
];
const WORDS: [[&str; 2]; 4] = [
    ["work", "place"],
    ["team ", "lead"],
    ["sub", "agent"],
    ["helper ", "session"],
];

fn findings(source: &Source) -> Vec<String> {
    let mut findings = Vec::new();
    for (at, line) in source.text.lines().enumerate() {
        let lower = line.to_lowercase();
        let joined = |parts: &[&str; 2]| parts.concat();
        let is_path = |path: &String| {
            let begins = |at: usize| {
                !line[..at]
                    .ends_with(|before: char| before.is_alphanumeric() || "._-/".contains(before))
            };
            line.match_indices(path.as_str()).any(|(at, _)| begins(at))
        };
        let found = PATHS.iter().map(joined).filter(is_path);
        let found = found.chain(
            HOSTS
                .iter()
                .chain(&WORDS)
                .map(joined)
                .filter(|word| lower.contains(word.as_str())),
        );
        findings
            .extend(found.map(|what| format!("{}:{}: speaks of `{what}`", source.path, at + 1)));
    }
    findings
}

#[test]
fn the_tree_speaks_of_the_program_only() {
    let sources = files(&[]);
    hold(
        sources
            .iter()
            .filter(|source| !LOCKS.contains(&source.name()))
            .flat_map(findings)
            .collect(),
    );
}

#[test]
fn sees_a_machine_a_host_and_an_author() {
    let bad = [PATHS[0], PATHS[1], HOSTS[0], HOSTS[1], WORDS[0]];
    for parts in bad {
        let line = format!("see {}x\n", parts.concat());
        assert_eq!(findings(&Source::new("a.md", &line)).len(), 1, "{line}");
    }
    let inside = format!("see some{}x\n", PATHS[0].concat());
    assert_eq!(findings(&Source::new("a.md", &inside)), [""; 0]);
}
