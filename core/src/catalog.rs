//! The catalogue: every tool, the words, the palette, as JSON for hosts and bindings.
//!
//! Computed once at build time from the tools themselves (`cargo xtask generate`) and embedded; the module that hosts
//! run is told it. Its shape is described in `bindings/schema/README.md`.

use crate::args::COMMON;
use crate::model::vocabulary::{EdgeType, NodeType, Status, tones};
use crate::tool::{Cli, Effect, Tool};
use crate::tools::{TOOLSETS, Toolset};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// The catalogue as JSON, one line.
#[must_use]
pub fn catalog() -> String {
    json!({
        "abi": deciduous_boundary::ABI_VERSION,
        "toolsets": TOOLSETS.iter().map(toolset).collect::<Vec<_>>(),
        "vocabulary": {
            "node_types": NodeType::ALL.iter().map(|kind| json!({
                "name": kind.name(), "label": label(kind.name()), "glyph": kind.glyph(), "light": kind.colours().0,
                "dark": kind.colours().1, "shape": kind.shape(), "writable": NodeType::writable().contains(kind),
            })).collect::<Vec<_>>(),
            "statuses": Status::ALL.iter().map(|status| json!({
                "name": status.name(), "label": label(status.name()), "stands": status.stands(), "writable": Status::writable().contains(status),
            })).collect::<Vec<_>>(),
            "edge_types": EdgeType::ALL.iter().map(|kind| json!({
                "name": kind.name(), "label": label(kind.name()), "line": kind.line(),
            })).collect::<Vec<_>>(),
        },
        "tones": tones().iter().map(|tone| json!({
            "name": tone.name, "glyph": tone.glyph, "light": tone.light, "dark": tone.dark,
            "bold": tone.bold, "faint": tone.faint, "strike": tone.strike,
        })).collect::<Vec<_>>(),
    })
    .to_string()
}

fn label(name: &str) -> String {
    name.replace('_', " ")
}

fn toolset(set: &Toolset) -> Value {
    json!({
        "name": set.name,
        "title": set.title,
        "instructions": set.instructions.trim(),
        "includes": set.includes,
        "tools": set.tools.iter().map(|(name, tool)| described(name, tool)).collect::<Vec<_>>(),
    })
}

fn described(name: &str, tool: &Tool) -> Value {
    let (input, output) = (tool.schemas)();
    let writes = tool.effect != Effect::Read;
    let input = input_form(input, writes);
    let cli = command(&tool.cli, &input);
    json!({
        "name": name,
        "title": tool.title,
        "description": tool.about,
        "writes": writes,
        "inputSchema": input,
        "outputSchema": output_form(output),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": !writes,
            "destructiveHint": tool.effect == Effect::Remove,
            "idempotentHint": tool.effect != Effect::Add,
            "openWorldHint": false,
        },
        "cli": cli,
    })
}

/// What a shell may complete an argument with, by the argument's name: a kind of `complete_words`.
fn completed(argument: &str) -> Option<&'static str> {
    Some(match argument {
        "node_id" | "from_id" | "to_id" | "parent_id" | "goal_id" | "old_id" | "new_id"
        | "related_to" | "took_from" | "roots" | "nodes" => "node",
        "theme" | "tags" => "theme",
        "branch" => "branch",
        "session_id" => "session",
        "document_id" => "document",
        _ => return None,
    })
}

/// The environment's way of giving an argument where a command line does not.
fn variable(argument: &str) -> Option<&'static str> {
    (argument == "session_id").then_some("DECIDUOUS_SESSION")
}

fn command(cli: &Cli, input: &Value) -> Value {
    let named = |of: fn(&str) -> Option<&'static str>| {
        let properties = input.get("properties").and_then(Value::as_object);
        let names = properties
            .into_iter()
            .flat_map(|properties| properties.keys());
        let pairs = names.filter_map(|name| Some((name.clone(), json!(of(name)?))));
        pairs.collect::<serde_json::Map<_, _>>()
    };
    let pairs = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .map(|(name, flag)| ((*name).to_owned(), json!(flag)))
            .collect::<serde_json::Map<_, _>>()
    };
    json!({
        "command": cli.command, "summary": cli.summary, "positions": cli.positions, "short": pairs(cli.short), "long": pairs(cli.long),
        "examples": cli.examples, "stdin": cli.stdin, "negate": cli.negate, "file": cli.file, "document": cli.document,
        "render": cli.render, "pages": cli.pages, "complete": named(completed), "env": named(variable),
    })
}

/// A type's schema as schemars derives it, with everything in place.
pub(crate) fn derived<T: JsonSchema>(contract: schemars::generate::Contract) -> Schema {
    SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.contract = contract;
        })
        .into_generator()
        .into_root_schema_for::<T>()
}

fn input_form(schema: Schema, writes: bool) -> Value {
    let mut value = schema.to_value();
    tidy(&mut value);
    if writes && let Some(properties) = value.get_mut("properties").and_then(Value::as_object_mut) {
        let common = [
            json!({"type": "string", "description": "Repeat-safe"}),
            json!({"type": "integer", "description": "Default: current"}),
        ];
        for (name, schema) in COMMON.into_iter().zip(common) {
            properties.entry(name).or_insert(schema);
        }
    }
    value
}

fn output_form(schema: Schema) -> Value {
    let mut value = schema.to_value();
    tidy(&mut value);
    brief(&mut value, 0);
    value
}

/// What every client can read: no null unions, no boolean schemas, nothing that costs tokens and says nothing.
fn tidy(schema: &mut Value) {
    if schema.is_boolean() {
        *schema = json!({});
    }
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    for name in ["$schema", "title", "format", "default"] {
        object.remove(name);
    }
    // It is so anyway, and some clients cannot read a schema that is a boolean.
    if object.get("additionalProperties") == Some(&json!(true)) {
        object.remove("additionalProperties");
    }
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            object.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(options)) = object.get_mut("enum") {
        options.retain(|option| !option.is_null());
    }
    if let Some(Value::Array(options)) = object.get_mut("anyOf") {
        options.retain(|option| option.get("type").is_none_or(|kind| kind != "null"));
        if let [only] = options.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (name, value) in only.as_object().cloned().unwrap_or_default() {
                object.entry(name).or_insert(value);
            }
        }
    }
    if object.get("type").is_some_and(|kind| kind == "object")
        && !object.contains_key("additionalProperties")
    {
        object.entry("properties").or_insert(json!({}));
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = object
            .get_mut(name)
            .filter(|inner| inner.is_object() || name == "items")
        {
            tidy(inner);
        }
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(tidy);
    }
}

/// Output schemas name an answer's own keys; what nested objects hold would cost every client tokens at each start.
fn brief(schema: &mut Value, depth: u32) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    for name in ["description", "minimum", "maximum", "enum", "required"] {
        object.remove(name);
    }
    if depth > 0 {
        object.remove("properties");
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties
            .values_mut()
            .for_each(|property| brief(property, depth + 1));
    }
    if let Some(items) = object.get_mut("items") {
        brief(items, depth + 1);
    }
}
