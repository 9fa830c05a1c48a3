//! Looking without touching: `--check`, for a build server, and `--dry-run`.
//!
//! Owns: a store of its own that lasts as long as the look. Never: a write in the project's folder.

use super::ledger::{self, Files};
use super::report::Report;
use super::{Store, documents, git_files, graph_file};
use crate::{Access, Failure, Host, Project, os};
use deciduous_boundary::Actor;
use std::path::PathBuf;
use std::{env, fs};

/// A folder that is removed with what lies in it.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left of it lies where temporary files are cleared away.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether the files are whole, say the same as each other, and hold everything of this machine's store, where there is
/// one. Nothing is changed.
///
/// # Errors
/// Where a store for the look cannot be made.
pub fn check(project: &Project, caller: &Actor) -> Result<Report, Failure> {
    let unmade = |error: std::io::Error| {
        Failure::new(
            format!("no temporary store can be made: {error}"),
            "check that the folder for temporary files may be written",
        )
    };
    let name = format!(
        "deciduous-check-{}-{:08x}",
        std::process::id(),
        os::dice().map_err(unmade)?
    );
    let scratch = Scratch(env::temp_dir().join(name));
    fs::create_dir_all(&scratch.0).map_err(unmade)?;
    let copy = Project {
        database: scratch.0.join("check.db"),
        ..project.clone()
    };
    let mut report = Report::default();
    let mut store = Store {
        host: Host::open(&copy, Access::Write)?,
        caller: caller.clone(),
    };
    ledger::fold(&copy, &mut store, &mut report)?;
    if report.is_whole() {
        graph_file::compare(&copy, &mut store, &mut report)?;
    }
    documents::look(project, &mut store, &mut report)?;
    report.events_taken = 0;
    report.renamed = None;
    of_this_machine(project, caller, &mut report)?;
    git_files::look(project, &mut report);
    Ok(report)
}

/// What a sync would take in and write.
///
/// # Errors
/// Where the store cannot be read.
pub fn dry_run(project: &Project, caller: &Actor) -> Result<Report, Failure> {
    let mut report = Report::default();
    of_this_machine(project, caller, &mut report)?;
    if !project.database.exists() {
        report.unread = Files::list(project, &mut report)?.len();
    }
    Ok(report)
}

fn of_this_machine(project: &Project, caller: &Actor, report: &mut Report) -> Result<(), Failure> {
    if !project.database.exists() {
        return Ok(());
    }
    let mut store = Store {
        host: Host::open(project, Access::Read)?,
        caller: caller.clone(),
    };
    let mut listed = Report::default();
    let files = Files::list(project, &mut listed)?;
    let plan = files.plan(project, &mut store)?;
    report.segments = listed.segments;
    report.unwritten = plan.unwritten;
    report.unread = plan.read.len();
    Ok(())
}
