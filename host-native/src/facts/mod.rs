//! Facts from outside the store: what git says, what a file holds.
//!
//! Owns: asking. Never: an error for what is merely not there, or a write outside the project.

mod files;
pub(crate) mod git;

use crate::{Failure, Project, documents, sync};
use deciduous_boundary::Fetch;
use std::fs::File;

/// Appends the answer to one outside fetch. What is stored is held for the store that is to name it.
///
/// # Errors
/// Where a document cannot be stored. What cannot be found out is answered, not an error.
pub fn answer(
    project: &Project,
    fetch: &Fetch,
    json: &mut Vec<u8>,
    held: &mut Option<File>,
) -> Result<(), Failure> {
    let written = match fetch {
        Fetch::Branch {} => serde_json::to_writer(json, &git::branch(&project.root)),
        Fetch::Commit { rev } => serde_json::to_writer(json, &git::commit(&project.root, rev)),
        Fetch::File { path } => {
            // Where there is no folder yet, there is nothing to clean up in it either.
            if project.documents.is_dir() && held.is_none() {
                *held = Some(documents::hold(&project.documents)?);
            }
            serde_json::to_writer(json, &files::read(project, path)?)
        }
        Fetch::Segments {} => serde_json::to_writer(json, &sync::names(project)),
        _ => {
            return Err(Failure::new(
                "rows are not to be found outside the store",
                "report this",
            ));
        }
    };
    written.map_err(|error| Failure::new(format!("a fact is no JSON: {error}"), "report this"))
}
