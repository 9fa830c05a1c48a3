//! A tool is a file, a line in its toolset's list, and at least two vectors: an answer and a refusal.

use std::collections::BTreeMap;

use deciduous_tidy::{Source, files_under, hold, words};

const TOOLS: &str = "core/src/tools/";
const VECTORS: &str = "tests/vectors/";

/// `(toolset, tool)` of a path such as `core/src/tools/local/add_node.rs`.
fn tool(path: &str) -> Option<(&str, &str)> {
    let (toolset, file) = path.strip_prefix(TOOLS)?.split_once('/')?;
    let tool = file
        .strip_suffix(".rs")
        .filter(|tool| !tool.contains('/') && *tool != "mod")?;
    Some((toolset, tool))
}

/// How many vectors each tool has, as `(toolset, tool)`: one for each file below `tests/vectors/<toolset>/<tool>/`.
fn vectors(sources: &[Source]) -> BTreeMap<(&str, &str), usize> {
    let mut counts = BTreeMap::new();
    for source in sources {
        let mut parts = source
            .path
            .strip_prefix(VECTORS)
            .unwrap_or_default()
            .splitn(3, '/');
        if let (Some(toolset), Some(tool), Some(_)) = (parts.next(), parts.next(), parts.next()) {
            *counts.entry((toolset, tool)).or_default() += 1;
        }
    }
    counts
}

fn findings(sources: &[Source], vector_files: &[Source]) -> Vec<String> {
    let vectors = vectors(vector_files);
    let mut findings = Vec::new();
    for source in sources {
        let Some((toolset, tool)) = tool(&source.path) else {
            continue;
        };
        let lists = [
            format!("{TOOLS}{toolset}/mod.rs"),
            format!("{TOOLS}{toolset}.rs"),
        ];
        let list = sources.iter().find(|source| lists.contains(&source.path));
        if !list.is_some_and(|list| words(list).iter().any(|word| word.is_name(tool))) {
            findings.push(format!(
                "{}: is not in the list of `{toolset}`",
                source.path
            ));
        }
        let count = vectors.get(&(toolset, tool)).copied().unwrap_or_default();
        if count < 2 {
            findings.push(format!(
                "{}: has {count} of 2 vectors in `{VECTORS}{toolset}/{tool}/`",
                source.path
            ));
        }
    }
    findings
}

#[test]
fn every_tool_is_listed_and_tested() {
    let sources = files_under(TOOLS, &["rs"]);
    assert!(
        sources.iter().any(|source| tool(&source.path).is_some()),
        "no tool is found in `{TOOLS}`"
    );
    hold(findings(&sources, &files_under(VECTORS, &["json"])));
}

#[test]
fn sees_a_tool_that_is_not_listed_or_not_tested() {
    let list = Source::new("core/src/tools/local/mod.rs", "list![add_node];");
    let listed = Source::new("core/src/tools/local/add_node.rs", "");
    let forgotten = Source::new("core/src/tools/local/delete_node.rs", "");
    let vectors = ["answer", "refusal"]
        .map(|name| Source::new(&format!("tests/vectors/local/add_node/{name}.json"), "{}"));
    let found = findings(&[list, listed, forgotten], &vectors);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|finding| finding.contains("delete_node")));
}
