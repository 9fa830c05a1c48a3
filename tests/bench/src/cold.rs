//! Whole processes: a command of the program against the bare process, by turns, so that both meet the same machine.

use crate::Runs;
use crate::figures::{Figure, Figures, quantile};
use crate::store::Store;
use crate::warm::peak;
use std::env;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The goals of whole processes: against the bare one where there is one, else in milliseconds, without and with the
/// columns that the process before kept in files.
const MOST_RATIO: f64 = 2.5;
const MOST_MS: f64 = 80.0;
const MOST_MS_KEPT: f64 = 30.0;

struct Case {
    what: String,
    goal: &'static str,
    /// Whether what the process before kept is there.
    kept: bool,
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
        store.shape.middle,
        store.shape.roots.len(),
        store.shape.reached
    );
    for case in cases(store) {
        let bare = case
            .bare
            .as_ref()
            .map(|arguments| (bare.as_path(), arguments));
        figures.push(one(binary, bare, &case, store, runs)?);
    }
    export(binary, store, figures)
}

/// The whole graph, in one go: how fast, and how much memory it takes.
fn export(binary: &Path, store: &Store, figures: &mut Figures) -> Result<(), String> {
    let mut child = Command::new(binary)
        .arg("export")
        .current_dir(&store.folder)
        .env_remove("DECIDUOUS_DB_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let started = Instant::now();
    let (process, mut bytes, mut memory) = (child.id(), 0_usize, 0.0_f64);
    let mut out = child.stdout.take().ok_or("no output")?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = out.read(&mut buffer).map_err(|error| error.to_string())?;
        bytes += read;
        if read == 0 {
            break;
        }
        memory = memory.max(peak(process).unwrap_or(0.0));
    }
    let took = started.elapsed().as_secs_f64();
    let status = child.wait().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("`export` fails: {status}"));
    }
    let speed = bytes as f64 / took / 1e6;
    figures.push(
        Figure {
            p50: Some(speed),
            unit: "MB/s",
            ..Figure::new(store.shape.nodes, "`export`, whole", "≥ 50 MB/s")
        }
        .above(50.0),
    );
    figures.push(Figure {
        p50: Some(memory),
        unit: "MB",
        ..Figure::new(store.shape.nodes, "memory of `export`", "bounded")
    });
    Ok(())
}

fn cases(store: &Store) -> Vec<Case> {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let roots: Vec<String> = store.shape.roots.iter().map(u32::to_string).collect();
    let database = store.database.display().to_string();
    let mut add = words("add observation");
    add.push("Measured once more: session cookies and search ranking".to_owned());
    let mut cases = vec![
        Case {
            what: "cold `show`".to_owned(),
            goal: "≤ 2.5 × bare",
            kept: true,
            arguments: words(&format!("show {}", store.shape.middle)),
            bare: Some(vec![
                "read".into(),
                database.clone(),
                store.shape.middle.to_string(),
            ]),
        },
        Case {
            what: "cold `add`".to_owned(),
            goal: "≤ 2.5 × bare",
            kept: true,
            arguments: add,
            bare: Some(vec!["add".into(), database]),
        },
    ];
    let whole = [
        ("cold `pulse`", "pulse".to_owned()),
        ("cold `orphans`", "orphans".to_owned()),
        (
            "cold `trace`, a page",
            format!("trace {} --limit 50", store.shape.middle),
        ),
        (
            "cold `writeup --roots` of 1 000 nodes",
            format!("writeup --roots {}", roots.join(",")),
        ),
    ];
    for (what, line) in &whole {
        let case = |what: String, goal, kept| Case {
            what,
            goal,
            kept,
            arguments: words(line),
            bare: None,
        };
        cases.push(case((*what).to_owned(), "≤ 80 ms", false));
        cases.push(case(format!("{what}, columns kept"), "≤ 30 ms", true));
    }
    cases
}

fn one(
    binary: &Path,
    bare: Option<(&Path, &Vec<String>)>,
    case: &Case,
    store: &Store,
    runs: Runs,
) -> Result<Figure, String> {
    let mut figure = Figure::new(store.shape.nodes, case.what.clone(), case.goal);
    // The first fills caches, and shows whether there is such a command.
    if run(binary, &case.arguments, store).is_err() {
        return Ok(figure);
    }
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..runs.cold {
        if !case.kept {
            forget_kept(store)?;
        }
        ours.push(run(binary, &case.arguments, store)?);
        if let Some((bare, arguments)) = bare {
            theirs.push(run(bare, arguments, store)?);
        }
    }
    let p50 = quantile(&mut ours, 0.5);
    figure.p50 = Some(p50);
    figure.ratio = bare.map(|_| p50 / quantile(&mut theirs, 0.5));
    Ok(match bare {
        Some(_) => figure.within(None, None, Some(MOST_RATIO)),
        None if case.kept => figure.within(Some(MOST_MS_KEPT), None, None),
        None => figure.within(Some(MOST_MS), None, None),
    })
}

/// Takes away the files beside the database that keep columns.
fn forget_kept(store: &Store) -> Result<(), String> {
    let folder = store.database.parent().ok_or("no folder")?;
    for entry in fs::read_dir(folder)
        .map_err(|error| error.to_string())?
        .flatten()
    {
        if entry.file_name().to_string_lossy().contains(".db-columns-") {
            fs::remove_file(entry.path()).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
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
