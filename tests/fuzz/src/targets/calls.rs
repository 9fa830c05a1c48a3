//! Texts and documents that reach the core as arguments, and lines that reach the server.

use crate::Graph;
use crate::graph::Met;
use crate::seeds::{arguments, calls};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// The input as a text; what is no UTF-8 never comes this far.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The input as JSON where it is, else as a text of JSON.
fn value(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned())
        .or_else(|_| to_raw_value(text))
        .expect("JSON")
}

fn told(toolset: &str, tool: &str, args: &Value) -> Met {
    let args = to_raw_value(args).expect("JSON");
    Graph::with(|graph| graph.call(toolset, tool, &args, false))
}

fn with(toolset: &str, tool: &str, name: &str, value: &RawValue) -> Met {
    let args = RawValue::from_string(format!("{{\"{name}\":{value}}}")).expect("JSON");
    Graph::with(|graph| graph.call(toolset, tool, &args, false))
}

/// The arguments of any tool: its number among the seeds in the first two bytes.
pub fn args(bytes: &[u8]) -> String {
    let Some((number, rest)) = bytes.split_first_chunk::<2>() else {
        return "short".into();
    };
    let call = &calls()[usize::from(u16::from_le_bytes(*number)) % calls().len()];
    let Some(args) = text(rest).and_then(|text| RawValue::from_string(text.to_owned()).ok()) else {
        return "no JSON".into();
    };
    let met = Graph::with(|graph| graph.call(&call.toolset, &call.tool, &args, false));
    format!("{} {}", call.tool, met.kind())
}

pub fn args_seeds() -> Vec<Vec<u8>> {
    let seed = |(number, call): (u16, &crate::seeds::Call)| {
        [&number.to_le_bytes()[..], call.args.get().as_bytes()].concat()
    };
    (0_u16..).zip(calls()).map(seed).collect()
}

pub fn date(bytes: &[u8]) -> String {
    let Some(text) = text(bytes) else {
        return "no text".into();
    };
    let since = told("local", "get_timeline", &json!({ "since": text }));
    let node = json!({ "node_type": "goal", "title": "dated", "date": text });
    let dated = told("local", "add_node", &node);
    format!("{} {}", since.kind(), dated.kind())
}

pub fn date_seeds() -> Vec<Vec<u8>> {
    let mut seeds = arguments(&["get_timeline", "add_node"], &["since", "date"]);
    seeds.extend(
        [
            "2026-01-15",
            "2026-01-15T09:00:00Z",
            "2026-01-15T09:00:00.123456789+14:00",
            "20260115",
            "2026-W03-4",
            "yesterday",
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    seeds
}

pub fn id_list(bytes: &[u8]) -> String {
    let Some(text) = text(bytes) else {
        return "no text".into();
    };
    let nodes = told("local", "export_dot", &json!({ "nodes": text }));
    let roots = told("local", "generate_writeup", &json!({ "roots": text }));
    format!("{} {}", nodes.kind(), roots.kind())
}

pub fn id_list_seeds() -> Vec<Vec<u8>> {
    let mut seeds = arguments(&["export_dot", "generate_writeup"], &["nodes", "roots"]);
    seeds.extend(["1-11", "1,3,5-10", "#1, #2", "1 2 3"].map(|text| text.as_bytes().to_vec()));
    seeds
}

pub fn reference(bytes: &[u8]) -> String {
    let Some(text) = text(bytes) else {
        return "no text".into();
    };
    let shown = with("local", "show_node", "node_id", &value(text));
    let linked = told(
        "local",
        "link_nodes",
        &json!({ "from_id": text, "to_id": 1 }),
    );
    format!("{} {}", shown.kind(), linked.kind())
}

pub fn reference_seeds() -> Vec<Vec<u8>> {
    let mut seeds = arguments(
        &["show_node", "link_nodes", "trace_chain", "delete_node"],
        &["node_id", "from_id", "to_id"],
    );
    seeds.extend(
        [
            "#12",
            "@248612",
            "019bc0e2",
            "019bc0e2-fce0-795d-bffb-0f973a2c0352",
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    seeds
}

pub fn query(bytes: &[u8]) -> String {
    let Some(text) = text(bytes) else {
        return "no text".into();
    };
    let found = told("local", "search_nodes", &json!({ "query": text }));
    let asked = told("all", "ask_graph", &json!({ "question": text }));
    let added = told(
        "local",
        "add_node",
        &json!({ "node_type": "goal", "title": text, "description": text }),
    );
    format!("{} {} {}", found.kind(), asked.kind(), added.kind())
}

pub fn query_seeds() -> Vec<Vec<u8>> {
    arguments(
        &["search_nodes", "ask_graph", "add_node"],
        &["query", "question", "title", "description"],
    )
}

pub fn import(bytes: &[u8]) -> String {
    let Some(text) = text(bytes) else {
        return "no text".into();
    };
    let args = RawValue::from_string(format!("{{\"graph\":{}}}", value(text))).expect("JSON");
    // What is taken is taken once: the same again changes nothing.
    let mut graph = Graph::empty();
    let first = graph.call("store", "import_graph", &args, true);
    if let Met::Done(_) = &first {
        let exported = graph.call("store", "export_graph", &value("{}"), false);
        assert!(matches!(exported, Met::Done(_)), "{exported:?}");
        let before = digest(&mut graph);
        let again = graph.call("store", "import_graph", &args, true);
        assert!(matches!(again, Met::Done(_)), "{again:?}");
        assert_eq!(
            before,
            digest(&mut graph),
            "the same again changed something"
        );
    }
    first.kind()
}

fn digest(graph: &mut Graph) -> String {
    match graph.call("store", "digest", &value("{}"), false) {
        Met::Done(output) => {
            let output: Value = serde_json::from_str(&output).expect("JSON");
            output["digest"].to_string()
        }
        refused => panic!("no digest: {refused:?}"),
    }
}

pub fn import_seeds() -> Vec<Vec<u8>> {
    arguments(&["import_graph"], &["graph"])
}

pub fn events(bytes: &[u8]) -> String {
    let Some(text) = text(bytes) else {
        return "no text".into();
    };
    let args = RawValue::from_string(format!("{{\"events\":{}}}", value(text))).expect("JSON");
    let mut graph = Graph::empty();
    let first = graph.call("store", "merge_events", &args, true);
    if let Met::Done(_) = &first {
        let before = digest(&mut graph);
        let again = graph.call("store", "merge_events", &args, true);
        assert!(matches!(again, Met::Done(_)), "{again:?}");
        assert_eq!(
            before,
            digest(&mut graph),
            "the same again changed something"
        );
        let status = graph.call("local", "events_status", &value("{\"verify\":true}"), false);
        assert!(matches!(status, Met::Done(_)), "{status:?}");
    }
    first.kind()
}

pub fn events_seeds() -> Vec<Vec<u8>> {
    arguments(&["merge_events"], &["events"])
}

pub fn line(bytes: &[u8]) -> String {
    deciduous::line_is_read(bytes).to_owned()
}

pub fn line_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = calls()
        .iter()
        .step_by(7)
        .map(|call| {
            let params = json!({ "name": call.tool, "arguments": call.args });
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
                .to_string()
                .into_bytes()
        })
        .collect();
    for line in [
        r#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
    ] {
        seeds.push(line.as_bytes().to_vec());
    }
    seeds
}
