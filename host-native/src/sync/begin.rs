//! A clone's first write: its store begins with what the files hold.
//!
//! Owns: saying that a project is such a clone. Never: a fold into a store that is there; that is for `sync`, when it
//! is asked for.

use super::report::{Report, counted};
use super::{Store, ledger, lock};
use crate::{Access, Failure, Host, Project};
use deciduous_boundary::{Actor, ActorKind};

/// Whether the ledger's files are there and the project's own database is not yet.
pub fn is_clone(project: &Project) -> bool {
    let is_own = project
        .database
        .parent()
        .is_some_and(|folder| folder == project.folder());
    is_own
        && !project.database.exists()
        && ledger::names(project).is_some_and(|names| !names.is_empty())
}

/// Makes a clone's database from the files; answers what a person should know of it. Elsewhere nothing is done.
///
/// # Errors
/// Where it cannot be made.
pub fn begin(project: &Project) -> Result<Option<String>, Failure> {
    if !is_clone(project) {
        return Ok(None);
    }
    let _lock = lock::take(project)?;
    // Another process may have been first.
    if project.database.exists() {
        return Ok(None);
    }
    let mut report = Report::default();
    let mut store = Store {
        host: Host::open(project, Access::Write)?,
        // Nothing is written in anybody's name.
        caller: Actor {
            name: "deciduous".to_owned(),
            kind: ActorKind::System,
        },
    };
    ledger::fold(project, &mut store, &mut report)?;
    let (events, files) = (
        counted(report.events_taken, "event"),
        counted(report.segments, "segment file"),
    );
    let mut told = format!("the database is new; took in {events} from {files}");
    if !report.is_well() {
        told.push_str("; not all could be read: run `deciduous sync`");
    }
    Ok(Some(told))
}
