//! A server that stays: calls over standard input and output, then its memory.

use crate::Runs;
use crate::figures::{Figure, Figures, quantile};
use crate::store::Store;
use deciduous_runner::speak::{Server, called};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Questions with rare and frequent terms.
const QUESTIONS: [&str; 4] = [
    "session tokens",
    "invoice export mobile",
    "why a bloom filter for the query planner",
    "bounded channel",
];

struct Case {
    what: &'static str,
    tool: &'static str,
    goal: &'static str,
    args: fn(&Store, usize) -> String,
}

const CASES: [Case; 9] = [
    Case {
        what: "warm `show_node`",
        tool: "show_node",
        goal: "≤ 0.4 ms",
        args: spread,
    },
    Case {
        what: "warm `add_node`",
        tool: "add_node",
        goal: "≤ 0.8 ms (p99 ≤ 10)",
        args: |_, at| {
            format!(
                r#"{{"node_type":"observation","title":"Measured for the {at}th time: session cookies"}}"#
            )
        },
    },
    Case {
        what: "warm `get_node_context`",
        tool: "get_node_context",
        goal: "≤ 0.6 ms",
        args: spread,
    },
    Case {
        what: "warm `find_orphans`",
        tool: "find_orphans",
        goal: "≤ 3 ms",
        args: |_, _| "{}".to_owned(),
    },
    Case {
        what: "warm `get_pulse`",
        tool: "get_pulse",
        goal: "≤ 3 ms",
        args: |_, _| "{}".to_owned(),
    },
    Case {
        what: "warm `trace_chain`",
        tool: "trace_chain",
        goal: "≤ 3 ms",
        args: |store, _| format!(r#"{{"node_id":{}}}"#, store.middle),
    },
    Case {
        what: "warm `get_timeline`",
        tool: "get_timeline",
        goal: "≤ 3 ms",
        args: |_, _| "{}".to_owned(),
    },
    Case {
        what: "warm `search_nodes`",
        tool: "search_nodes",
        goal: "≤ 3 ms",
        args: |_, at| format!(r#"{{"query":"{}"}}"#, QUESTIONS[at % QUESTIONS.len()]),
    },
    Case {
        what: "warm `ask_graph`",
        tool: "ask_graph",
        goal: "≤ 10 ms",
        args: |_, at| format!(r#"{{"question":"{}"}}"#, QUESTIONS[at % QUESTIONS.len()]),
    },
];

/// Another node at each call, all over the graph.
fn spread(store: &Store, at: usize) -> String {
    let step = u64::from(store.nodes) * 7 / 11;
    format!(
        r#"{{"node_id":{}}}"#,
        1 + (at as u64 * step) % u64::from(store.nodes)
    )
}

pub fn measure(
    binary: &Path,
    store: &Store,
    runs: Runs,
    figures: &mut Figures,
) -> Result<(), String> {
    let mut server = Server::start(binary, &["mcp", "--toolset", "all"], &store.folder, "bench")?;
    let figure = |what: &str, goal: &str, unit| Figure {
        nodes: store.nodes,
        what: what.to_owned(),
        p50_ms: None,
        p99_ms: None,
        ratio: None,
        unit,
        goal: goal.to_owned(),
    };
    let mut first = figure("first `find_orphans` of a session", "≤ 80 ms", "ms");
    first.p50_ms =
        call(&mut server, "find_orphans", "{}")?.map(|took| took.as_secs_f64() * 1_000.0);
    figures.push(first);
    for case in &CASES {
        let mut measured = figure(case.what, case.goal, "ms");
        let mut samples = Vec::new();
        for at in 0..runs.warm {
            match call(&mut server, case.tool, &(case.args)(store, at))? {
                Some(took) => samples.push(took),
                None => break,
            }
        }
        if !samples.is_empty() {
            measured.p50_ms = Some(quantile(&mut samples, 0.5));
            measured.p99_ms = Some(quantile(&mut samples, 0.99));
        }
        figures.push(measured);
    }
    let mut after = figure("`find_orphans` right after a write", "≤ 5 ms", "ms");
    let mut samples = Vec::new();
    for at in 0..runs.cold {
        call(&mut server, "add_node", &(CASES[1].args)(store, at))?;
        samples.extend(call(&mut server, "find_orphans", "{}")?);
    }
    after.p50_ms = Some(quantile(&mut samples, 0.5));
    figures.push(after);
    let mut memory = figure("memory of `deciduous mcp` after these", "≤ 60 MB", "MB");
    memory.p50_ms = peak(server.process());
    figures.push(memory);
    Ok(())
}

/// None: there is no such tool, or it refuses what it is asked.
fn call(server: &mut Server, tool: &str, args: &str) -> Result<Option<Duration>, String> {
    let params = called(tool, args);
    let started = Instant::now();
    let line = server.exchange("tools/call", &params)?;
    let took = started.elapsed();
    let failed = line.contains(r#""error":{"#) || line.contains(r#""isError":true"#);
    Ok((!failed).then_some(took))
}

/// The most it ever took, in MB; none where the system does not say.
fn peak(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1_024.0)
}
