//! A server that stays: calls over standard input and output, then its memory.

use crate::Runs;
use crate::figures::{Figure, Figures, quantile};
use crate::store::{Shape, Store};
use deciduous_runner::speak::{Server, called};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

/// Questions with rare and frequent terms.
const QUESTIONS: [&str; 4] = [
    "session tokens",
    "invoice export mobile",
    "why a bloom filter for the query planner",
    "bounded channel",
];

pub struct Case {
    what: &'static str,
    pub tool: &'static str,
    goal: &'static str,
    pub args: fn(&Shape, usize) -> String,
    /// The most that the median may be, in milliseconds.
    most: f64,
}

pub const CASES: [Case; 9] = [
    Case {
        what: "warm `show_node`",
        tool: "show_node",
        goal: "≤ 0.4 ms",
        args: spread,
        most: 0.4,
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
        most: 0.8,
    },
    Case {
        what: "warm `get_node_context`",
        tool: "get_node_context",
        goal: "≤ 0.6 ms",
        args: spread,
        most: 0.6,
    },
    Case {
        what: "warm `find_orphans`",
        tool: "find_orphans",
        goal: "≤ 3 ms",
        args: |_, _| "{}".to_owned(),
        most: 3.0,
    },
    Case {
        what: "warm `get_pulse`",
        tool: "get_pulse",
        goal: "≤ 3 ms",
        args: |_, _| "{}".to_owned(),
        most: 3.0,
    },
    Case {
        what: "warm `trace_chain`",
        tool: "trace_chain",
        goal: "≤ 3 ms",
        args: |shape, _| format!(r#"{{"node_id":{}}}"#, shape.middle),
        most: 3.0,
    },
    Case {
        what: "warm `get_timeline`",
        tool: "get_timeline",
        goal: "≤ 3 ms",
        args: |_, _| "{}".to_owned(),
        most: 3.0,
    },
    Case {
        what: "warm `search_nodes`",
        tool: "search_nodes",
        goal: "≤ 3 ms",
        args: |_, at| format!(r#"{{"query":"{}"}}"#, QUESTIONS[at % QUESTIONS.len()]),
        most: 3.0,
    },
    Case {
        what: "warm `ask_graph`",
        tool: "ask_graph",
        goal: "≤ 10 ms",
        args: |_, at| format!(r#"{{"question":"{}"}}"#, QUESTIONS[at % QUESTIONS.len()]),
        most: 10.0,
    },
];

const WRITES: &str = "add_node";
/// What is measured right after a write too.
const FIRST_AFTER: [&str; 4] = ["find_orphans", "get_pulse", "trace_chain", "get_timeline"];

/// Another node at each call, all over the graph.
fn spread(shape: &Shape, at: usize) -> String {
    let step = u64::from(shape.nodes) * 7 / 11;
    format!(
        r#"{{"node_id":{}}}"#,
        1 + (at as u64 * step) % u64::from(shape.nodes)
    )
}

pub fn measure(
    binary: &Path,
    store: &Store,
    runs: Runs,
    figures: &mut Figures,
) -> Result<(), String> {
    let mut server = Server::start(binary, &["mcp", "--toolset", "all"], &store.folder, "bench")?;
    let nodes = store.shape.nodes;
    let first = call(&mut server, "find_orphans", "{}")?;
    figures.push(
        Figure {
            p50: first.map(|took| took.as_secs_f64() * 1_000.0),
            ..Figure::new(nodes, "first `find_orphans` of a session", "≤ 80 ms")
        }
        .within(Some(80.0), None, None),
    );
    for case in &CASES {
        let mut measured = Figure::new(nodes, case.what, case.goal);
        let mut samples = Vec::new();
        for at in 0..runs.warm {
            match call(&mut server, case.tool, &(case.args)(&store.shape, at))? {
                Some(took) => samples.push(took),
                None => break,
            }
        }
        if !samples.is_empty() {
            measured.p50 = Some(quantile(&mut samples, 0.5));
            measured.p99 = Some(quantile(&mut samples, 0.99));
        }
        let mut tail = None;
        if case.tool == WRITES {
            let mut bare = bare_adds(store, runs.warm)?;
            let bare = quantile(&mut bare, 0.5);
            measured.ratio = measured.p50.map(|p50| p50 / bare);
            tail = Some(10.0);
        }
        figures.push(measured.within(Some(case.most), tail, None));
    }
    for case in CASES.iter().filter(|case| FIRST_AFTER.contains(&case.tool)) {
        let mut samples = Vec::new();
        for at in 0..runs.cold {
            call(&mut server, WRITES, &(CASES[1].args)(&store.shape, at))?;
            samples.extend(call(
                &mut server,
                case.tool,
                &(case.args)(&store.shape, at),
            )?);
        }
        let what = format!("`{}` right after a write", case.tool);
        figures.push(
            Figure {
                p50: Some(quantile(&mut samples, 0.5)),
                ..Figure::new(nodes, what, "≤ 5 ms")
            }
            .within(Some(5.0), None, None),
        );
    }
    figures.push(
        Figure {
            p50: peak(server.process()),
            unit: "MB",
            ..Figure::new(
                nodes,
                "memory of `deciduous mcp` after these",
                "≤ 60 MB, 250 at 1 M",
            )
        }
        .within(Some(60.0), None, None),
    );
    Ok(())
}

/// The same row's work in one process that does nothing else, while the server waits.
fn bare_adds(store: &Store, times: usize) -> Result<Vec<Duration>, String> {
    let bare = env::current_exe()
        .map_err(|error| error.to_string())?
        .with_file_name(format!("bare{}", env::consts::EXE_SUFFIX));
    let output = Command::new(bare)
        .arg("adds")
        .arg(&store.database)
        .arg(times.to_string())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let took = text
        .lines()
        .map(|line| line.parse().map(Duration::from_micros))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.to_string())?;
    if output.status.success() && !took.is_empty() {
        Ok(took)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
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
pub fn peak(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1_024.0)
}
