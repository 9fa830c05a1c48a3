//! The bytes of documents: each is there and is what its name says.

use super::{Report, pages};
use crate::{Failure, Host, Project, documents};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Names of strays that are told.
const NAMED: usize = 5;

#[derive(Deserialize)]
struct Page {
    blobs: Vec<Blob>,
}

#[derive(Clone, Debug, Deserialize)]
struct Blob {
    sha256: String,
    what: String,
    /// Where the file lay in the project when it was attached.
    path: String,
    needed: bool,
}

/// How the bytes under a name are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Sound,
    Missing,
    Changed,
}

fn known(host: &mut Host) -> Result<BTreeMap<String, Blob>, Failure> {
    let mut known: BTreeMap<String, Blob> = BTreeMap::new();
    pages(host, "read_blobs", |_, page: Page| {
        for blob in page.blobs {
            let same = known.entry(blob.sha256.clone()).or_insert(blob.clone());
            if blob.needed && !same.needed {
                *same = blob;
            }
        }
        Ok(())
    })?;
    Ok(known)
}

pub(super) fn look(host: &mut Host, project: &Project, report: &mut Report) -> Result<(), Failure> {
    let known = known(host)?;
    report
        .looked_at
        .insert("blobs".to_owned(), known.len() as u64);
    for blob in known.values() {
        let what = match state(&project.documents, &blob.sha256) {
            State::Sound => continue,
            // Those of a detached document may be gone.
            State::Missing if !blob.needed => continue,
            State::Missing => format!("the bytes of {} are not there", blob.what),
            State::Changed => format!("the bytes of {} are other ones than were stored", blob.what),
        };
        let repair = if source(project, blob).is_some() {
            "they are stored again from the file that was attached"
        } else {
            "put the file with this SHA-256 back, from a backup or another clone's documents folder"
        };
        let mendable = source(project, blob).is_some();
        report.found("blob", &blob.sha256, what, repair, mendable);
    }
    let strays: Vec<String> = names(&project.documents)
        .into_iter()
        .filter(|name| !known.contains_key(name))
        .collect();
    if !strays.is_empty() {
        let named: Vec<&str> = strays.iter().take(NAMED).map(String::as_str).collect();
        report.notes.push(format!(
            "{} files in `{}` are no document's: {}{}",
            strays.len(),
            project.documents.display(),
            named.join(", "),
            if strays.len() > NAMED { ", …" } else { "" }
        ));
    }
    Ok(())
}

/// Stores again what is missing or changed and still lies in the project; answers how many.
pub(super) fn mend(host: &mut Host, project: &Project) -> Result<u64, Failure> {
    let mut mended = 0;
    for blob in known(host)?.values() {
        let state = state(&project.documents, &blob.sha256);
        if state == State::Sound || state == State::Missing && !blob.needed {
            continue;
        }
        let Some(source) = source(project, blob) else {
            continue;
        };
        let place = documents::path(&project.documents, &blob.sha256);
        if state == State::Changed {
            // What somebody wrote over it is kept under a name that says so.
            let aside = project.documents.join(format!("{}.changed", blob.sha256));
            fs::rename(&place, &aside).map_err(|error| unwritable(&place, &error))?;
        }
        let mut file = File::open(&source).map_err(|error| unwritable(&source, &error))?;
        documents::store(&project.documents, &mut file, u64::MAX)
            .map_err(|why| unwritable(&place, &format!("{why:?}")))?;
        mended += 1;
    }
    Ok(mended)
}

fn unwritable(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        format!("`{}` cannot be mended: {why}", path.display()),
        "check the permissions of the documents folder",
    )
}

/// The file that was attached, where it still holds the same bytes.
fn source(project: &Project, blob: &Blob) -> Option<PathBuf> {
    let path = project.root.join(&blob.path);
    let same = !blob.path.is_empty() && digest(&path).is_some_and(|found| found == blob.sha256);
    same.then_some(path)
}

fn state(folder: &Path, sha256: &str) -> State {
    match digest(&documents::path(folder, sha256)) {
        None => State::Missing,
        Some(found) if found == sha256 => State::Sound,
        Some(_) => State::Changed,
    }
}

/// The SHA-256 of a regular file; none where there is none that can be read.
fn digest(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    documents::digest(&mut File::open(path).ok()?).ok()
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}
