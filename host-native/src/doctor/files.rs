//! The files around the graph: who may change them, what lies about.

use super::Report;
use crate::store::beside;
use crate::{Failure, Host, Project, os};
use std::fs;
use std::path::{Path, PathBuf};

/// The files and folders that hold the graph, as far as they are there.
fn places(project: &Project) -> Vec<PathBuf> {
    let database = &project.database;
    let folder = database.parent().map(Path::to_path_buf);
    let mut all: Vec<PathBuf> = folder.into_iter().collect();
    all.push(database.clone());
    all.extend(["-wal", "-shm", "-journal"].map(|ending| beside(database, ending)));
    all.push(project.documents.clone());
    all.retain(|path| fs::metadata(path).is_ok());
    all
}

pub(super) fn look(host: &Host, project: &Project, report: &mut Report) -> Result<(), Failure> {
    for path in places(project) {
        let name = path.display().to_string();
        if os::anybody_may_write(&path) {
            let what = format!("anybody on this machine may change `{name}`");
            report.found(
                "permission",
                &name,
                what,
                "that is taken from them (`chmod o-w`)",
                true,
            );
        }
        if !os::may_write(&path) {
            let what = format!("you may not write to `{name}`, so the store can only be read");
            report.found(
                "permission",
                &name,
                what,
                "have its owner give you the right, or work as its owner",
                false,
            );
        }
    }
    if let Some(length) = host.store().long_log() {
        let what = format!(
            "the log `{}` is {} MB long: it was not taken into the database for long",
            beside(&project.database, "-wal").display(),
            length >> 20
        );
        report.found(
            "log",
            "database",
            what,
            "it is taken into the database",
            true,
        );
    }
    let journal = host.store().journal()?;
    if journal != "wal" {
        report.notes.push(format!(
            "the journal is `{journal}`, not `wal`: readers wait for writers"
        ));
    }
    let parts = parts(project);
    if !parts.is_empty() {
        report.notes.push(format!(
            "left by commands that were ended in the middle, safe to remove: {}",
            parts.join(", ")
        ));
    }
    Ok(())
}

/// Takes from everybody else what only the owner and the group should do; answers of how many files.
pub(super) fn mend(project: &Project) -> Result<u64, Failure> {
    let mut mended = 0;
    for path in places(project)
        .iter()
        .filter(|path| os::anybody_may_write(path))
    {
        os::keep_from_anybody(path).map_err(|error| {
            Failure::new(
                format!(
                    "the permissions of `{}` cannot be changed: {error}",
                    path.display()
                ),
                "have its owner do it",
            )
        })?;
        mended += 1;
    }
    Ok(mended)
}

/// Files that a command makes before it gives them their name.
fn parts(project: &Project) -> Vec<String> {
    let folders = [project.database.parent(), Some(project.documents.as_path())];
    let entries = folders
        .into_iter()
        .flatten()
        .filter_map(|at| fs::read_dir(at).ok());
    let mut parts: Vec<String> = entries
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".new-"))
        .collect();
    parts.sort_unstable();
    parts
}
