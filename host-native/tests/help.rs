//! Every tool has a command, and every argument a place in it: what `--help` of the binary says, against the generated
//! catalogue and against the reference that users of the public tool know.

mod common;

use common::{Folder, err, out};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// A tool of the public reference: its name, its command (none where it has no command there), its arguments.
type Known = (&'static str, &'static str, &'static [&'static str]);

const REFERENCE: [Known; 31] = [
    (
        "add_node",
        "add",
        &[
            "node_type",
            "title",
            "description",
            "confidence",
            "prompt",
            "files",
            "branch",
            "commit",
        ],
    ),
    (
        "link_nodes",
        "link",
        &["from_id", "to_id", "rationale", "edge_type"],
    ),
    ("unlink_nodes", "unlink", &["from_id", "to_id"]),
    ("delete_node", "delete", &["node_id", "dry_run"]),
    ("update_status", "status", &["node_id", "status"]),
    ("update_prompt", "prompt", &["node_id", "prompt"]),
    (
        "list_nodes",
        "nodes",
        &["branch", "node_type", "status", "theme"],
    ),
    ("list_edges", "edges", &[]),
    ("show_node", "show", &["node_id"]),
    ("get_graph", "graph", &[]),
    ("search_nodes", "", &["query", "node_type", "branch"]),
    ("trace_chain", "", &["node_id", "max_depth", "direction"]),
    ("get_node_context", "", &["node_id"]),
    (
        "get_timeline",
        "archaeology timeline",
        &["limit", "node_type", "branch", "since"],
    ),
    ("get_pulse", "pulse", &["branch"]),
    ("find_orphans", "", &[]),
    ("get_branch_summary", "", &["branch"]),
    ("start_session", "", &["name", "goal_title", "goal_prompt"]),
    ("end_session", "", &["summary"]),
    ("get_session", "", &["session_id"]),
    ("resume_session", "", &["session_id"]),
    ("list_sessions", "", &["active_only"]),
    (
        "attach_document",
        "doc attach",
        &["node_id", "file_path", "description"],
    ),
    ("list_documents", "doc list", &["node_id"]),
    (
        "create_theme",
        "themes create",
        &["name", "color", "description"],
    ),
    ("list_themes", "themes list", &[]),
    ("tag_node", "tag add", &["node_id", "theme"]),
    ("untag_node", "tag remove", &["node_id", "theme"]),
    ("export_dot", "dot", &["roots", "nodes", "title", "rankdir"]),
    (
        "generate_writeup",
        "writeup",
        &["title", "roots", "nodes", "no_dot", "no_test_plan"],
    ),
    ("events_status", "events status", &[]),
];

fn catalog() -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../bindings/schema/catalog.json"
    );
    serde_json::from_str(&fs::read_to_string(path).expect("it is there")).expect("JSON")
}

fn strings(value: &Value) -> Vec<&str> {
    let all = value.as_array().map_or(&[][..], Vec::as_slice);
    all.iter().filter_map(Value::as_str).collect()
}

/// The tools of the generated catalogue, each by its name; of one toolset, or of all.
fn tools<'c>(catalog: &'c Value, wanted: &[&str]) -> BTreeMap<&'c str, &'c Value> {
    let toolsets = catalog["toolsets"].as_array().expect("a list");
    let of = toolsets.iter().filter(|toolset| {
        toolset["name"]
            .as_str()
            .is_some_and(|name| wanted.contains(&name))
    });
    of.flat_map(|toolset| toolset["tools"].as_array().expect("a list"))
        .map(|tool| (tool["name"].as_str().expect("a name"), tool))
        .collect()
}

/// The lines of a help that begin with an argument: `<NODE_ID>`, `-t, --type <TEXT>`.
fn entries(help: &str) -> Vec<Vec<&str>> {
    let indented = help.lines().filter(|line| line.starts_with("  "));
    let words = indented.map(|line| line.split_whitespace().take(3).collect::<Vec<_>>());
    words
        .filter(|words| words[0].starts_with(['-', '<', '[']))
        .collect()
}

/// Whether the help has the flag at the head of an entry, with its short form where it has one.
fn has_flag(entries: &[Vec<&str>], long: &str, short: Option<&str>) -> bool {
    let long = format!("--{long}");
    let is_long = |word: &&str| {
        word.strip_prefix(long.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '=']))
    };
    entries.iter().any(|words| match short {
        Some(short) => words[0] == format!("-{short},") && words.get(1).is_some_and(is_long),
        None => words.first().is_some_and(is_long),
    })
}

fn has_position(entries: &[Vec<&str>], name: &str) -> bool {
    let name = name.to_uppercase();
    let forms = [format!("<{name}>"), format!("[{name}]")];
    entries
        .iter()
        .any(|words| forms.iter().any(|form| words[0].starts_with(form.as_str())))
}

/// A text without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the help of a tool's command lacks of what the catalogue says.
fn missing(tool: &Value, help: &str) -> Vec<String> {
    let (cli, entries) = (&tool["cli"], entries(help));
    let positions = strings(&cli["positions"]);
    let said = flat(help);
    let mut missing = Vec::new();
    let properties = tool["inputSchema"]["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        let is_there = if positions.contains(&name.as_str()) {
            let is_file = strings(&cli["file"]).contains(&name.as_str());
            has_position(&entries, if is_file { "file" } else { name })
        } else {
            let flag = cli["long"][name]
                .as_str()
                .map_or_else(|| name.replace('_', "-"), str::to_owned);
            has_flag(&entries, &flag, cli["short"][name].as_str())
        };
        if !is_there {
            missing.push(name.clone());
        }
        let about = flat(property["description"].as_str().unwrap_or_default());
        if about.is_empty() || !said.contains(&about) {
            missing.push(format!("what `{name}` is"));
        }
    }
    for (list, form) in [("stdin", "{}-stdin"), ("negate", "no-{}")] {
        for name in strings(&cli[list]) {
            let flag = form.replace("{}", &name.replace('_', "-"));
            if !has_flag(&entries, &flag, None) {
                missing.push(format!("--{flag}"));
            }
        }
    }
    let examples = strings(&cli["examples"]);
    if examples.is_empty() || !examples.iter().all(|example| said.contains(&flat(example))) {
        missing.push("an example".to_owned());
    }
    missing
}

#[test]
fn no_tool_lacks_a_command_and_no_argument_is_lost() {
    let (folder, catalog) = (Folder::empty(), catalog());
    let overview = out(&folder.run(&["--help"]));
    let all = tools(&catalog, &["local", "all", "store"]);
    assert!(all.len() > 31, "{}", all.len());
    for (name, tool) in &all {
        let command = strings(&tool["cli"]["command"]);
        let output = folder.run(&[command.as_slice(), &["--help"]].concat());
        assert_eq!(output.status.code(), Some(0), "{name}: {}", err(&output));
        let help = out(&output);
        let usage = format!("Usage: deciduous {} ", command.join(" "));
        assert!(help.contains(&usage), "{name}: {help}");
        let missing = missing(tool, &help);
        assert_eq!(missing, Vec::<String>::new(), "{name}: {help}");
        let line = format!("  {} ", command.join(" "));
        assert!(overview.contains(&line), "{name}: {overview}");
    }
}

/// The comparison would notice: each entry of a help, taken away, is missed.
#[test]
fn an_argument_that_the_help_lacks_is_noticed() {
    let (folder, catalog) = (Folder::empty(), catalog());
    let tools = tools(&catalog, &["local"]);
    let help = out(&folder.run(&["add", "--help"]));
    for word in [
        "<TITLE>",
        "--commit",
        "-c, --confidence",
        "--prompt-stdin",
        "--no-branch",
    ] {
        let without: Vec<&str> = help
            .lines()
            .filter(|line| !line.trim_start().starts_with(word))
            .collect();
        let lacks = missing(tools["add_node"], &without.join("\n"));
        assert_ne!(lacks, Vec::<String>::new(), "{word}");
    }
}

#[test]
fn every_command_and_argument_of_the_reference_exists() {
    let catalog = catalog();
    let tools = tools(&catalog, &["local"]);
    assert_eq!(tools.len(), REFERENCE.len());
    for (name, command, arguments) in REFERENCE {
        let tool = tools.get(name).unwrap_or_else(|| panic!("no {name}"));
        let words = strings(&tool["cli"]["command"]).join(" ");
        assert!(command.is_empty() || words == command, "{name}: {words}");
        let properties = &tool["inputSchema"]["properties"];
        for argument in arguments {
            assert!(properties[argument].is_object(), "{name}: {argument}");
        }
    }
}

/// The commands that are no tools have the same: a usage, the flags that are known, an example.
#[test]
fn a_command_of_the_hosts_own_has_help_too() {
    let folder = Folder::empty();
    let overview = out(&folder.run(&["--help"]));
    for (command, flags) in [
        ("init", ["--agents", "--mcp-json"].as_slice()),
        ("upgrade", &["--leave-dangling"]),
        ("backup", &["--output"]),
        ("mcp", &["--toolset"]),
        ("tools", &["--toolset"]),
        ("call", &["<TOOL>"]),
        ("doc show", &["<DOCUMENT_ID>", "--output"]),
        ("doc open", &["<DOCUMENT_ID>"]),
        ("doc gc", &["--dry-run"]),
        ("completions", &["<SHELL>"]),
        ("man", &["[COMMAND]", "--all"]),
        ("version", &[]),
    ] {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let output = folder.run(&words);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", err(&output));
        let help = out(&output);
        let listed = overview.contains(&format!("  {command} "));
        assert!(listed, "{command}: {overview}");
        for part in [&["Usage: deciduous", "Example", "--json"], flags].concat() {
            assert!(help.contains(part), "{command}: {part}: {help}");
        }
    }
}
