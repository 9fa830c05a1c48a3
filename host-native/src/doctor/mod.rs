//! Looking after a store: whether all is as it should be, mending what is not, going back to a copy.
//!
//! Owns: which looks there are and the order of a mending. Never: what a row must say (the core's `check_store` and
//! `mend_store`), SQL (`store::health`).
//!
//! A look changes nothing. A mending makes a copy beside the database first, works under a lock that nobody shares, in
//! one transaction, and looks again before it commits.

mod blobs;
mod files;
mod fix;
mod restore;

pub use fix::{Fixed, fix, told};
pub use restore::{Restored, restore};

use crate::host::shape;
use crate::store::alone;
use crate::store::health::SearchSum;
use crate::store::older::{self, Whose};
use crate::store::{Store, Transaction};
use crate::{Access, Call, Failure, Host, Outcome, Project};
use deciduous_boundary::{Actor, ActorKind, ViewMode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Findings that are kept; the rest is counted.
const KEPT: usize = 1_000;
const TOOLSET: &str = "store";

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub kind: String,
    /// Where it is: a record, an event, a file.
    pub subject: String,
    pub what: String,
    /// What mends it.
    pub repair: String,
    /// Whether `--fix` does.
    pub mendable: bool,
}

/// What a look found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    pub clean: bool,
    pub total: usize,
    /// Of them, what `--fix` mends.
    pub mendable: usize,
    /// Kind to findings.
    pub kinds: BTreeMap<String, usize>,
    /// The first thousand.
    pub findings: Vec<Finding>,
    /// What is worth knowing and is no fault.
    pub notes: Vec<String>,
    /// What was looked at, and how many of it.
    pub looked_at: BTreeMap<String, u64>,
}

impl Report {
    fn add(&mut self, finding: Finding) {
        self.total += 1;
        self.mendable += usize::from(finding.mendable);
        *self.kinds.entry(finding.kind.clone()).or_default() += 1;
        if self.findings.len() < KEPT {
            self.findings.push(finding);
        }
    }

    fn found(&mut self, kind: &str, subject: &str, what: String, repair: &str, mendable: bool) {
        self.add(Finding {
            kind: kind.to_owned(),
            subject: subject.to_owned(),
            what,
            repair: repair.to_owned(),
            mendable,
        });
    }

    fn drop_kind(&mut self, kind: &str) {
        let gone = self.kinds.remove(kind).unwrap_or_default();
        self.findings.retain(|finding| finding.kind != kind);
        self.total -= gone;
        self.mendable -= gone;
        self.clean = self.total == 0;
    }

    fn has(&self, kind: &str) -> bool {
        self.kinds.contains_key(kind)
    }
}

/// Looks at everything, and changes nothing.
///
/// # Errors
/// Where the database cannot be read at all; what to do then is said.
pub fn check(project: &Project) -> Result<Report, Failure> {
    let shape = shape()?;
    let mut store = Store::open(&project.database, Access::Read, shape.clone()).map_err(|why| {
        match older::look(&project.database, &shape) {
            Whose::Older(older) if why.is_foreign => Failure::new(
                format!(
                    "`{}` is the store of {}",
                    project.database.display(),
                    older.program
                ),
                "run `deciduous upgrade`, which takes it over after a backup; nothing was changed",
            ),
            _ => explained(project, why),
        }
    })?;
    // All looks see the same moment, whoever writes meanwhile.
    store.hold(Transaction::Read)?;
    let mut host = Host::holding(project, store);
    let report = look(&mut host, project);
    drop(host);
    report.map_err(|why| explained(project, why))
}

/// Where it is the file that is damaged, what to do about it.
fn explained(project: &Project, why: Failure) -> Failure {
    if !alone::is_damaged(&project.database) {
        return why;
    }
    Failure {
        next: format!(
            "{}; `deciduous doctor --restore FILE` puts a backup in its place and keeps this file beside it",
            why.next
        ),
        ..why
    }
}

/// All looks.
fn look(host: &mut Host, project: &Project) -> Result<Report, Failure> {
    let mut report = Report::default();
    let complaints = host.store().complaints()?;
    for said in &complaints {
        let repair = "the indexes are made again; where that does not help, restore a backup with `deciduous doctor --restore FILE`";
        report.found(
            "file",
            "database",
            format!("SQLite says: {said}"),
            repair,
            true,
        );
    }
    for said in host.store().broken_keys()? {
        let repair = "correct the row with sqlite3";
        report.found("file", "database", said, repair, false);
    }
    foreign(host, &mut report)?;
    pages(host, "check_store", |_, page: Checked| {
        *report.looked_at.entry(page.part).or_default() += page.looked_at;
        page.findings
            .into_iter()
            .for_each(|finding| report.add(finding));
        Ok(())
    })?;
    search(host, &mut report)?;
    blobs::look(host, project, &mut report)?;
    files::look(host, project, &mut report)?;
    report.clean = report.total == 0;
    Ok(report)
}

fn foreign(host: &Host, report: &mut Report) -> Result<(), Failure> {
    for foreign in host.store().foreign()? {
        let tables: Vec<String> = foreign
            .tables
            .iter()
            .map(|(table, rows)| format!("{table} ({rows})"))
            .collect();
        let what = format!(
            "{} wrote here after the store was taken over: rows of {}",
            foreign.older.program,
            tables.join(", ")
        );
        let repair =
            "its rows are taken in and its tables removed; use one version only, or it comes again";
        report.found("older", "database", what, repair, true);
    }
    Ok(())
}

/// The sum of what the search index should hold.
fn search_due(host: &mut Host) -> Result<SearchSum, Failure> {
    let mut due = SearchSum::default();
    pages(host, "read_terms", |_, page: Terms| {
        page.documents
            .iter()
            .try_for_each(|doc| due.expect(doc.workspace, doc.doc, doc.length, &doc.terms))
    })?;
    Ok(due)
}

fn search(host: &mut Host, report: &mut Report) -> Result<(), Failure> {
    let due = search_due(host)?;
    report.looked_at.insert("search".to_owned(), due.documents);
    let what = match host.store().search_sum() {
        Ok(is) if is == due => return Ok(()),
        Ok(is) if is.documents != due.documents => format!(
            "the search index holds {} documents and should hold {}",
            is.documents, due.documents
        ),
        Ok(is) if is.postings != due.postings => {
            "the search index holds other words than the texts it was made of".to_owned()
        }
        Ok(_) => "the search index counts its words wrongly".to_owned(),
        Err(why) => format!("the search index cannot be read: {}", why.message),
    };
    report.found("search", "search index", what, "it is made again", true);
    Ok(())
}

#[derive(Deserialize)]
struct Checked {
    part: String,
    looked_at: u64,
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Terms {
    documents: Vec<Document>,
}

/// A document of the search index.
#[derive(Deserialize)]
struct Document {
    workspace: u32,
    doc: u32,
    length: u32,
    terms: Vec<String>,
}

#[derive(Deserialize)]
struct More {
    #[serde(default)]
    cursor: Option<String>,
}

/// Calls a tool of the core page by page.
fn pages<T: DeserializeOwned>(
    host: &mut Host,
    tool: &str,
    mut each: impl FnMut(&mut Host, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut cursor = String::new();
    loop {
        let output = ask(host, tool, &json!({ "cursor": cursor }))?;
        let more: More = read(&output)?;
        each(host, read(&output)?)?;
        match more.cursor {
            Some(next) if next != cursor => cursor = next,
            Some(_) => return Err(unread("its cursor does not move")),
            None => return Ok(()),
        }
    }
}

fn ask(host: &mut Host, tool: &str, args: &serde_json::Value) -> Result<Box<RawValue>, Failure> {
    let args =
        RawValue::from_string(args.to_string()).map_err(|error| unread(&error.to_string()))?;
    let call = Call {
        toolset: TOOLSET,
        tool,
        args,
        caller: Actor {
            name: "doctor".to_owned(),
            kind: ActorKind::System,
        },
        kept: BTreeMap::new(),
        view: ViewMode::None,
        workspace: None,
    };
    match host.call(&call)? {
        Outcome::Done(done) => Ok(done.output),
        Outcome::Refused(refusal) => Err(Failure::new(refusal.message, refusal.next)),
    }
}

fn read<T: DeserializeOwned>(output: &RawValue) -> Result<T, Failure> {
    serde_json::from_str(output.get()).map_err(|error| unread(&error.to_string()))
}

fn unread(why: &str) -> Failure {
    Failure::new(
        format!("the core's answer cannot be used: {why}"),
        "report this",
    )
}
