//! What lies outside the store, as a vector tells it.

use crate::vector::{Content, Outside};
use deciduous_boundary::{Fetch, FileFact};
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};

/// Answers the fetches that no table can.
#[derive(Clone, Debug, Default)]
pub struct Facts(pub Outside);

impl Facts {
    /// # Errors
    /// Where the fetch is one for the store.
    pub fn answer(&self, fetch: &Fetch) -> Result<Box<RawValue>, String> {
        let answer = match fetch {
            Fetch::Branch {} => to_raw_value(&self.0.branch),
            Fetch::Commit { rev } => to_raw_value(&self.commit(rev)),
            Fetch::Segments {} => to_raw_value(&self.0.segments),
            Fetch::File { path } => to_raw_value(&self.file(path)),
            _ => return Err("what lies in the store was asked of what lies outside".to_owned()),
        };
        answer.map_err(|error| error.to_string())
    }

    /// A revision that is named, or one of the hashes by at least four of its digits, as git does.
    fn commit(&self, rev: &str) -> Option<&String> {
        let by_hash = |hash: &&String| rev.len() >= 4 && hash.starts_with(rev);
        self.0
            .commits
            .get(rev)
            .or_else(|| self.0.commits.values().find(by_hash))
    }

    fn file(&self, path: &str) -> FileFact {
        let path = path.strip_prefix("./").unwrap_or(path);
        match self.0.files.get(path) {
            Some(Content::Fact(fact)) => fact.clone(),
            Some(Content::Text(text)) => FileFact::Stored {
                name: path.rsplit('/').next().unwrap_or(path).to_owned(),
                path: path.to_owned(),
                size_bytes: text.len() as u64,
                sha256: Sha256::digest(text)
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect(),
                media_type: media_type(path).to_owned(),
            },
            None if path.split('/').any(|part| part == "..") || path.starts_with('/') => {
                FileFact::Outside {}
            }
            None => FileFact::NotFound {},
        }
    }
}

/// The kinds that vectors use, as the native host names them.
fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "md" => "text/markdown",
        "txt" => "text/plain",
        "rs" => "text/rust",
        "png" => "image/png",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "html" => "text/html",
        _ => "application/octet-stream",
    }
}
