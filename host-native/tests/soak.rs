//! A server that is asked everything for a while: its memory comes to rest.
//!
//! A few seconds here; `cargo xtask soak --minutes N` for as long as one likes, on the release binary.

#![cfg(target_os = "linux")]

mod common;

use common::{Folder, Server};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

/// Memory of the process that is in use, in KiB.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .expect("the system tells")
}

/// The call numbered so: reads of every kind, and now and then a write. What is there stays about as much.
fn call(number: u64) -> (&'static str, Value) {
    let node = 1 + number * 7919 % 500;
    let other = 1 + number * 104_729 % 500;
    match number % 24 {
        0 => (
            "update_status",
            json!({ "node_id": node, "status": if number.is_multiple_of(2) { "active" } else { "completed" } }),
        ),
        1 => (
            "link_nodes",
            json!({ "from_id": node, "to_id": other, "edge_type": "enables" }),
        ),
        2 => ("unlink_nodes", json!({ "from_id": node, "to_id": other })),
        3 => (
            "update_node",
            json!({ "node_id": node, "description": format!("round {}", number % 97) }),
        ),
        4 => ("list_nodes", json!({})),
        5 => ("list_edges", json!({ "limit": 50 })),
        6 => ("search_nodes", json!({ "query": format!("number {node}") })),
        7 => (
            "ask_graph",
            json!({ "question": format!("why number {node}") }),
        ),
        8 => ("trace_chain", json!({ "node_id": node })),
        9 => ("get_node_context", json!({ "node_id": node })),
        10 => ("get_timeline", json!({})),
        11 => ("get_pulse", json!({})),
        12 => ("find_orphans", json!({})),
        13 => ("get_graph", json!({})),
        14 => ("export_dot", json!({ "roots": node.to_string() })),
        15 => ("generate_writeup", json!({ "roots": node.to_string() })),
        16 => ("show_node", json!({ "node_id": 4040 })),
        17 => ("add_node", json!({ "node_type": 5 })),
        18 => ("get_ancestors", json!({ "node_id": node })),
        19 => ("events_status", json!({})),
        20 => ("search_nodes", json!({ "query": "x".repeat(20_000) })),
        21 => ("get_branch_summary", json!({ "branch": "main" })),
        22 => ("list_sessions", json!({})),
        _ => ("show_node", json!({ "node_id": node })),
    }
}

#[test]
fn memory_comes_to_rest() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let time = Duration::from_secs(number("SOAK_SECONDS").unwrap_or(4));
    let folder = Folder::project();
    let mut command = folder.command(&["mcp", "--toolset", "all"]);
    if let Some(binary) = std::env::var_os("SOAK_BINARY") {
        command = Command::new(binary);
        command
            .args(["mcp", "--toolset", "all"])
            .current_dir(folder.path());
    }
    let mut server = Server::with(command);
    for number in 1..=500_u64 {
        server.call(
            number,
            "add_node",
            json!({ "node_type": "action", "title": format!("number {number}"), "branch": "main" }),
        );
        server.next();
    }
    let started = Instant::now();
    let (mut at, mut warm, mut seen) = (0_u64, None, Vec::new());
    let mut shown = started;
    while started.elapsed() < time {
        for _ in 0..24 {
            let (tool, args) = call(at);
            server.call(at, tool, args);
            let answer = server.next();
            assert!(answer.get("error").is_none(), "{tool}: {answer}");
            at += 1;
        }
        let now = resident(server.child.id());
        // The first half of a short run is warming up, and no more than a minute of a long one.
        if warm.is_none() && started.elapsed() > (time / 2).min(Duration::from_secs(60)) {
            warm = Some(now);
        }
        seen.push(now);
        if shown.elapsed() > Duration::from_secs(15) {
            shown = Instant::now();
            println!(
                "{:>4} s  {at:>8} calls  {:>6.1} MiB",
                started.elapsed().as_secs(),
                now as f64 / 1024.0
            );
        }
    }
    let (warm, last) = (warm.expect("warm"), *seen.last().expect("looked at"));
    let most = seen.iter().max().expect("looked at");
    println!(
        "{at} calls in {:?}: warm {:.1} MiB, last {:.1}, most {:.1}",
        started.elapsed(),
        warm as f64 / 1024.0,
        last as f64 / 1024.0,
        *most as f64 / 1024.0
    );
    assert!(
        last <= warm + warm / 5 + 4 * 1024,
        "it grew from {warm} to {last} KiB"
    );
    assert!(server.end().1.success());
}
