//! The vectors' calls, as seeds.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[derive(Debug)]
pub struct Call {
    pub toolset: String,
    pub tool: String,
    pub args: Box<RawValue>,
}

/// Every call of every vector, in the order of their files.
pub fn calls() -> &'static [Call] {
    static CALLS: OnceLock<Vec<Call>> = OnceLock::new();
    CALLS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors");
        let mut calls = Vec::new();
        for toolset in ["local", "all", "store"] {
            for folder in listed(&root.join(toolset)) {
                for file in listed(&folder) {
                    let vector = fs::read(&file)
                        .ok()
                        .and_then(|text| serde_json::from_slice::<Value>(&text).ok());
                    let steps = vector
                        .as_ref()
                        .and_then(|vector| vector["steps"].as_array());
                    for step in steps.into_iter().flatten() {
                        calls.push(Call {
                            toolset: step["toolset"].as_str().unwrap_or(toolset).to_owned(),
                            tool: step["tool"].as_str().unwrap_or_default().to_owned(),
                            args: to_raw_value(&step["args"]).expect("JSON"),
                        });
                    }
                }
            }
        }
        assert!(calls.len() > 100, "the vectors are not where they were");
        calls
    })
}

/// The arguments of one name in all calls of these tools, as text.
pub fn arguments(tools: &[&str], names: &[&str]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for call in calls()
        .iter()
        .filter(|call| tools.contains(&call.tool.as_str()))
    {
        let args: Value = serde_json::from_str(call.args.get()).unwrap_or_default();
        for name in names {
            match &args[name] {
                Value::Null => {}
                Value::String(text) => found.push(text.clone().into_bytes()),
                other => found.push(other.to_string().into_bytes()),
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
