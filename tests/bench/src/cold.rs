//! Whole processes: a command of the program against the bare process, by turns, so that both meet the same machine.

use crate::Runs;
use crate::figures::{Figure, Figures, quantile};
use crate::store::Store;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

struct Case {
    what: &'static str,
    goal: &'static str,
    arguments: Vec<String>,
    /// Arguments of the bare process that does the same row's work.
    bare: Option<Vec<String>>,
}

pub fn measure(
    binary: &Path,
    store: &Store,
    runs: Runs,
    figures: &mut Figures,
) -> Result<(), String> {
    let bare = env::current_exe()
        .map_err(|error| error.to_string())?
        .with_file_name(format!("bare{}", env::consts::EXE_SUFFIX));
    eprintln!(
        "`trace` begins at #{}, `writeup` at {} goals from which {} nodes are reached",
        store.middle,
        store.roots.len(),
        store.reached
    );
    for case in cases(store) {
        let bare = case
            .bare
            .as_ref()
            .map(|arguments| (bare.as_path(), arguments));
        figures.push(one(binary, bare, &case, store, runs)?);
    }
    Ok(())
}

fn cases(store: &Store) -> Vec<Case> {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let roots: Vec<String> = store.roots.iter().map(u32::to_string).collect();
    let database = store.database.display().to_string();
    let case = |what, goal, line: &str| Case {
        what,
        goal,
        arguments: words(line),
        bare: None,
    };
    let mut add = words("add observation");
    add.push("Measured once more: session cookies and search ranking".to_owned());
    vec![
        Case {
            what: "cold `show`",
            goal: "≤ 2.5 × bare",
            arguments: words(&format!("show {}", store.middle)),
            bare: Some(vec![
                "read".into(),
                database.clone(),
                store.middle.to_string(),
            ]),
        },
        Case {
            what: "cold `add`",
            goal: "≤ 2.5 × bare",
            arguments: add,
            bare: Some(vec!["add".into(), database]),
        },
        case("cold `pulse`", "≤ 80 ms", "pulse"),
        case("cold `orphans`", "≤ 80 ms", "orphans"),
        case(
            "cold `trace`, a page",
            "≤ 80 ms",
            &format!("trace {} --limit 50", store.middle),
        ),
        case(
            "cold `writeup --roots` of 1 000 nodes",
            "≤ 80 ms",
            &format!("writeup --roots {}", roots.join(",")),
        ),
    ]
}

fn one(
    binary: &Path,
    bare: Option<(&Path, &Vec<String>)>,
    case: &Case,
    store: &Store,
    runs: Runs,
) -> Result<Figure, String> {
    let mut figure = Figure {
        nodes: store.nodes,
        what: case.what.to_owned(),
        p50_ms: None,
        p99_ms: None,
        ratio: None,
        unit: "ms",
        goal: case.goal.to_owned(),
    };
    // The first fills caches, and shows whether there is such a command.
    if run(binary, &case.arguments, store).is_err() {
        return Ok(figure);
    }
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..runs.cold {
        ours.push(run(binary, &case.arguments, store)?);
        if let Some((bare, arguments)) = bare {
            theirs.push(run(bare, arguments, store)?);
        }
    }
    let p50 = quantile(&mut ours, 0.5);
    figure.p50_ms = Some(p50);
    figure.ratio = bare.map(|_| p50 / quantile(&mut theirs, 0.5));
    Ok(figure)
}

fn run(program: &Path, arguments: &[String], store: &Store) -> Result<Duration, String> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&store.folder)
        .env_remove("DECIDUOUS_DB_PATH");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = Instant::now();
    let status = command
        .status()
        .map_err(|error| format!("`{}` does not start: {error}", program.display()))?;
    let took = started.elapsed();
    if status.success() {
        Ok(took)
    } else {
        Err(format!(
            "`{} {}` fails: {status}",
            program.display(),
            arguments.join(" ")
        ))
    }
}
