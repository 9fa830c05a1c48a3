//! Turns the generated catalogue into Rust tables, so that a cold command parses no JSON and builds one command only.
//!
//! Owns: which property of a tool's input becomes which flag. Never: what a tool means.
//!
//! ```text
//! {"name":"show_node","inputSchema":{…},"cli":{"command":["show"],"positions":["node_id"]}}
//!   -> Tool { name: "show_node", command: &["show"], args: &[Arg { name: "node_id", position: Some(0), … }], … }
//! ```

use serde_json::{Map, Value, json};
use std::fmt::Write as _;

type Fallible<T> = Result<T, String>;

/// The text of `$OUT_DIR/catalog.rs`.
pub fn tables(text: &str) -> Fallible<String> {
    let catalog: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut out = String::new();
    let abi = catalog["abi"].as_u64().ok_or("`abi` is missing")?;
    put(
        &mut out,
        format_args!("pub const ABI: u32 = {abi};\npub static TOOLSETS: &[Toolset] = &[\n"),
    );
    for toolset in array(&catalog["toolsets"]) {
        let name = string(toolset, "name")?;
        put(
            &mut out,
            format_args!(
                "Toolset {{ name: {name:?}, instructions: {:?}, includes: &{:?}, tools: &[\n",
                toolset["instructions"].as_str().unwrap_or_default(),
                strings(&toolset["includes"]),
            ),
        );
        for tool in array(&toolset["tools"]) {
            let text = one_tool(name, tool)
                .map_err(|error| format!("{name}.{}: {error}", tool["name"]))?;
            out.push_str(&text);
        }
        out.push_str("] },\n");
    }
    out.push_str("];\npub static TONES: &[Tone] = &[\n");
    for tone in array(&catalog["tones"]) {
        put(
            &mut out,
            format_args!(
                "Tone {{ name: {:?}, glyph: {:?}, light: {:?}, dark: {:?}, bold: {}, faint: {}, strike: {} }},\n",
                string(tone, "name")?,
                tone["glyph"].as_str().unwrap_or_default(),
                colour(&tone["light"])?,
                colour(&tone["dark"])?,
                tone["bold"] == true,
                tone["faint"] == true,
                tone["strike"] == true,
            ),
        );
    }
    out.push_str("];\n");
    Ok(out)
}

fn one_tool(toolset: &str, tool: &Value) -> Fallible<String> {
    let cli = &tool["cli"];
    let command = strings(&cli["command"]);
    if command.is_empty() {
        return Err("`cli.command` is missing".to_owned());
    }
    let mut spoken = Map::new();
    for key in [
        "name",
        "title",
        "description",
        "inputSchema",
        "outputSchema",
        "annotations",
    ] {
        spoken.insert(
            key.to_owned(),
            tool.get(key)
                .cloned()
                .ok_or(format!("`{key}` is missing"))?,
        );
    }
    let mut out = format!(
        "Tool {{ toolset: {toolset:?}, name: {:?}, title: {:?}, description: {:?}, writes: {}, spoken: {:?}, \
         command: &{command:?}, summary: {:?}, examples: &{:?}, document: {:?}, render: {}, pages: &{:?}, args: &[\n",
        string(tool, "name")?,
        string(tool, "title")?,
        string(tool, "description")?,
        tool["writes"] == true,
        Value::Object(spoken).to_string(),
        string(cli, "summary")?,
        strings(&cli["examples"]),
        cli["document"].as_str().filter(|field| !field.is_empty()),
        cli["render"] == "dot",
        strings(&cli["pages"]),
    );
    let schema = &tool["inputSchema"];
    let no_properties = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&no_properties);
    let positions = strings(&cli["positions"]);
    for (key, holder) in [
        ("positions", &cli["positions"]),
        ("stdin", &cli["stdin"]),
        ("file", &cli["file"]),
        ("negate", &cli["negate"]),
    ] {
        if let Some(unknown) = strings(holder)
            .into_iter()
            .find(|name| !properties.contains_key(*name))
        {
            return Err(format!(
                "`cli.{key}` names `{unknown}`, which the input lacks"
            ));
        }
    }
    let mut names: Vec<&str> = positions.clone();
    names.extend(
        properties
            .keys()
            .map(String::as_str)
            .filter(|name| !positions.contains(name)),
    );
    for name in names {
        let property = resolved(schema, &properties[name]);
        let has = |list: &str| strings(&cli[list]).contains(&name);
        put(
            &mut out,
            format_args!(
                "Arg {{ name: {name:?}, flag: {:?}, short: {:?}, position: {:?}, required: {}, kind: Kind::{}, items: Kind::{}, \
             help: {:?}, default: {:?}, choices: &{:?}, stdin: {}, negate: {}, file: {}, complete: {:?}, env: {:?} }},\n",
                cli["long"][name]
                    .as_str()
                    .map_or_else(|| name.replace('_', "-"), str::to_owned),
                cli["short"][name]
                    .as_str()
                    .and_then(|short| short.chars().next()),
                positions.iter().position(|position| *position == name),
                strings(&schema["required"]).contains(&name),
                kind(&property),
                kind(&resolved(schema, &property["items"])),
                property["description"].as_str().unwrap_or_default(),
                property.get("default").map(shown).unwrap_or_default(),
                choices(schema, &property),
                has("stdin"),
                has("negate"),
                has("file"),
                cli["complete"][name].as_str(),
                cli["env"][name].as_str(),
            ),
        );
    }
    out.push_str("] },\n");
    Ok(out)
}

/// The schema behind a `$ref`, with what stands beside the reference laid over it.
fn resolved(root: &Value, schema: &Value) -> Value {
    let Some(pointer) = schema["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix('#'))
    else {
        return schema.clone();
    };
    let mut target = root.pointer(pointer).cloned().unwrap_or(json!({}));
    if let (Some(target), Some(beside)) = (target.as_object_mut(), schema.as_object()) {
        target.extend(
            beside
                .iter()
                .filter(|(key, _)| *key != "$ref")
                .map(|(key, value)| (key.clone(), value.clone())),
        );
    }
    target
}

/// How the text of a flag becomes JSON. Of several types, the one that a text may fail to be is tried first.
fn kind(schema: &Value) -> &'static str {
    let named = |name: &str| {
        schema["type"] == name || array(&schema["type"]).iter().any(|kind| kind == name)
    };
    [
        ("boolean", "Boolean"),
        ("integer", "Integer"),
        ("number", "Number"),
        ("array", "Array"),
        ("object", "Object"),
    ]
    .into_iter()
    .find(|(name, _)| named(name))
    .map_or("Text", |(_, kind)| kind)
}

/// What a property may be, of the property itself or of its items; one text each.
fn choices(root: &Value, property: &Value) -> Vec<String> {
    let items = resolved(root, &property["items"]);
    let listed = if property["enum"].is_array() {
        &property["enum"]
    } else {
        &items["enum"]
    };
    let consts = property["oneOf"].as_array().or(items["oneOf"].as_array());
    let consts = consts
        .into_iter()
        .flatten()
        .filter_map(|one| one["const"].as_str().map(str::to_owned));
    array(listed)
        .iter()
        .filter_map(|one| one.as_str().map(str::to_owned))
        .chain(consts)
        .collect()
}

fn colour(value: &Value) -> Fallible<Option<(u8, u8, u8)>> {
    let text = value.as_str().unwrap_or_default();
    if text.is_empty() {
        return Ok(None);
    }
    let digits = text
        .strip_prefix('#')
        .filter(|digits| digits.len() == 6 && digits.is_ascii());
    let number = digits
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .ok_or(format!("`{text}` is no colour"))?;
    let [_, red, green, blue] = number.to_be_bytes();
    Ok(Some((red, green, blue)))
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn string<'a>(value: &'a Value, key: &str) -> Fallible<&'a str> {
    value[key]
        .as_str()
        .ok_or_else(|| format!("`{key}` is missing"))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn strings(value: &Value) -> Vec<&str> {
    array(value).iter().filter_map(Value::as_str).collect()
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a string does not fail");
}
