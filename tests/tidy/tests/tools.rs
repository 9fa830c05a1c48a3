//! A tool is a file, a line in its toolset's list, and at least two vectors: an answer and a refusal.

use std::collections::BTreeMap;

use deciduous_tidy::{Source, files_under, hold, words};
use serde_json::Value;

const TOOLS: &str = "core/src/tools/";
const VECTORS: &str = "tests/vectors/";

/// Toolsets that speak the tools of another one's folder: (folder, toolset).
const SPOKEN: [(&str, &str); 1] = [("shared", "all")];

/// `(toolset, tool)` of a path such as `core/src/tools/local/add_node.rs`.
fn tool(path: &str) -> Option<(&str, &str)> {
    let (toolset, file) = path.strip_prefix(TOOLS)?.split_once('/')?;
    let tool = file
        .strip_suffix(".rs")
        .filter(|tool| !tool.contains('/') && *tool != "mod")?;
    Some((toolset, tool))
}

/// What a tool's vectors show.
#[derive(Clone, Copy, Default)]
struct Shown {
    answers: usize,
    refusals: usize,
}

/// The vectors below `tests/vectors/<toolset>/<tool>/`, for each tool; a step counts that calls it and says what follows.
fn vectors(sources: &[Source]) -> BTreeMap<String, Shown> {
    let mut shown: BTreeMap<String, Shown> = BTreeMap::new();
    for source in sources {
        let path = source.path.strip_prefix(VECTORS).unwrap_or_default();
        let [toolset, tool, _] = path.splitn(3, '/').collect::<Vec<_>>()[..] else {
            continue;
        };
        let shown = shown.entry(format!("{toolset}/{tool}")).or_default();
        let vector: Value = serde_json::from_str(&source.text).unwrap_or_default();
        let steps = vector["steps"].as_array().into_iter().flatten();
        for step in steps.filter(|step| step["tool"] == tool) {
            shown.answers += usize::from(step["expect"].get("output").is_some());
            shown.refusals += usize::from(step["expect"].get("refused").is_some());
        }
    }
    shown
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
        let spoken = SPOKEN.iter().filter(|(folder, _)| *folder == toolset);
        let toolsets = spoken.map(|(_, spoken)| *spoken).chain([toolset]);
        let found: Vec<Shown> = toolsets
            .filter_map(|toolset| vectors.get(&format!("{toolset}/{tool}")).copied())
            .collect();
        let sum = |count: fn(&Shown) -> usize| found.iter().map(count).sum::<usize>();
        for (what, count) in [
            ("answer", sum(|shown| shown.answers)),
            ("refusal", sum(|shown| shown.refusals)),
        ] {
            if count == 0 {
                findings.push(format!("{}: no vector shows its {what}", source.path));
            }
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
    let vector = |tool: &str, name: &str, expect: &str| {
        let text = format!(r#"{{"steps":[{{"tool":"{tool}","expect":{{"{expect}":{{}}}}}}]}}"#);
        Source::new(&format!("tests/vectors/local/{tool}/{name}.json"), &text)
    };
    let vectors = [
        vector("add_node", "first", "output"),
        vector("add_node", "unknown", "refused"),
        vector("delete_node", "first", "output"),
    ];
    let found = findings(&[list, listed, forgotten], &vectors);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|finding| finding.contains("delete_node")));
}
