//! `deciduous doc gc`: takes away stored bytes that no attachment refers to any more.
//!
//! Owns: which files of the documents' folder go. Never: a file that is not named by a hash, or one that a document of
//! this store refers to.

use super::super::fields::Fields;
use super::super::output::{self, Globals, Stop};
use super::super::run::of_store;
use super::super::text::shown;
use super::{Own, switch};
use crate::documents;
use crate::upgrade::is_backup;
use crate::{Failure, Project};
use clap::{ArgMatches, Command};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub static COMMAND: Own = Own {
    words: &["doc", "gc"],
    summary: "Take away stored bytes that no attachment refers to",
    build: flags,
    run,
};

const TOOL: &str = "list_blobs";

fn flags(command: Command) -> Command {
    command
        .about("Take away the bytes of files that were detached, or whose node was deleted. What is taken away does not come back, not even by undoing the detaching.")
        .arg(switch("dry-run", "Only say what would go").short('n'))
        .after_help("Examples:\n  deciduous doc gc --dry-run\n  deciduous doc gc")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let dry_run = matches.get_flag("dry-run");
    let project = Project::find(globals.db.as_deref())?;
    if let Some(other) = neighbour(&project) {
        return Err(Failure::new(
            format!(
                "`{}` lies beside this database and may refer to the same files",
                other.display()
            ),
            "move it, or its documents, to a folder of its own",
        )
        .with_exit(Failure::RULE)
        .into());
    }
    // Nobody attaches a file between the look at the store and the look at the folder.
    let alone = if project.documents.is_dir() {
        Some(documents::hold_alone(&project.documents)?)
    } else {
        None
    };
    let kept = of_store(&project, TOOL, &Fields::default())?;
    let kept: BTreeSet<&str> = kept["blobs"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|blob| blob["sha256"].as_str())
        .collect();
    let mut gone = Vec::new();
    let mut bytes = 0;
    for (name, path, size) in stored(&project.documents)? {
        if kept.contains(name.as_str()) {
            continue;
        }
        if !dry_run {
            fs::remove_file(&path).map_err(|error| {
                Failure::new(
                    format!("`{}` cannot be taken away: {error}", path.display()),
                    "check who may write there; what was taken away before it is gone",
                )
            })?;
        }
        bytes += size;
        gone.push(json!({ "sha256": name, "size_bytes": size }));
    }
    drop(alone);
    if globals.json {
        let answer =
            json!({ "dry_run": dry_run, "removed": gone, "bytes": bytes, "kept": kept.len() });
        return output::data(&format!("{answer}\n"));
    }
    let verb = if dry_run {
        "Would take away"
    } else {
        "Took away"
    };
    let files = if gone.len() == 1 { "file" } else { "files" };
    let mut text = format!(
        "{verb} {} {files} ({bytes} bytes); {} in use\n",
        gone.len(),
        kept.len()
    );
    for one in &gone {
        text.push_str(&format!(
            "  {} ({} bytes)\n",
            one["sha256"].as_str().unwrap_or_default(),
            one["size_bytes"]
        ));
    }
    output::data(&shown(&text, true))
}

/// Another database in the same folder: its documents lie among these. A backup of this one is none.
fn neighbour(project: &Project) -> Option<PathBuf> {
    let folder = project.database.parent()?;
    let own = fs::canonicalize(&project.database).ok()?;
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut others = entries.map(|entry| entry.path()).filter(|path| {
        path.extension().is_some_and(|ending| ending == "db")
            && !is_backup(path)
            && fs::canonicalize(path).is_ok_and(|path| path != own)
    });
    others.next()
}

/// The stored files: (hash, path, bytes).
fn stored(folder: &Path) -> Result<Vec<(String, PathBuf, u64)>, Failure> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(Failure::new(
                format!("`{}` cannot be read: {error}", folder.display()),
                "check who may read it",
            ));
        }
    };
    let hash = |name: &str| {
        name.len() == 64
            && name
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let mut found: Vec<(String, PathBuf, u64)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry
                .file_name()
                .into_string()
                .ok()
                .filter(|name| hash(name))?;
            let meta = entry.metadata().ok().filter(|meta| meta.is_file())?;
            Some((name, entry.path(), meta.len()))
        })
        .collect();
    found.sort();
    Ok(found)
}
