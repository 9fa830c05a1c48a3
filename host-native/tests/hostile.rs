//! Calls that no schema allows, made from the schemas themselves: each is answered as a call, refused with a sentence and
//! a next step, and writes nothing. And lines, graphs and texts that are meant to break something.

mod common;

use common::{Folder, Server};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A server of both toolsets over a small graph of every kind.
fn server(folder: &Folder) -> Server {
    let mut server = Server::with(folder.command(&["mcp", "--toolset", "all"]));
    let mut call = |tool: &str, args: Value| {
        server.call("setup", tool, args);
        let answer = server.next();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    };
    for kind in [
        "goal",
        "option",
        "decision",
        "action",
        "outcome",
        "observation",
    ] {
        call(
            "add_node",
            json!({ "node_type": kind, "title": kind, "branch": "main" }),
        );
    }
    for (from, to) in [(1, 2), (2, 3), (3, 4), (4, 5)] {
        call("link_nodes", json!({ "from_id": from, "to_id": to }));
    }
    call("create_theme", json!({ "name": "speed" }));
    call("start_session", json!({ "name": "s", "goal_title": "g" }));
    server
}

struct Tool {
    name: String,
    properties: BTreeMap<String, Value>,
    required: Vec<String>,
}

fn tools(server: &mut Server) -> Vec<Tool> {
    server.request("list", "tools/list", json!({}));
    let list = server.next();
    let all = list["result"]["tools"].as_array().expect("tools").iter();
    all.map(|tool| {
        let schema = &tool["inputSchema"];
        let properties = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        Tool {
            name: tool["name"].as_str().expect("a name").to_owned(),
            properties: properties.into_iter().collect(),
            required: required
                .iter()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
        }
    })
    .collect()
}

/// A value that the schema allows.
fn plain(name: &str, schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => schema["properties"].as_object().map_or(json!({}), |all| {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let one = |(name, inner): (&String, &Value)| {
                required
                    .contains(&json!(name))
                    .then(|| (name.clone(), plain(name, inner)))
            };
            Value::Object(all.iter().filter_map(one).collect())
        }),
        _ if name.ends_with("_id") => json!("1"),
        _ => json!("text"),
    }
}

/// Values of which no argument of this type can be made, as JSON.
fn wrong(schema: &Value) -> Vec<&'static str> {
    let mut wrong = match schema["type"].as_str() {
        Some("integer") => vec![
            "{}",
            "[1]",
            "true",
            "1.5",
            "\"one\"",
            "1e300",
            "-9",
            "\"\"",
            "99999999999999999999999",
        ],
        Some("boolean") => vec!["{}", "[]", "1", "\"yes\"", "0.5"],
        Some("array") => vec!["{\"a\":1}", "true", "7"],
        Some("object") => vec!["[1]", "true", "7"],
        _ => vec!["{\"a\":1}", "[[]]", "true", "1.5"],
    };
    if schema["enum"].is_array() {
        wrong.extend(["\"nonsense\"", "\"\"", "\" \""]);
    }
    wrong
}

/// Values that may be taken or refused, and must do no harm.
const ODD: [&str; 14] = [
    "null",
    "\"\"",
    "\"  \\t \"",
    "\"\\u0000\"",
    "\"a\\u001b[31mb\"",
    "\"\\u202eabc\\u2066\"",
    "\"0\"",
    "\"-1\"",
    "\"4040\"",
    "\"#007\"",
    "\"@ffffff\"",
    "\"9999-99-99\"",
    "\"';DROP TABLE node;--%_*\\\"\"",
    "-0",
];

struct Hostile {
    tool: String,
    args: String,
    /// The argument that is wrong, where the answer must be a refusal that names it.
    must: Option<String>,
}

fn hostile(tools: &[Tool]) -> Vec<Hostile> {
    let mut all = Vec::new();
    let mut add = |tool: &Tool, args: String, must: Option<&str>| {
        all.push(Hostile {
            tool: tool.name.clone(),
            args,
            must: must.map(str::to_owned),
        });
    };
    for tool in tools {
        let base: Map<String, Value> = tool
            .required
            .iter()
            .map(|name| (name.clone(), plain(name, &tool.properties[name])))
            .collect();
        let with = |name: &str, value: &str| {
            let mut args: BTreeMap<String, Box<RawValue>> = base
                .iter()
                .filter(|(key, _)| *key != name)
                .map(|(key, value)| (key.clone(), raw(&value.to_string())))
                .collect();
            args.insert(name.to_owned(), raw(value));
            serde_json::to_string(&args).expect("JSON")
        };
        add(
            tool,
            with("no_such_argument", "1"),
            Some("no_such_argument"),
        );
        for name in &tool.required {
            let mut less = base.clone();
            less.remove(name);
            add(tool, Value::Object(less).to_string(), Some(name));
        }
        for (name, schema) in &tool.properties {
            for value in wrong(schema) {
                // References are texts or numbers, whatever the schema says for the sake of simple clients.
                add(tool, with(name, value), Some(name));
            }
            for value in ODD {
                add(tool, with(name, value), None);
            }
        }
    }
    all
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

fn events(folder: &Folder) -> (i64, i64) {
    let store = rusqlite::Connection::open(folder.file(".deciduous/deciduous.db")).expect("opened");
    store
        .query_row("SELECT count(*), max(seq) FROM event", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .expect("events")
}

#[test]
fn what_no_schema_allows_is_refused_by_every_tool() {
    let folder = Folder::project();
    let mut server = server(&folder);
    let tools = tools(&mut server);
    assert!(tools.len() >= 40, "{}", tools.len());
    let (certain, odd): (Vec<_>, Vec<_>) = hostile(&tools)
        .into_iter()
        .partition(|call| call.must.is_some());
    let before = events(&folder);
    let mut complaints = Vec::new();
    for part in [&certain, &odd] {
        for some in part.chunks(50) {
            let lines: Vec<String> = some
                .iter()
                .enumerate()
                .map(|(id, call)| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{}\",\"arguments\":{}}}}}\n", call.tool, call.args))
                .collect();
            server.raw(lines.concat().as_bytes());
            for _ in some {
                let answer = server.next();
                let id = answer["id"].as_u64().expect("an id") as usize;
                let call = &some[id];
                if let Some(complaint) = complaint(&answer, call) {
                    complaints.push(format!("{} {}: {complaint}", call.tool, call.args));
                }
            }
        }
        if std::ptr::eq(part, &certain) {
            assert_eq!(events(&folder), before, "a refused call wrote something");
        }
    }
    assert!(
        complaints.is_empty(),
        "{} of {}:\n{}",
        complaints.len(),
        certain.len() + odd.len(),
        complaints.join("\n")
    );
    // Whatever was taken, the ledger tells it.
    drop(server);
    assert_eq!(
        folder.json(&["events", "status", "--verify"])["verified"],
        true
    );
}

fn complaint(answer: &Value, call: &Hostile) -> Option<String> {
    let result = &answer["result"];
    if result.is_null() {
        return Some(format!("an error of the protocol: {}", answer["error"]));
    }
    if result["isError"] != true {
        return call.must.as_ref().map(|_| "was taken".to_owned());
    }
    let lead = result["content"][0]["text"].as_str().unwrap_or_default();
    let refusal: Value = result["content"][1]["text"]
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let status = refusal["statusCode"].as_u64().unwrap_or_default();
    if !(400..500).contains(&status) {
        return Some(format!("status {status}: {lead}"));
    }
    if !lead.starts_with("Refused: ") || !lead.contains(" Next: ") || lead.len() > 4_000 {
        return Some(format!("no sentence: {lead}"));
    }
    let inside = [
        "panicked", "sqlite", "SQLite", "SELECT", "serde", "u32", ".rs:",
    ];
    if let Some(word) = inside.iter().find(|word| lead.contains(**word)) {
        return Some(format!("speaks of `{word}`: {lead}"));
    }
    match &call.must {
        Some(name) if status != 400 || !refusal.to_string().contains(name.as_str()) => {
            Some(format!("does not name `{name}` ({status}): {lead}"))
        }
        _ => None,
    }
}

#[test]
fn texts_meant_to_break_something_are_kept_or_refused_whole() {
    let folder = Folder::project();
    let mut server = server(&folder);
    let before = events(&folder);
    let add = |server: &mut Server, title: &str, field: &str, text: &str| {
        server.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"add_node\",\"arguments\":{{\"node_type\":\"goal\",\"title\":{title},\"{field}\":{text}}}}}}}\n").as_bytes());
        server.next()
    };
    // Half a character is no text: the line is no JSON, or the call is refused.
    for text in ["\"\\ud800\"", "\"x\\udc00y\"", "\"\\ud83d\\ud83d\""] {
        let answer = add(&mut server, text, "description", "\"d\"");
        let is_refused = answer["error"]["code"] == -32700 || answer["result"]["isError"] == true;
        assert!(is_refused, "{text}: {answer}");
    }
    for text in [
        "\"\\u0000\"",
        "\"a\\u0007b\"",
        "\"\\u001b]0;x\\u0007\"",
        "\"a\\u0085b\"",
        "\"\"",
        "\"   \"",
    ] {
        let answer = add(&mut server, text, "description", "\"d\"");
        assert_eq!(answer["result"]["isError"], true, "{text}: {answer}");
    }
    let answer = add(&mut server, "\"t\"", "description", "\"a\\u0000b\"");
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let long = format!("\"{}\"", "x".repeat((1 << 20) + 1));
    let answer = add(&mut server, "\"t\"", "description", &long);
    assert_eq!(answer["result"]["isError"], true);
    assert!(
        answer.to_string().len() < 4_000,
        "the refusal repeats the text"
    );
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let answer = add(&mut server, "\"t\"", "description", &nested);
    assert!(
        answer["error"]["code"] == -32700 || answer["result"]["isError"] == true,
        "{answer}"
    );
    assert_eq!(events(&folder), before);
    // What is printable is kept as it is.
    for text in [
        "a\u{200d}b",
        "\u{fffd}",
        "\u{10ffff}",
        "e\u{301}",
        "👩‍💻",
        "' OR 1=1 --",
        "$(x) `y` %n",
        "</script>",
        "{{7*7}}",
    ] {
        let quoted = json!(text).to_string();
        let answer = add(&mut server, &quoted, "description", &quoted);
        assert_eq!(answer["result"]["isError"], false, "{text}: {answer}");
        let id = answer["result"]["structuredContent"]["id"].clone();
        server.call(2, "show_node", json!({ "node_id": id }));
        let shown = server.next()["result"]["structuredContent"].clone();
        assert_eq!(
            (&shown["title"], &shown["description"]),
            (&json!(text), &json!(text))
        );
    }
    let full = "y".repeat(1 << 20);
    let answer = add(&mut server, "\"long\"", "prompt", &json!(full).to_string());
    assert_eq!(answer["result"]["isError"], false);
    // Digits are the local number and nothing else, whatever else begins with them.
    for reference in [
        "4040",
        "#4040",
        "00000000000000000000001x",
        "1 OR 1",
        "1.0.0",
        "٣",
    ] {
        server.call(3, "show_node", json!({ "node_id": reference }));
        assert_eq!(server.next()["result"]["isError"], true, "{reference}");
    }
}

#[test]
fn a_hub_of_ten_thousand_edges_is_answered_quickly_and_in_pages() {
    let folder = Folder::project();
    let date = "2025-01-01T00:00:00Z";
    let nodes: Vec<Value> = (1..=10_001)
        .map(|id| json!({ "id": id, "change_id": format!("00000000-0000-4000-8000-{id:012}"), "node_type": if id == 1 { "decision" } else { "option" }, "title": format!("number {id}"), "status": "pending", "created_at": date, "updated_at": date }))
        .collect();
    let edges: Vec<Value> = (2..=10_001)
        .map(|id| json!({ "id": id, "from_node_id": 1, "to_node_id": id, "edge_type": "leads_to", "created_at": date }))
        .collect();
    std::fs::write(
        folder.file("hub.json"),
        json!({ "nodes": nodes, "edges": edges }).to_string(),
    )
    .expect("written");
    folder.json(&["import", "hub.json"]);
    let mut server = Server::with(folder.command(&["mcp", "--toolset", "all"]));
    let tools = tools(&mut server);
    let mut complaints = Vec::new();
    for tool in &tools {
        let mut args = Map::new();
        for name in &tool.required {
            args.insert(name.clone(), plain(name, &tool.properties[name]));
        }
        for name in ["node_id", "roots", "query", "question", "branch"] {
            if let Some(schema) = tool.properties.get(name) {
                let value = match name {
                    "query" | "question" => json!("number"),
                    "branch" => json!("main"),
                    _ if schema["type"] == "string" => json!("1"),
                    _ => json!(1),
                };
                args.insert(name.to_owned(), value);
            }
        }
        if tool.properties.contains_key("dry_run") {
            args.insert("dry_run".into(), json!(true));
        }
        let started = Instant::now();
        server.call(tool.name.as_str(), &tool.name, Value::Object(args));
        let answer = server.next();
        let (took, length) = (started.elapsed(), answer.to_string().len());
        assert!(answer.get("error").is_none(), "{}: {answer}", tool.name);
        // Text and JSON twice, and what the whole graph may be at once.
        // A picture or a writeup is a document, which is whole; what belongs in it is asked for by `roots` and `nodes`.
        let is_document = ["export_dot", "generate_writeup"].contains(&tool.name.as_str());
        if took > Duration::from_secs(5) || (length > 160_000 && !is_document) {
            complaints.push(format!("{} answers {length} bytes in {took:?}", tool.name));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn a_ring_of_nodes_ends() {
    let folder = Folder::project();
    let mut server = Server::with(folder.command(&["mcp", "--toolset", "all"]));
    for number in 1..=30 {
        server.call(
            number,
            "add_node",
            json!({ "node_type": "action", "title": format!("ring {number}") }),
        );
        server.next();
    }
    for number in 1..=30 {
        server.call(
            number,
            "link_nodes",
            json!({ "from_id": number, "to_id": number % 30 + 1 }),
        );
        assert_eq!(server.next()["result"]["isError"], false);
    }
    for (tool, args) in [
        (
            "trace_chain",
            json!({ "node_id": 1, "direction": "outgoing" }),
        ),
        ("get_ancestors", json!({ "node_id": 1 })),
        ("get_descendants", json!({ "node_id": 1 })),
        ("get_pulse", json!({})),
        ("export_dot", json!({ "roots": "1" })),
        ("generate_writeup", json!({ "roots": "1" })),
        ("get_node_context", json!({ "node_id": 1 })),
    ] {
        server.call(1, tool, args);
        let answer = server.next();
        assert_eq!(answer["result"]["isError"], false, "{tool}: {answer}");
    }
}
