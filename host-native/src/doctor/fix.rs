//! A mending: the plan, a copy, the repairs in one transaction, a second look.

use super::{Report, Terms, ask, blobs, explained, files, look, pages, read, search_due};
use crate::host::shape;
use crate::store::alone::free;
use crate::store::{Store, Transaction};
use crate::{Failure, Host, Project, upgrade};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// What was done, in numbers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Done {
    /// Rows made again from their events.
    pub rows: u64,
    /// Events written of what only a table said.
    pub events: u64,
    /// Rows for what others join and the ledger does not know.
    pub placeholders: u64,
    pub counters: u64,
    /// Documents of the search index, where it was made again.
    pub search: u64,
    /// Rows of an older program that were taken in.
    pub older: u64,
    pub blobs: u64,
    pub permissions: u64,
}

/// How a mending ended.
#[derive(Clone, Debug, Serialize)]
pub struct Fixed {
    /// What was found before.
    pub found: Report,
    pub done: Done,
    /// The store as it was; none where there was nothing to do.
    pub backup: Option<PathBuf>,
    /// What is still to be done by hand.
    pub left: Report,
}

#[derive(Deserialize)]
struct Mended {
    rows: u64,
    events: u64,
    placeholders: u64,
    counters: u64,
}

/// Mends what can be mended. `plan` is told before anything is changed.
///
/// # Errors
/// Where another process has the store open, or something fails; the database is then as it was.
pub fn fix(project: &Project, plan: &mut dyn FnMut(&Report)) -> Result<Fixed, Failure> {
    mended(project, plan).map_err(|why| explained(project, why))
}

fn mended(project: &Project, plan: &mut dyn FnMut(&Report)) -> Result<Fixed, Failure> {
    let store = Store::alone(&project.database, shape()?)?;
    let mut host = Host::holding(project, store);
    let found = look(&mut host, project)?;
    plan(&found);
    if found.mendable == 0 {
        return Ok(Fixed {
            left: found.clone(),
            found,
            done: Done::default(),
            backup: None,
        });
    }
    let backup = free(&project.database, ".before-doctor");
    host.backup_to(&backup)?;
    let mended = mend_all(&mut host, project, &found);
    if mended.is_err() {
        host.store_mut().drop_all();
        // Nothing was changed, so there is nothing to go back to.
        let _ = fs::remove_file(&backup);
    }
    let (done, left) = mended?;
    Ok(Fixed {
        found,
        done,
        backup: Some(backup),
        left,
    })
}

fn mend_all(host: &mut Host, project: &Project, found: &Report) -> Result<(Done, Report), Failure> {
    host.store_mut().hold(Transaction::Write)?;
    let mut done = Done::default();
    if found.has("file") {
        host.store().make_indexes_again()?;
    }
    if found.has("older") {
        done.older = take_in(host, project)?;
    }
    pages(host, "mend_store", |_, page: Mended| {
        done.rows += page.rows;
        done.events += page.events;
        done.placeholders += page.placeholders;
        done.counters += page.counters;
        Ok(())
    })?;
    let due = search_due(host)?;
    if !host.store().search_sum().is_ok_and(|is| is == due) {
        done.search = fill_search(host)?;
    }
    done.blobs = blobs::mend(host, project)?;
    done.permissions = files::mend(project)?;
    let left = look(host, project)?;
    // The log is taken in behind the commit.
    let unmended = |finding: &&super::Finding| finding.mendable && finding.kind != "log";
    if let Some(finding) = left.findings.iter().find(unmended) {
        return Err(Failure::new(
            format!("the store could not be mended: after it, {}", finding.what),
            "restore a backup with `deciduous doctor --restore FILE`, and report this; nothing was changed",
        ));
    }
    host.store_mut().end()?;
    host.store().settle()?;
    let mut left = left;
    left.drop_kind("log");
    Ok((done, left))
}

fn fill_search(host: &mut Host) -> Result<u64, Failure> {
    host.store().empty_search()?;
    let mut filled = 0;
    pages(host, "read_terms", |host, page: Terms| {
        for doc in &page.documents {
            host.store()
                .fill_search(doc.workspace, doc.doc, doc.length, &doc.terms)?;
        }
        filled += page.documents.len() as u64;
        Ok(())
    })?;
    Ok(filled)
}

/// Hands the rows that an older program wrote to the core and removes its tables; answers how many rows.
fn take_in(host: &mut Host, project: &Project) -> Result<u64, Failure> {
    let mut taken = 0;
    for foreign in host.store().foreign()? {
        let rows = host.store().foreign_rows(&foreign.older)?;
        let count: i64 = foreign.tables.values().sum();
        if count > 0 {
            let args = json!({ "tables": rows, "leave_dangling": true });
            let output = ask(host, &foreign.older.tool, &args).map_err(|why| Failure {
                message: format!(
                    "what {} wrote cannot be taken in: {}",
                    foreign.older.program, why.message
                ),
                ..why
            })?;
            upgrade::keep_all(&project.documents, &read(&output)?);
        }
        taken += count.unsigned_abs();
        host.store().drop_foreign(&foreign.older)?;
    }
    Ok(taken)
}

/// What a person is told of it.
#[must_use]
pub fn told(done: &Done, backup: &Path) -> String {
    let parts = [
        (done.rows, "rows made again from their events"),
        (done.events, "events written of what only a table said"),
        (
            done.placeholders,
            "rows put where something was joined that was not there",
        ),
        (done.counters, "counters set right"),
        (done.search, "documents indexed again"),
        (done.older, "rows of an older program taken in"),
        (done.blobs, "documents stored again"),
        (done.permissions, "permissions taken from everybody"),
    ];
    let said: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    format!(
        "mended: {}\nas it was: {}\nto undo: deciduous doctor --restore {}",
        if said.is_empty() {
            "indexes and log".to_owned()
        } else {
            said.join(", ")
        },
        backup.display(),
        backup.display()
    )
}
