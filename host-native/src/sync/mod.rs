//! `deciduous sync`: the ledger's git form, on this machine's side.
//!
//! Owns: listing, reading and writing the files beside the store, one sync at a time. Never: what stands in them; the core
//! reads and writes that. No file is changed or removed but `graph.json`, which is made from the ledger, and
//! what a killed process left without a name.
//!
//! ```text
//! .deciduous/ledger/SHA-256.jsonl    events of everybody, each file written once
//! .deciduous/graph.json              the graph as one file, for those who expect it
//! .deciduous/documents/SHA-256       attached files
//! .deciduous/cache/                  may be deleted at any time
//! ```

mod begin;
mod check;
mod documents;
mod git_files;
mod graph_file;
mod ledger;
mod lock;
mod report;
mod write;

pub use begin::{begin, is_clone};
pub use check::{check, dry_run};
pub use git_files::prepare;
pub use graph_file::SHOWN as GRAPH_FILE;
pub use ledger::names;
pub use report::{Report, counted};

use crate::{Access, Call, Failure, Host, Outcome, Project};
use deciduous_boundary::{Actor, ViewMode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Takes in what others wrote, writes what they lack.
///
/// # Errors
/// Where the store or the folder cannot be written. What cannot be read is in the report.
pub fn sync(project: &Project, caller: &Actor) -> Result<Report, Failure> {
    let _lock = lock::take(project)?;
    let mut report = Report::default();
    prepare(project)?;
    write::sweep(project);
    let mut store = Store {
        host: Host::open(project, Access::Write)?,
        caller: caller.clone(),
    };
    let mut files = ledger::fold(project, &mut store, &mut report)?;
    // What is made from a ledger with a hole must not stand in for what is in the hole.
    let graph = if report.is_whole() {
        graph_file::take_in(project, &mut store, &mut report)?
    } else {
        graph_file::Found::Kept
    };
    ledger::write(project, &mut store, &mut files, &mut report)?;
    graph_file::write(project, &mut store, graph, &mut report)?;
    documents::look(project, &mut store, &mut report)?;
    git_files::look(project, &mut report);
    Ok(report)
}

/// The store, asked in the core's words.
struct Store {
    host: Host,
    caller: Actor,
}

/// How a question ended.
enum Answer<T> {
    Done(T),
    /// What the core refused, and what to do.
    Refused(String, String),
}

impl Store {
    fn ask<T: DeserializeOwned>(
        &mut self,
        tool: &str,
        args: &impl Serialize,
    ) -> Result<Answer<T>, Failure> {
        let unreadable = |error: serde_json::Error| {
            Failure::new(format!("`{tool}` cannot be asked: {error}"), "report this")
        };
        let call = Call {
            toolset: "store",
            tool,
            args: serde_json::value::to_raw_value(args).map_err(unreadable)?,
            caller: self.caller.clone(),
            kept: BTreeMap::new(),
            view: ViewMode::None,
            workspace: None,
        };
        match self.host.call(&call)? {
            Outcome::Done(done) => serde_json::from_str(done.output.get())
                .map(Answer::Done)
                .map_err(unreadable),
            Outcome::Refused(refusal) => Ok(Answer::Refused(refusal.message, refusal.next)),
        }
    }

    /// As [`Store::ask`], for what the core has no reason to refuse.
    fn must<T: DeserializeOwned>(
        &mut self,
        tool: &str,
        args: &impl Serialize,
    ) -> Result<T, Failure> {
        match self.ask(tool, args)? {
            Answer::Done(output) => Ok(output),
            Answer::Refused(message, next) => Err(Failure::new(message, next)),
        }
    }
}
