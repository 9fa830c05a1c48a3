//! Going back to a copy of the database, so that it can be gone back from too.

use super::ask;
use crate::host::shape;
use crate::store::Store;
use crate::store::alone::{self, free};
use crate::{Access, Failure, Host, Project};
use serde::Serialize;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// What became of the two files.
#[derive(Clone, Debug, Serialize)]
pub struct Restored {
    pub from: PathBuf,
    /// The database as it was; none where there was none.
    pub former: Option<PathBuf>,
    /// Whether it was damaged, so that it was moved and not copied.
    pub damaged: bool,
}

/// Puts a copy of a database in the place of the project's. What was there is kept beside it.
///
/// # Errors
/// Where the copy is no sound store, or another process has the database open; both files are then as they were.
pub fn restore(project: &Project, from: &Path) -> Result<Restored, Failure> {
    is_sound(from)?;
    let database = &project.database;
    let is_same = |a: &Path, b: &Path| match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if is_same(from, database) {
        return Err(Failure::new(
            format!("`{}` is the database itself", from.display()),
            "name a backup of it",
        )
        .with_exit(Failure::USAGE));
    }
    let there = fs::symlink_metadata(database).is_ok();
    let damaged = there && alone::is_damaged(database);
    let former = if damaged {
        Some(alone::set_aside(database)?)
    } else if there {
        Some(over(project, from)?)
    } else {
        None
    };
    if damaged || !there {
        alone::copy(from, database)?;
        renew(project, Store::alone(database, shape()?)?)?;
    }
    Ok(Restored {
        from: from.to_path_buf(),
        former,
        damaged,
    })
}

/// Writes the copy over a database that can be read; answers where its former content is.
fn over(project: &Project, from: &Path) -> Result<PathBuf, Failure> {
    let mut store = Store::alone(&project.database, shape()?)?;
    let former = free(&project.database, ".before-restore");
    store.backup_to(&former)?;
    let done = store.become_as(from);
    if done.is_err() {
        // Nothing was changed, so there is nothing to go back to.
        let _ = fs::remove_file(&former);
    }
    done?;
    renew(project, store)?;
    Ok(former)
}

/// What was written since the copy may be known elsewhere under this store's name and numbers: it goes on under another.
fn renew(project: &Project, store: Store) -> Result<(), Failure> {
    let mut host = Host::holding(project, store);
    ask(&mut host, "renew_replica", &json!({}))?;
    host.store().settle()
}

fn is_sound(from: &Path) -> Result<(), Failure> {
    let store = Store::open(from, Access::Read, shape()?)?;
    match store.complaints()?.first() {
        None => Ok(()),
        Some(said) => Err(Failure::new(
            format!("`{}` is damaged itself: {said}", from.display()),
            "name another backup; nothing was changed",
        )),
    }
}
