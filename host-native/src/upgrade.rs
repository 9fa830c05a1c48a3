//! Taking over another program's store where it lies, when it is opened: a backup beside it, its rows handed to the
//! core, our tables in place of its own, all in one transaction.
//!
//! Owns: the order of these steps, and that a refusal leaves the file as it was. Never: what a row means (the core),
//! SQL (`store::older`).

use crate::store::Shape;
use crate::store::alone::free;
use crate::store::older::{self, Taking, Whose};
use crate::{Call, Failure, Host, Outcome, Project, documents};
use deciduous_boundary::{Actor, ActorKind, Refusal, ViewMode};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a backup is called behind the database's own name.
const BACKUP: &str = ".before-upgrade";

/// What was taken over.
#[derive(Clone, Debug, Serialize)]
pub struct Upgraded {
    /// The program whose store it was.
    pub from: String,
    /// The store as it was.
    pub backup: PathBuf,
    /// What the tool of the core says: rows of each table, what was added.
    pub report: Value,
    /// Tables that stay as they are: name to rows.
    pub left: BTreeMap<String, i64>,
    /// Documents whose bytes are not there, or are other ones.
    pub missing_documents: Vec<String>,
}

/// How the core refused to take it over.
#[derive(Debug)]
pub enum NotUpgraded {
    Failed(Failure),
    Refused(Box<Refusal>),
}

impl From<NotUpgraded> for Failure {
    fn from(why: NotUpgraded) -> Self {
        match why {
            NotUpgraded::Failed(failure) => failure,
            NotUpgraded::Refused(refusal) => Failure::new(
                format!(
                    "the store of an older program cannot be upgraded: {}",
                    refusal.message
                ),
                refusal.next,
            )
            .with_exit(Failure::RULE),
        }
    }
}

impl From<Failure> for NotUpgraded {
    fn from(failure: Failure) -> Self {
        NotUpgraded::Failed(failure)
    }
}

/// What of the tool's answer the host acts on.
#[derive(Deserialize)]
pub(crate) struct Report {
    #[serde(default)]
    documents: Vec<Blob>,
}

/// Bytes to be kept under their SHA-256.
#[derive(Deserialize)]
struct Blob {
    file: String,
    sha256: String,
}

/// How it ended.
#[derive(Debug)]
pub enum Upgrade {
    Done(Box<Upgraded>),
    /// The store is ours; perhaps since a moment ago, by another process.
    Current,
    /// It is nobody's that is known.
    Unknown,
}

/// Takes the project's store over if it is another program's.
///
/// # Errors
/// Where it cannot be; the file is then as it was, and no backup is left.
pub fn run(
    project: &Project,
    shape: &Arc<Shape>,
    leave_dangling: bool,
) -> Result<Upgrade, NotUpgraded> {
    let database = &project.database;
    match older::look(database, shape) {
        Whose::Older(_) => {}
        Whose::Ours => return Ok(Upgrade::Current),
        Whose::Unknown => return Ok(Upgrade::Unknown),
    }
    let taking = Taking::begin(database, shape.clone()).map_err(|why| closed(database, why))?;
    let Some(taking) = taking else {
        return Ok(Upgrade::Current);
    };
    let backup = free(database, BACKUP);
    taking.backup_to(&backup)?;
    let upgraded = take(project, taking, leave_dangling, &backup);
    if upgraded.is_err() {
        // Nothing was changed, so there is nothing to go back to.
        let _ = fs::remove_file(&backup);
    }
    upgraded.map(|upgraded| Upgrade::Done(Box::new(upgraded)))
}

fn take(
    project: &Project,
    taking: Taking,
    leave_dangling: bool,
    backup: &Path,
) -> Result<Upgraded, NotUpgraded> {
    let mut args = json!({ "tables": taking.rows()? });
    if leave_dangling {
        args["leave_dangling"] = true.into();
    }
    taking.make_tables()?;
    let Taking { store, older } = taking;
    let mut host = Host::holding(project, store);
    let args = RawValue::from_string(args.to_string()).map_err(|error| {
        Failure::new(
            format!("the rows are no JSON: {error}"),
            "report this; nothing was changed",
        )
    })?;
    let call = Call {
        toolset: &older.toolset,
        tool: &older.tool,
        args,
        caller: Actor {
            name: "upgrade".to_owned(),
            kind: ActorKind::System,
        },
        kept: BTreeMap::new(),
        view: ViewMode::None,
        workspace: None,
    };
    let done = match host.call(&call)? {
        Outcome::Done(done) => done,
        Outcome::Refused(refusal) => return Err(NotUpgraded::Refused(refusal)),
    };
    let unread = |error| {
        Failure::new(
            format!("the core's report cannot be read: {error}"),
            "report this; nothing was changed",
        )
    };
    let report: Report = serde_json::from_str(done.output.get()).map_err(unread)?;
    // Bytes first: what the committed rows name is there.
    let missing_documents = keep_all(&project.documents, &report);
    let from = older.program.clone();
    let left = Taking {
        store: host.into_store(),
        older,
    }
    .end()?;
    let report = serde_json::from_str(done.output.get()).map_err(unread)?;
    Ok(Upgraded {
        from,
        backup: backup.to_path_buf(),
        report,
        left,
        missing_documents,
    })
}

/// Keeps the bytes of all documents; answers those that are not there, or are others.
pub(crate) fn keep_all(folder: &Path, report: &Report) -> Vec<String> {
    let lost = report.documents.iter().filter(|blob| !keep(folder, blob));
    lost.map(|blob| blob.file.clone()).collect()
}

/// Keeps the bytes under their digest; no where they are not there, or are others.
fn keep(folder: &Path, blob: &Blob) -> bool {
    // A name, not a path: what lies elsewhere was never one of its documents.
    let is_name = !blob.file.is_empty() && !blob.file.contains(['/', '\\']) && blob.file != "..";
    let place = folder.join(&blob.file);
    let is_file = fs::symlink_metadata(&place).is_ok_and(|meta| meta.is_file());
    if !is_name || !is_file {
        return documents::path(folder, &blob.sha256).is_file();
    }
    let stored = File::open(&place)
        .ok()
        .and_then(|mut file| documents::store(folder, &mut file, u64::MAX).ok());
    stored.is_some_and(|stored| stored.sha256 == blob.sha256)
}

/// Whether a file's name is that of a backup made here, of any database.
pub fn is_backup(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().contains(BACKUP))
}

/// Why the upgrade did not even begin.
fn closed(database: &Path, why: Failure) -> Failure {
    Failure {
        message: format!(
            "`{}` is the store of an older program, which is upgraded when it is opened: {}",
            database.display(),
            why.message
        ),
        ..why
    }
}

/// What a person is told of it, in a few lines.
#[must_use]
pub fn told(upgraded: &Upgraded) -> String {
    let count = |name: &str| upgraded.report["added"][name].as_u64().unwrap_or_default();
    let mut text = format!(
        "upgraded the store of {}: {} nodes, {} edges, {} themes, {} tags, {} documents, {} sessions; dropped 0; as it was: {}",
        upgraded.from,
        count("nodes"),
        count("edges"),
        count("themes"),
        count("tags"),
        count("documents"),
        count("sessions"),
        upgraded.backup.display(),
    );
    let list = |items: Vec<String>| items.join(", ");
    let dangling = upgraded.report["total_dangling"]
        .as_u64()
        .unwrap_or_default();
    if dangling > 0 {
        text.push_str(&format!(
            "\n{dangling} rows that join what is not there are only in the backup"
        ));
    }
    if !upgraded.left.is_empty() {
        let left = upgraded
            .left
            .iter()
            .map(|(table, rows)| format!("{table} ({rows})"))
            .collect();
        text.push_str(&format!("\nleft as they are, rows of: {}", list(left)));
    }
    if let Some(ignored) = upgraded.report["ignored_keys"]
        .as_object()
        .filter(|keys| !keys.is_empty())
    {
        text.push_str(&format!(
            "\nonly in the backup: {}",
            list(ignored.keys().cloned().collect())
        ));
    }
    if !upgraded.missing_documents.is_empty() {
        text.push_str(&format!(
            "\nbytes that are not there, or others: {}",
            list(upgraded.missing_documents.clone())
        ));
    }
    text
}
