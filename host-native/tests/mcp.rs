//! The protocol's edges, over real pipes and with no client library in between.

mod common;

use common::{Folder, Server, meta};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const OLD: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn code(answer: &Value) -> i64 {
    answer["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error: {answer}"))
}

fn add(title: &str) -> Value {
    json!({ "node_type": "goal", "title": title })
}

#[test]
fn every_version_of_the_older_era_is_spoken() {
    let folder = Folder::project();
    for version in OLD {
        let mut server = Server::start(&folder);
        let answer = server.initialize(version);
        assert_eq!(answer["id"], "init");
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "deciduous");
        assert!(
            answer["result"]["instructions"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
        server.request(1, "tools/list", json!({}));
        let answer = server.next();
        assert!(
            answer["result"]["tools"]
                .as_array()
                .is_some_and(|tools| !tools.is_empty())
        );
        assert_eq!(answer["result"].get("resultType"), None);
        server.request(2, "ping", json!({}));
        assert_eq!(server.next()["result"], json!({}));
    }
}

#[test]
fn an_unknown_version_is_offered_the_newest_with_a_handshake() {
    let folder = Folder::project();
    for version in ["2020-01-01", "2026-07-28", "2999-01-01"] {
        assert_eq!(
            Server::start(&folder).initialize(version)["result"]["protocolVersion"],
            "2025-11-25"
        );
    }
}

#[test]
fn the_newer_era_needs_no_handshake() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    server.request("probe", "server/discover", json!({ "_meta": meta() }));
    let answer = server.next();
    assert_eq!(answer["id"], "probe");
    assert!(
        answer["result"]["supportedVersions"]
            .as_array()
            .is_some_and(
                |all| all.contains(&json!("2026-07-28")) && all.contains(&json!("2024-11-05"))
            )
    );
    assert!(
        answer["result"]["instructions"]
            .as_str()
            .is_some_and(|text| !text.is_empty())
    );
    server.request(1, "tools/list", json!({ "_meta": meta() }));
    let answer = server.next();
    assert_eq!(answer["result"]["resultType"], "complete");
    assert!(
        answer["result"]["tools"]
            .as_array()
            .is_some_and(|tools| !tools.is_empty())
    );
    server.request(
        2,
        "tools/call",
        json!({ "name": "add_node", "arguments": add("Newer"), "_meta": meta() }),
    );
    assert_eq!(
        server.next()["result"]["structuredContent"]["title"],
        "Newer"
    );
    let mut wrong = meta();
    wrong["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    server.request(3, "tools/list", json!({ "_meta": wrong }));
    let answer = server.next();
    assert_eq!((answer["id"].as_i64(), code(&answer)), (Some(3), -32022));
    assert!(
        answer["error"]["data"]["supported"]
            .as_array()
            .is_some_and(|all| all.contains(&json!("2026-07-28")))
    );
}

#[test]
fn a_version_probe_is_answered_at_once() {
    let folder = Folder::project();
    let start = Instant::now();
    let mut server = Server::start(&folder);
    server.request(1, "server/discover", json!({ "_meta": meta() }));
    assert!(server.next()["result"].is_object());
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn the_first_message_may_be_any() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    server.call(7, "add_node", add("First"));
    let answer = server.next();
    assert_eq!(
        (answer["id"].as_i64(), &answer["result"]["isError"]),
        (Some(7), &json!(false))
    );
    assert_eq!(
        server.initialize("2025-06-18")["result"]["protocolVersion"],
        "2025-06-18"
    );
}

#[test]
fn an_answer_is_two_texts_and_the_same_object() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    server.initialize("2025-11-25");
    server.call("a", "add_node", add("\"structuredContent\":{} \u{1f333}"));
    let answer = server.next();
    assert_eq!(answer["id"], "a");
    let result = &answer["result"];
    let content = result["content"].as_array().expect("blocks");
    assert_eq!(content.len(), 2);
    let parsed: Value =
        serde_json::from_str(content[1]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(parsed, result["structuredContent"]);
    assert_eq!(parsed["title"], "\"structuredContent\":{} \u{1f333}");
}

#[test]
fn a_refusal_is_text_only() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    server.initialize("2025-11-25");
    server.call(1, "show_node", json!({ "node_id": 4040 }));
    let result = server.next()["result"].clone();
    assert_eq!(result["isError"], true);
    assert_eq!(result.get("structuredContent"), None);
    let lead = result["content"][0]["text"].as_str().expect("text");
    assert!(
        lead.starts_with("Refused: ") && lead.contains(" Next: ") && lead.ends_with('.'),
        "{lead}"
    );
    let json: Value =
        serde_json::from_str(result["content"][1]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(json["statusCode"], 404);
}

#[test]
fn protocol_faults_are_errors_of_the_protocol() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    server.initialize("2025-11-25");
    server.call(1, "add_nod", json!({}));
    let answer = server.next();
    assert_eq!((answer["id"].as_i64(), code(&answer)), (Some(1), -32602));
    assert!(
        answer["error"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("`add_node`"))
    );
    server.request(2, "tools/call", json!({ "name": 5 }));
    assert_eq!(code(&server.next()), -32602);
    server.request(
        3,
        "tools/call",
        json!({ "name": "add_node", "arguments": "text" }),
    );
    assert_eq!(code(&server.next()), -32602);
    server.request(4, "no/such", json!({}));
    let answer = server.next();
    assert_eq!((answer["id"].as_i64(), code(&answer)), (Some(4), -32601));
    server.request(5, "tools/list", json!({ "cursor": "x" }));
    assert_eq!(code(&server.next()), -32602);
    server.send(&json!({ "id": 6, "method": "ping" }));
    let answer = server.next();
    assert_eq!((answer["id"].as_i64(), code(&answer)), (Some(6), -32600));
}

#[test]
fn lines_that_are_no_messages_harm_nothing() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    let wrong: [(&[u8], i64); 7] = [
        (b"hello\n", -32700),
        (b"{\"jsonrpc\":\"2.0\",\n", -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n",
            -32700,
        ),
        (b"\xff\xff\xff\n", -32700),
        (b"42\n", -32600),
        (b"{}\n", -32600),
        (b"[]\n", -32600),
    ];
    for (line, expected) in wrong {
        server.raw(line);
        let answer = server.next();
        assert_eq!(code(&answer), expected, "{}", String::from_utf8_lossy(line));
        assert!(answer.get("id").is_none_or(Value::is_null));
    }
    server.raw(b"\n\r\n   \n");
    server.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": [1] }));
    server.send(&json!({ "jsonrpc": "2.0", "id": 99, "result": {} }));
    server.raw(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":\"still here\",\"method\":\"ping\"}\r\n");
    assert_eq!(server.next()["id"], "still here");
}

#[test]
fn a_line_of_64_megabytes_harms_nothing() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    let megabyte = vec![b'x'; 1 << 20];
    for _ in 0..70 {
        server.raw(&megabyte);
    }
    server.raw(b"\n");
    assert_eq!(code(&server.next()), -32600);
    server.raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add_node\",\"arguments\":{\"node_type\":\"goal\",\"title\":\"");
    for _ in 0..60 {
        server.raw(&megabyte);
    }
    server.raw(b"\"}}}\n");
    let answer = server.next();
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["isError"], true);
    server.request(2, "ping", json!({}));
    assert_eq!(server.next()["id"], 2);
}

#[test]
fn requests_sent_at_once_are_all_answered_and_writes_keep_their_order() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    for number in 0..100 {
        server.call(number, "add_node", add(&format!("n{number}")));
    }
    let mut ids: Vec<(i64, i64)> = (0..100)
        .map(|_| server.next())
        .map(|answer| {
            (
                answer["id"].as_i64().expect("id"),
                answer["result"]["structuredContent"]["id"]
                    .as_i64()
                    .expect("number"),
            )
        })
        .collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0].1 < pair[1].1), "{ids:?}");
}

#[test]
fn an_id_in_flight_is_not_taken_twice() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    let one = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "add_node", "arguments": add("Once") } });
    server.raw(format!("{one}\n{one}\n").as_bytes());
    let answers = [server.next(), server.next()];
    assert!(answers.iter().all(|answer| answer["id"] == 1));
    assert_eq!(
        answers
            .iter()
            .filter(|answer| answer.get("error").is_some())
            .count(),
        1,
        "{answers:?}"
    );
}

#[test]
fn a_call_given_up_is_not_answered_and_the_others_are() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    let cancel = |id: i64| json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    let mut lines: Vec<String> = (0..300)
        .map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "add_node", "arguments": add("x") } }))
        .map(|message| format!("{message}\n"))
        .collect();
    lines.push(format!("{}\n{}\n", cancel(299), cancel(4040)));
    server.raw(lines.concat().as_bytes());
    let (rest, status, took) = server.end();
    assert!(status.success() && took < Duration::from_secs(5));
    let ids: Vec<i64> = rest
        .iter()
        .filter_map(|answer| answer["id"].as_i64())
        .collect();
    assert_eq!(ids.iter().filter(|id| **id < 299).count(), 299, "{ids:?}");
    assert!(!ids.contains(&299), "{ids:?}");
}

#[test]
fn a_batch_is_answered_as_one() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    server.send(&json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "add_node", "arguments": add("Batched") } },
        { "jsonrpc": "1.0" },
    ]));
    let answer = server.next();
    let all = answer.as_array().expect("a batch");
    assert_eq!(all.len(), 3);
    assert!(
        all.iter()
            .any(|answer| answer["id"] == 1 && answer["result"] == json!({}))
    );
    assert!(
        all.iter().any(|answer| answer["id"] == 2
            && answer["result"]["structuredContent"]["title"] == "Batched")
    );
    assert!(all.iter().any(|answer| answer["error"]["code"] == -32600));
    server.send(&json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]));
    server.nothing_within(Duration::from_millis(100));
}

#[test]
fn it_is_gone_within_a_second_of_its_input() {
    let folder = Folder::project();
    let (rest, status, took) = Server::start(&folder).end();
    assert!(
        rest.is_empty() && status.success() && took < Duration::from_secs(1),
        "{took:?}"
    );
    let mut server = Server::start(&folder);
    server.initialize("2025-11-25");
    server.call(1, "show_node", json!({ "node_id": 1 }));
    server.next();
    let (_, status, took) = server.end();
    assert!(
        status.success() && took < Duration::from_secs(1),
        "{took:?}"
    );
}

#[test]
fn writes_in_flight_are_finished_and_answered() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    for number in 0..50 {
        server.call(number, "add_node", add(&format!("n{number}")));
    }
    // The last one has no newline: it counts all the same.
    let last = json!({ "jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": { "name": "add_node", "arguments": add("last") } });
    server.raw(last.to_string().as_bytes());
    let (rest, status, _) = server.end();
    assert!(status.success());
    assert_eq!(rest.len(), 51);
    assert!(
        rest.iter()
            .all(|answer| answer["result"]["isError"] == false)
    );
}

#[test]
fn a_client_that_goes_away_is_no_reason_to_stay() {
    let folder = Folder::project();
    let mut command = folder.command(&["mcp"]);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("piped");
    std::io::Write::write_all(
        &mut stdin,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
    )
    .expect("it reads");
    let start = Instant::now();
    while child.try_wait().expect("waited").is_none() {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "it goes on with nobody to talk to"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn without_a_project_it_lists_and_refuses_until_there_is_one() {
    let folder = Folder::empty();
    let mut server = Server::start(&folder);
    assert!(server.initialize("2025-11-25")["result"].is_object());
    server.request(1, "tools/list", json!({}));
    assert!(server.next()["result"]["tools"].is_array());
    server.call(2, "add_node", add("Early"));
    let result = server.next()["result"].clone();
    assert_eq!(result["isError"], true);
    assert!(
        result["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("deciduous init"))
    );
    assert!(!folder.file(".deciduous").exists());
    assert!(folder.run(&["init"]).status.success());
    server.call(3, "add_node", add("In time"));
    assert_eq!(server.next()["result"]["isError"], false);
}

#[test]
fn a_store_that_is_replaced_swallows_nothing() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    server.call(1, "add_node", add("Before"));
    assert_eq!(server.next()["result"]["isError"], false);
    std::fs::remove_dir_all(folder.file(".deciduous")).expect("removed");
    server.call(2, "add_node", add("Between"));
    assert_eq!(server.next()["result"]["isError"], true);
    assert!(folder.run(&["init"]).status.success());
    server.call(3, "add_node", add("After"));
    let answer = server.next();
    assert_eq!(answer["result"]["isError"], false);
    let number = answer["result"]["structuredContent"]["id"].to_string();
    assert_eq!(folder.json(&["show", &number])["title"], "After");
}

#[test]
fn the_session_of_a_process_is_told_back() {
    let folder = Folder::project();
    let mut server = Server::start(&folder);
    server.initialize("2025-11-25");
    server.call(
        1,
        "start_session",
        json!({ "name": "s", "goal_title": "g" }),
    );
    let session = server.next()["result"]["structuredContent"]["session_id"].clone();
    assert!(session.is_i64());
    server.call(2, "get_session", json!({}));
    let answer = server.next();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let mut other = Server::start(&folder);
    other.call(1, "get_session", json!({}));
    assert_eq!(other.next()["result"]["isError"], true);
}
