//! `deciduous sync`: the command around [`crate::sync`].
//!
//! Owns: its flags, its words, its exit code. Never: files.

use super::super::output::{self, Globals, Stop};
use super::super::run::caller;
use super::super::text::shown;
use super::{Own, switch};
use crate::sync::{self, Report, counted};
use crate::{Failure, Project};
use clap::{ArgMatches, Command};

const COMPLAINTS_SHOWN: usize = 5;

pub static COMMAND: Own = Own {
    words: &["sync"],
    summary: "Share the graph through git",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .about("Share the graph through git: takes in the segment files that others wrote to .deciduous/ledger/, and writes one new file with what they lack. Merge, rebase and squash as you like: no file is ever changed, so there is nothing to conflict.")
        .arg(switch("check", "Change nothing; exit 1 where files are damaged, do not say the same, or lack something of this store (for CI)"))
        .arg(switch("dry-run", "Only say what would be taken in and written").conflicts_with("check"))
        .after_help("Deleting or checking out files never takes anything away from this machine's store: the next sync writes them again.\n\nExamples:\n  git pull && deciduous sync && git add .deciduous && git commit -m \"Sync decisions\"\n  deciduous sync --check")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let project = Project::find(globals.db.as_deref())?;
    if matches.get_flag("check") {
        let report = sync::check(&project, &caller())?;
        let mut lines = report.notes();
        if report.is_well() && report.unwritten == 0 && report.unread == 0 {
            let files = counted(report.segments, "segment file");
            lines.insert(0, format!("In sync: {files}."));
        }
        told(&report, &lines, globals)?;
        return checked(&report);
    }
    if matches.get_flag("dry-run") {
        let report = sync::dry_run(&project, &caller())?;
        let (files, events) = (
            counted(report.segments, "segment file"),
            counted(report.unwritten, "event"),
        );
        let unread = report.unread;
        let lines = [format!(
            "Would read {unread} of {files} and write {events}."
        )];
        return told(&report, &lines, globals);
    }
    let report = sync::sync(&project, &caller())?;
    told(&report, &report.lines(), globals)?;
    well(&report)
}

fn told(report: &Report, lines: &[String], globals: &Globals) -> Result<(), Stop> {
    if globals.json {
        let json = serde_json::to_string(report).map_err(|error| {
            Failure::new(format!("the report is no JSON: {error}"), "report this")
        })?;
        return output::data(&format!("{json}\n"));
    }
    output::data(&shown(
        &lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
        true,
    ))
}

fn well(report: &Report) -> Result<(), Stop> {
    if report.is_well() {
        return Ok(());
    }
    let next = format!(
        "{}; what can be read was taken in, and the file was not changed",
        mend(report)
    );
    Err(Failure::new(few(report.complaints()), next).into())
}

/// As many sentences as are read; a report as JSON has all.
fn few(mut complaints: Vec<String>) -> String {
    let more = complaints.len().saturating_sub(COMPLAINTS_SHOWN);
    complaints.truncate(COMPLAINTS_SHOWN);
    let told = complaints.join("; ");
    if more == 0 {
        return told;
    }
    format!(
        "{told}; {} more, all in `--json`",
        counted(more, "complaint")
    )
}

/// How what is wrong comes right.
fn mend(report: &Report) -> &'static str {
    let of = |state: &'static str| {
        let problems = report.problems.iter();
        problems.filter(move |problem| problem.state == state)
    };
    if of("newer").next().is_some() {
        return "use the newer program that wrote it";
    }
    if of("damaged").next().is_some() {
        return if of("damaged").all(|problem| problem.file == sync::GRAPH_FILE) {
            "take a whole one back from git, or delete it where only this program wrote to it (it is made from the segments), then run `deciduous sync`"
        } else if of("damaged").all(|problem| problem.held) {
            "delete the file, or take it back whole from git, then run `deciduous sync`"
        } else {
            "take the whole file back from git (`git log -- FILE`, `git checkout COMMIT -- FILE`), then run `deciduous sync`"
        };
    }
    if of("waiting").next().is_some() {
        "fetch the commits with the segment files that came before it, then run `deciduous sync`"
    } else if of("unread").next().is_some() {
        "give the file its name back (`git log --follow -- FILE` knows it), then run `deciduous sync`"
    } else {
        "run `deciduous sync` and commit `.deciduous`"
    }
}

fn checked(report: &Report) -> Result<(), Stop> {
    let mut complaints = Vec::new();
    if report.unwritten > 0 {
        let events = counted(report.unwritten, "event");
        complaints.push(format!("{events} of this store in no segment file"));
    }
    let told = report
        .problems
        .iter()
        .filter(|problem| problem.file != sync::GRAPH_FILE)
        .filter(|problem| ["damaged", "newer", "waiting"].contains(&problem.state.as_str()));
    let unread = report.unread.saturating_sub(told.count());
    if unread > 0 {
        let files = counted(unread, "segment file");
        complaints.push(format!("{files} not taken in yet"));
    }
    complaints.extend(report.complaints());
    if complaints.is_empty() {
        return Ok(());
    }
    let next = format!("{}; nothing was changed", mend(report));
    Err(Failure::new(few(complaints), next).into())
}
