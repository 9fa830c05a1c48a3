//! `cargo xtask test`: every check, in order, the cheap ones first.
//!
//! A step is a name, what it shows, and commands; to add one, add it to [`steps`]. Its output is kept in a file and shown
//! when it fails.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, io, iter};

use anyhow::{Context, Result, bail};

use crate::options::Options;
use crate::place::{Place, Profile};
use crate::{say, setup};

struct Step {
    name: &'static str,
    shows: &'static str,
    commands: Vec<Command>,
}

/// The compiler of the artefact is never in one cargo call with the host: see `aot.rs`.
fn steps(place: &Place) -> Result<Vec<Step>> {
    let cargo = |line: &str| {
        let mut cargo = place.cargo_for_tests();
        cargo.args(line.split_whitespace());
        cargo
    };
    let own = |line: &str| own(place, line);
    let step = |name, shows, commands| Step {
        name,
        shows,
        commands,
    };

    // Findings, not panics, are what the rules have to say.
    let mut tidy = cargo("test --quiet --no-fail-fast --package deciduous-tidy");
    tidy.env("RUST_BACKTRACE", "0");

    let mut steps = vec![
        step(
            "format",
            "the code is formatted",
            vec![cargo("fmt --all -- --check --color never")],
        ),
        step(
            "generated",
            "generated files are current",
            vec![own("generate --check")?],
        ),
        step(
            "build",
            "module, artefact and binary build",
            vec![own("build")?],
        ),
        step("tidy", "the rules of the house hold", vec![tidy]),
        step(
            "clippy",
            "no warnings",
            vec![
                cargo(
                    "clippy --quiet --workspace --exclude deciduous-aot --features deciduous-runner/hosts --all-targets -- --deny warnings",
                ),
                cargo(
                    "clippy --quiet --package deciduous-aot --profile tool --all-targets -- --deny warnings",
                ),
            ],
        ),
        step(
            "unit",
            "unit tests and properties",
            vec![
                cargo(
                    "test --quiet --workspace --exclude deciduous-aot --exclude deciduous-tidy --exclude deciduous-runner",
                ),
                cargo("test --quiet --package deciduous-aot --profile tool"),
            ],
        ),
        step(
            "vectors",
            "the same answers on every host",
            vec![cargo(
                "test --quiet --package deciduous-runner --features hosts",
            )],
        ),
    ];
    let history = history(place);
    let mut real =
        cargo("test --quiet --package deciduous --test history --test sync -- --ignored");
    real.env("DECIDUOUS_HISTORY", &history);
    steps.push(step(
        "history",
        "a real project's history comes back as it was",
        if history.exists() { vec![real] } else { vec![] },
    ));
    steps.push(step(
        "fuzz",
        "nothing that is read from outside breaks it",
        vec![own("fuzz --seconds 3")?],
    ));
    if place.root.join("tests/clients/package.json").exists() {
        let mut clients = Command::new("node");
        clients
            .current_dir(place.root.join("tests/clients"))
            .arg("run.mjs")
            .arg(place.binary(Profile::Release))
            .env("PATH", path_with(&setup::python(place).join("bin"))?);
        steps.push(step(
            "clients",
            "the protocol's own clients understand the server",
            vec![own("setup")?, clients],
        ));
    }
    if place.root.join("examples/demo/Cargo.toml").exists() {
        steps.push(step("demo", "the demo tells its story", vec![own("demo")?]));
    }
    Ok(steps)
}

/// A real history that the project does not ship: `DECIDUOUS_HISTORY`, else where it lies beside a work tree.
fn history(place: &Place) -> PathBuf {
    env::var_os("DECIDUOUS_HISTORY").map_or_else(
        || place.root.join("../shared/data/deciduous-history.json"),
        PathBuf::from,
    )
}

/// The path with a folder before all others.
fn path_with(first: &Path) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = iter::once(first.to_owned()).chain(env::split_paths(&path));
    Ok(env::join_paths(folders)?)
}

/// This program again: a step that is a command of ours.
fn own(place: &Place, line: &str) -> Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command
        .current_dir(&place.root)
        .args(line.split_whitespace());
    Ok(command)
}

pub fn run(place: &Place, options: &Options) -> Result<()> {
    let list = options.flag("--list");
    let keep_going = options.flag("--keep-going");
    let only = options.values("--only")?;
    options.none_left()?;
    let mut steps = steps(place)?;
    if list {
        steps
            .iter()
            .for_each(|step| println!("{:<12} {}", step.name, step.shows));
        return Ok(());
    }
    if let Some(unknown) = only
        .iter()
        .find(|name| steps.iter().all(|step| step.name != *name))
    {
        bail!("no step `{unknown}`; see `cargo xtask test --list`");
    }
    steps.retain(|step| only.is_empty() || only.iter().any(|name| name == step.name));

    let logs = place.target.join("xtask-test");
    fs::create_dir_all(&logs)?;
    let (mut passed, mut failed) = (0, Vec::new());
    let total = steps.len();
    for (at, step) in steps.into_iter().enumerate() {
        let log = logs.join(format!("{}.log", step.name));
        let tell = |what: &str| say::line(&format!("{}/{total} {:<12} {what}", at + 1, step.name));
        if step.commands.is_empty() {
            tell("skipped: what it needs is not here");
            continue;
        }
        tell(&format!("{} …", step.shows));
        let started = Instant::now();
        let outcome = check(step.commands, &log);
        let time = say::seconds(started.elapsed());
        let Err(error) = outcome else {
            passed += 1;
            tell(&format!("{} in {time}", say::paint("passed", "32")));
            continue;
        };
        failed.push(step.name);
        io::copy(&mut File::open(&log)?, &mut io::stderr())?;
        tell(&format!(
            "{} in {time}: {error:#}",
            say::paint("failed", "31")
        ));
        tell(&format!("again: cargo xtask test --only {}", step.name));
        if !keep_going {
            break;
        }
    }
    println!(
        "{passed} passed, {} failed, {} skipped",
        failed.len(),
        total - passed - failed.len()
    );
    match failed.as_slice() {
        [] => Ok(()),
        names => bail!("{}", names.join(", ")),
    }
}

/// Runs a step's commands with all their output in one file.
fn check(commands: Vec<Command>, log: &Path) -> Result<()> {
    let file = File::create(log).with_context(|| format!("`{}` is not writable", log.display()))?;
    for mut command in commands {
        command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file.try_clone()?);
        say::run(&mut command)?;
    }
    Ok(())
}
