//! The catalogue in every client: schemas that none refuses, sizes that fit, commands that do not collide.
//!
//! Each rule is a function from a tool to findings, and each is shown a bad sample, because a rule that cannot fail
//! keeps nothing.

use deciduous_runner::catalogue::{Catalogue, list, word};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// About 8 000 tokens: what an agent pays before its first call.
const LIST_BYTES: usize = 32_000;
const DESCRIPTION_CHARS: usize = 240;
const INSTRUCTIONS_CHARS: usize = 2_048;

/// Flags that every command has, and those of commands with a document.
const GLOBAL: [&str; 5] = ["json", "db", "color", "help", "version"];
const OF_DOCUMENTS: [&str; 3] = ["output", "png", "svg"];

type Rule = fn(&Value) -> Vec<String>;

const RULES: [(&str, Rule); 4] = [
    ("schemas", schemas),
    ("words", words),
    ("annotations", annotations),
    ("command", command),
];

fn schemas(tool: &Value) -> Vec<String> {
    let mut findings = Vec::new();
    for name in ["inputSchema", "outputSchema"] {
        let schema = &tool[name];
        if schema["type"] != "object" {
            findings.push(format!("{name} is no object"));
        }
        for union in ["oneOf", "anyOf", "allOf", "not", "if", "$ref"] {
            if schema.get(union).is_some() {
                findings.push(format!("{name} has `{union}` at its top"));
            }
        }
        if let Err(error) = jsonschema::meta::validate(schema) {
            findings.push(format!("{name} is no schema: {error}"));
        }
        parts(schema, name, &mut findings);
    }
    findings
}

/// What some client or other drops a whole server for.
fn parts(schema: &Value, path: &str, findings: &mut Vec<String>) {
    let Some(object) = schema.as_object() else {
        findings.push(format!("{path} is no object"));
        return;
    };
    if object.get("type").is_some_and(Value::is_array) {
        findings.push(format!("{path} has a union of types"));
    }
    let kind = object.get("type").map(word).unwrap_or_default();
    if kind == "null" || object.get("const").is_some_and(Value::is_null) {
        findings.push(format!("{path} is null"));
    }
    if kind == "array" && !object.contains_key("items") {
        findings.push(format!("{path} is an array without `items`"));
    }
    if object.get("default").is_some_and(Value::is_null)
        || object
            .get("enum")
            .is_some_and(|options| list(options).iter().any(Value::is_null))
    {
        findings.push(format!("{path} speaks of null"));
    }
    for name in ["$ref", "$defs", "definitions", "format", "title"] {
        if object.contains_key(name) {
            findings.push(format!(
                "{path} has `{name}`, which some clients cannot read or which says nothing"
            ));
        }
    }
    let properties = object.get("properties").and_then(Value::as_object);
    for required in object.get("required").map(list).unwrap_or_default() {
        if !properties.is_some_and(|properties| properties.contains_key(&word(required))) {
            findings.push(format!(
                "{path} requires `{}`, which it does not have",
                word(required)
            ));
        }
    }
    for (name, inner) in properties.into_iter().flatten() {
        parts(inner, &format!("{path}.{name}"), findings);
    }
    if let Some(items) = object.get("items") {
        parts(items, &format!("{path}[]"), findings);
    }
    // `false` says that there is nothing more, which every client reads.
    if let Some(more) = object
        .get("additionalProperties")
        .filter(|more| **more != json!(false))
    {
        parts(more, &format!("{path}.*"), findings);
    }
    for union in ["oneOf", "anyOf", "allOf"] {
        for option in object.get(union).map(list).unwrap_or_default() {
            parts(option, &format!("{path}|"), findings);
        }
    }
}

fn words(tool: &Value) -> Vec<String> {
    let mut findings = Vec::new();
    let name = word(&tool["name"]);
    if name.is_empty()
        || name.len() > 64
        || !name
            .bytes()
            .all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == b'_')
    {
        findings.push("the name is not of a-z, 0-9 and _".to_owned());
    }
    let description = word(&tool["description"]);
    if description.is_empty() || description.chars().count() > DESCRIPTION_CHARS {
        findings.push(format!(
            "the description has {} characters, 1 to {DESCRIPTION_CHARS} are right",
            description.chars().count()
        ));
    }
    let properties = tool["inputSchema"]["properties"].as_object();
    for (name, schema) in properties.into_iter().flatten() {
        if word(&schema["description"]).is_empty() {
            findings.push(format!("the argument `{name}` has no description"));
        }
    }
    findings
}

fn annotations(tool: &Value) -> Vec<String> {
    let mut findings = Vec::new();
    let said = &tool["annotations"];
    if word(&tool["title"]).is_empty() || said["title"] != tool["title"] {
        findings.push("the title is missing, or not the one of the annotations".to_owned());
    }
    for hint in [
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    ] {
        if !said[hint].is_boolean() {
            findings.push(format!("`{hint}` is not said"));
        }
    }
    if said["readOnlyHint"] == tool["writes"]
        || (said["readOnlyHint"] == json!(true) && said["destructiveHint"] == json!(true))
    {
        findings.push("the hints contradict what it writes".to_owned());
    }
    findings
}

fn command(tool: &Value) -> Vec<String> {
    let mut findings = Vec::new();
    let cli = &tool["cli"];
    let (input, output) = (
        &tool["inputSchema"]["properties"],
        &tool["outputSchema"]["properties"],
    );
    if list(&cli["command"]).is_empty()
        || list(&cli["command"]).len() > 3
        || word(&cli["summary"]).is_empty()
    {
        findings.push("there is no command of one to three words with a summary".to_owned());
    }
    let mut named: Vec<String> = Vec::new();
    for part in ["positions", "stdin", "negate", "file"] {
        named.extend(list(&cli[part]).iter().map(word));
    }
    for part in ["short", "long"] {
        named.extend(
            cli[part]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone()),
        );
    }
    for name in named
        .iter()
        .filter(|name| input.get(name.as_str()).is_none())
    {
        findings.push(format!("`{name}` is no argument"));
    }
    let document = word(&cli["document"]);
    let pages = list(&cli["pages"]).iter().map(word);
    for name in pages.chain((!document.is_empty()).then(|| document.clone())) {
        if output.get(name.as_str()).is_none() {
            findings.push(format!("`{name}` is not in the output"));
        }
    }
    let positions: Vec<String> = list(&cli["positions"]).iter().map(word).collect();
    let required = |name: &String| {
        list(&tool["inputSchema"]["required"])
            .iter()
            .any(|required| required == name.as_str())
    };
    if positions
        .iter()
        .skip_while(|name| required(name))
        .any(required)
    {
        findings.push("a required position stands behind one that is not".to_owned());
    }
    if positions
        .iter()
        .rev()
        .skip(1)
        .any(|name| input[name]["type"] == "array")
    {
        findings.push("a list stands before another position".to_owned());
    }
    let flags = flags(tool, &positions);
    let mut seen = BTreeMap::new();
    for flag in &flags {
        *seen.entry(flag.as_str()).or_insert(0) += 1;
    }
    findings.extend(
        seen.iter()
            .filter(|(_, count)| **count > 1)
            .map(|(flag, _)| format!("`{flag}` means two things")),
    );
    examples(cli, &flags, &mut findings);
    findings
}

/// Every flag of the command as it is typed, the global ones with it.
fn flags(tool: &Value, positions: &[String]) -> Vec<String> {
    let cli = &tool["cli"];
    let properties = tool["inputSchema"]["properties"].as_object();
    // A tool's own colour takes the place of the terminal's.
    let replaced =
        |name: &str| name == "color" && properties.is_some_and(|all| all.contains_key(name));
    let global = GLOBAL.iter().filter(|name| !replaced(name));
    let mut flags: Vec<String> = global.map(|name| format!("--{name}")).collect();
    flags.extend(["-h", "-V"].map(str::to_owned));
    if !word(&cli["document"]).is_empty() {
        flags.extend(OF_DOCUMENTS.iter().map(|name| format!("--{name}")));
        flags.push("-o".to_owned());
    }
    for name in properties.into_iter().flatten().map(|(name, _)| name) {
        let long = cli["long"][name]
            .as_str()
            .map_or_else(|| name.replace('_', "-"), str::to_owned);
        let has = |part: &str| list(&cli[part]).iter().any(|other| other == name.as_str());
        if !positions.contains(name) {
            flags.push(format!("--{long}"));
        }
        if has("stdin") {
            flags.push(format!("--{long}-stdin"));
        }
        if has("negate") {
            flags.push(format!("--no-{long}"));
        }
    }
    flags.extend(
        cli["short"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, short)| format!("-{}", word(short))),
    );
    flags
}

fn examples(cli: &Value, flags: &[String], findings: &mut Vec<String>) {
    let command: Vec<String> = list(&cli["command"]).iter().map(word).collect();
    let begin = format!("deciduous {}", command.join(" "));
    if list(&cli["examples"]).is_empty() {
        findings.push("there is no example".to_owned());
    }
    for example in list(&cli["examples"]).iter().map(word) {
        if !example.contains(&begin) {
            findings.push(format!("the example `{example}` is of another command"));
        }
        // What is quoted is no flag, and what stands behind a pipe is another command.
        let bare: String = example.split('"').step_by(2).collect();
        let ours = bare
            .split('|')
            .find(|part| part.contains(&begin))
            .unwrap_or_default();
        for flag in ours
            .split_whitespace()
            .filter(|flag| flag.len() > 1 && flag.starts_with('-'))
        {
            let flag = flag.split('=').next().unwrap_or_default();
            let is_number = flag[1..].starts_with(|first: char| first.is_ascii_digit());
            if !is_number && !flags.iter().any(|known| known == flag) {
                findings.push(format!(
                    "the example `{example}` has the flag `{flag}`, which there is not"
                ));
            }
        }
    }
}

fn all(catalogue: &Catalogue) -> Vec<(String, &Value)> {
    let sets = list(&catalogue.json["toolsets"]).iter();
    sets.flat_map(|set| {
        list(&set["tools"])
            .iter()
            .map(|tool| (word(&set["name"]), tool))
    })
    .collect()
}

fn catalogue() -> Catalogue {
    Catalogue::new().expect("a catalogue")
}

#[test]
fn every_tool_keeps_the_rules() {
    let catalogue = catalogue();
    let tools = all(&catalogue);
    assert!(tools.len() > 4, "the catalogue is all but empty");
    let mut findings = Vec::new();
    for (set, tool) in tools {
        for (_, rule) in RULES {
            findings.extend(
                rule(tool)
                    .into_iter()
                    .map(|finding| format!("{set}/{}: {finding}", word(&tool["name"]))),
            );
        }
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn no_two_tools_have_the_same_name_or_command() {
    let catalogue = catalogue();
    for set in list(&catalogue.json["toolsets"]) {
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for (from, tool) in catalogue.tools(&word(&set["name"])) {
            let name = word(&tool["name"]);
            let command: Vec<String> = list(&tool["cli"]["command"]).iter().map(word).collect();
            for key in [
                format!("tool `{name}`"),
                format!("command `{}`", command.join(" ")),
            ] {
                let former = seen.insert(key.clone(), format!("{from}/{name}"));
                assert_eq!(
                    former,
                    None,
                    "the {key} of {from}/{name} stands twice in `{}`",
                    word(&set["name"])
                );
            }
        }
    }
}

/// As MCP sends it: without the command line's part.
fn spoken(tool: &Value) -> String {
    let mut tool = tool.clone();
    if let Some(object) = tool.as_object_mut() {
        object.retain(|name, _| !["cli", "writes"].contains(&name.as_str()));
    }
    tool.to_string()
}

#[test]
fn the_list_of_local_tools_is_small() {
    let catalogue = catalogue();
    let mut total = r#"{"tools":[]}"#.len();
    let mut table = String::new();
    for (_, tool) in catalogue.tools("local") {
        let bytes = spoken(tool).len();
        total += bytes + 1;
        let size = |part: &str| tool[part].to_string().len();
        table.push_str(&format!(
            "{bytes:>6}  {:<22} in {:>5}  out {:>5}\n",
            word(&tool["name"]),
            size("inputSchema"),
            size("outputSchema")
        ));
    }
    println!("{table}{total:>6}  of {LIST_BYTES} bytes");
    assert!(
        total <= LIST_BYTES,
        "tools/list of `local` takes {total} bytes, {LIST_BYTES} at most"
    );
}

#[test]
fn what_is_spoken_is_taught() {
    let catalogue = catalogue();
    for set in list(&catalogue.json["toolsets"])
        .iter()
        .filter(|set| set["name"] != "store")
    {
        let length = word(&set["instructions"]).chars().count();
        assert!(
            (200..=INSTRUCTIONS_CHARS).contains(&length),
            "the instructions of {} have {length} characters",
            set["name"]
        );
    }
}

#[test]
fn every_rule_sees_what_breaks_it() {
    let good = json!({
        "name": "add_leaf", "title": "Add leaf", "description": "Adds a leaf", "writes": true,
        "inputSchema": {"type": "object", "properties": {"of": {"type": "string", "description": "a"}}, "required": ["of"], "additionalProperties": false},
        "outputSchema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "integer"}}}},
        "annotations": {"title": "Add leaf", "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false},
        "cli": {"command": ["leaf"], "summary": "Add", "positions": ["of"], "short": {}, "long": {}, "examples": ["deciduous leaf x --json"], "pages": ["ids"]}
    });
    for (name, rule) in RULES {
        assert_eq!(rule(&good), [""; 0], "{name}");
    }
    let bad: [(usize, &str, Value); 17] = [
        (0, "/outputSchema/type", json!("array")),
        (0, "/outputSchema/properties/ids", json!({"type": "array"})),
        (0, "/outputSchema/properties/ids/items", json!(true)),
        (
            0,
            "/inputSchema/properties/of/type",
            json!(["string", "null"]),
        ),
        (
            0,
            "/inputSchema/properties/of",
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ),
        (0, "/inputSchema", json!({"type": "object", "oneOf": []})),
        (0, "/inputSchema/required", json!(["off"])),
        (1, "/name", json!("add-leaf")),
        (1, "/description", json!("")),
        (1, "/inputSchema/properties/of/description", json!("")),
        (2, "/annotations/openWorldHint", json!(null)),
        (2, "/annotations/readOnlyHint", json!(true)),
        (3, "/cli/positions", json!(["off"])),
        (3, "/cli/short", json!({"of": "h"})),
        (3, "/cli/long", json!({"off": "json"})),
        (3, "/cli/examples", json!(["deciduous leaf --colour"])),
        (3, "/cli/pages", json!(["rows"])),
    ];
    for (rule, path, value) in bad {
        let mut tool = good.clone();
        *tool.pointer_mut(path).expect("a part of the sample") = value;
        assert!(
            !RULES[rule].1(&tool).is_empty(),
            "nothing is found wrong with {path}: {tool}"
        );
    }
}
