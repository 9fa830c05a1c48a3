//! `cargo xtask test`: every check, in order, the cheap ones first.
//!
//! A step is a name, what it shows, and commands; to add one, add it to [`steps`]. Its output is kept in a file and shown
//! when it fails.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, io};

use anyhow::{Context, Result, bail};

use crate::options::Options;
use crate::place::Place;
use crate::say;

struct Step {
    name: &'static str,
    shows: &'static str,
    commands: Vec<Command>,
}

/// The compiler of the artefact is never in one cargo call with the host: see `aot.rs`.
const BUT_AOT: [&str; 3] = ["--workspace", "--exclude", "deciduous-aot"];
const AOT: [&str; 4] = ["--package", "deciduous-aot", "--profile", "tool"];

fn steps(place: &Place) -> Result<Vec<Step>> {
    let cargo = |before: &[&str], packages: &[&str], after: &[&str]| {
        let mut cargo = place.cargo_for_tests();
        cargo.args(before).args(packages).args(after);
        cargo
    };
    let clippy = |packages| {
        cargo(
            &["clippy", "--quiet"],
            packages,
            &["--all-targets", "--", "--deny", "warnings"],
        )
    };
    let test = |packages: &[&str]| cargo(&["test", "--quiet"], packages, &[]);
    let own = |arguments: &[&str]| own(place, arguments);

    Ok(vec![
        Step {
            name: "format",
            shows: "the code is formatted",
            commands: vec![cargo(&["fmt", "--all", "--check"], &[], &[])],
        },
        Step {
            name: "generated",
            shows: "generated files are current",
            commands: vec![own(&["generate", "--check"])?],
        },
        Step {
            name: "build",
            shows: "module, artefact and binary build",
            commands: vec![own(&["build"])?],
        },
        Step {
            name: "tidy",
            shows: "the rules of the house hold",
            commands: vec![test(&["--package", "deciduous-tidy"])],
        },
        Step {
            name: "clippy",
            shows: "no warnings",
            commands: vec![clippy(&BUT_AOT), clippy(&AOT)],
        },
        Step {
            name: "unit",
            shows: "unit tests, and the vectors on every host",
            commands: vec![
                cargo(
                    &["test", "--quiet"],
                    &BUT_AOT,
                    &["--exclude", "deciduous-tidy"],
                ),
                test(&AOT),
            ],
        },
    ])
}

/// This program again: a step that is a command of ours.
fn own(place: &Place, arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.current_dir(&place.root).args(arguments);
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
        say::line(&format!(
            "{}/{total} {:<12} {} …",
            at + 1,
            step.name,
            step.shows
        ));
        let started = Instant::now();
        let outcome = check(step.commands, &log);
        let time = say::seconds(started.elapsed());
        match outcome {
            Ok(()) => {
                passed += 1;
                say::line(&format!(
                    "{}/{total} {:<12} {} in {time}",
                    at + 1,
                    step.name,
                    say::paint("passed", "32")
                ));
            }
            Err(error) => {
                failed.push(step.name);
                io::copy(&mut File::open(&log)?, &mut io::stderr())?;
                say::line(&format!(
                    "{}/{total} {:<12} {} in {time}",
                    at + 1,
                    step.name,
                    say::paint("failed", "31")
                ));
                say::line(&format!("{error:#}"));
                say::line(&format!("again: cargo xtask test --only {}", step.name));
                if !keep_going {
                    break;
                }
            }
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
