//! Whether the bytes of attached documents are there. They travel with git as they are.

use super::Store;
use super::report::{Missing, Report};
use crate::{Failure, Project, documents};
use serde::Deserialize;
use serde_json::json;
use std::fs;

#[derive(Deserialize)]
struct Page {
    documents: Vec<Item>,
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct Item {
    node_id: u64,
    path: String,
    sha256: String,
    size_bytes: u64,
}

/// Notes the documents whose file is missing or has another length.
pub fn look(project: &Project, store: &mut Store, report: &mut Report) -> Result<(), Failure> {
    let mut cursor = String::new();
    loop {
        let page: Page =
            store.must("list_documents", &json!({"limit": 2_000, "cursor": cursor}))?;
        let missing = page.documents.into_iter().filter(|item| {
            let file = documents::path(&project.documents, &item.sha256);
            !fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() == item.size_bytes)
        });
        report.documents_missing.extend(missing.map(|item| Missing {
            node_id: item.node_id,
            path: item.path,
            sha256: item.sha256,
        }));
        match page.cursor {
            Some(next) if next != cursor => cursor = next,
            _ => return Ok(()),
        }
    }
}
