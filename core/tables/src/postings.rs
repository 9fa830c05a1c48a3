//! The search index: which documents hold a term.
//!
//! Owns: postings and document frequencies, apart for each workspace. Never: what a term is, or a ranking.

use crate::TablesError;
use crate::columns::attached;
use deciduous_boundary::PostingsFact;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Greatest document first, with its length.
type Documents = BTreeMap<Reverse<u32>, u8>;

#[derive(Clone, Debug, Default)]
pub struct Postings {
    terms: BTreeMap<(u32, String), Documents>,
    /// Documents of each workspace.
    docs: BTreeMap<u32, BTreeSet<u32>>,
}

/// What a document's entries were before a change.
pub struct Former {
    workspace: u32,
    doc: u32,
    present: bool,
    lengths: Vec<(String, Option<u8>)>,
}

impl Postings {
    /// Replaces a document's entries.
    pub fn index(
        &mut self,
        workspace: u32,
        doc: u32,
        removed: &[String],
        added: &[String],
        length: u32,
    ) -> Former {
        let touched: BTreeSet<&String> = removed.iter().chain(added).collect();
        let former = Former {
            workspace,
            doc,
            present: self
                .docs
                .get(&workspace)
                .is_some_and(|docs| docs.contains(&doc)),
            lengths: touched
                .iter()
                .map(|term| ((*term).clone(), self.length(workspace, term, doc)))
                .collect(),
        };
        for term in removed {
            self.set(workspace, term, doc, None);
        }
        let length = u8::try_from(length).unwrap_or(u8::MAX);
        for term in added {
            self.set(workspace, term, doc, Some(length));
        }
        self.set_present(workspace, doc, !added.is_empty());
        former
    }

    pub fn restore(&mut self, former: Former) {
        for (term, length) in &former.lengths {
            self.set(former.workspace, term, former.doc, *length);
        }
        self.set_present(former.workspace, former.doc, former.present);
    }

    pub fn answer(
        &self,
        workspace: u32,
        terms: &[String],
        limit: u32,
        attachment: &mut Vec<u8>,
    ) -> Result<PostingsFact, TablesError> {
        let docs = self.docs.get(&workspace).map_or(0, BTreeSet::len);
        let mut fact = PostingsFact {
            docs: count(docs),
            df: Vec::new(),
            at: Vec::new(),
        };
        for term in terms {
            let start = attachment.len();
            let documents = self.terms.get(&(workspace, term.clone()));
            for (Reverse(doc), length) in documents.into_iter().flatten().take(limit as usize) {
                attachment.extend_from_slice(&doc.to_le_bytes());
                attachment.push(*length);
            }
            fact.df.push(count(documents.map_or(0, BTreeMap::len)));
            fact.at.push(attached(start, attachment.len())?);
        }
        Ok(fact)
    }

    /// Every term with its documents, greatest first, for a snapshot.
    pub fn all(&self) -> impl Iterator<Item = (u32, &str, impl Iterator<Item = (u32, u8)>)> {
        self.terms.iter().map(|((workspace, term), documents)| {
            (
                *workspace,
                term.as_str(),
                documents
                    .iter()
                    .map(|(Reverse(doc), length)| (*doc, *length)),
            )
        })
    }

    /// Takes one term of a snapshot in.
    pub fn take(&mut self, workspace: u32, term: &str, documents: &[(u32, u8)]) {
        for (doc, length) in documents {
            self.set(workspace, term, *doc, Some(*length));
            self.set_present(workspace, *doc, true);
        }
    }

    fn length(&self, workspace: u32, term: &str, doc: u32) -> Option<u8> {
        self.terms
            .get(&(workspace, term.to_owned()))?
            .get(&Reverse(doc))
            .copied()
    }

    fn set(&mut self, workspace: u32, term: &str, doc: u32, length: Option<u8>) {
        let key = (workspace, term.to_owned());
        if let Some(length) = length {
            self.terms
                .entry(key)
                .or_default()
                .insert(Reverse(doc), length);
        } else if let Some(documents) = self.terms.get_mut(&key) {
            documents.remove(&Reverse(doc));
            if documents.is_empty() {
                self.terms.remove(&key);
            }
        }
    }

    fn set_present(&mut self, workspace: u32, doc: u32, present: bool) {
        let docs = self.docs.entry(workspace).or_default();
        if present {
            docs.insert(doc);
        } else {
            docs.remove(&doc);
        }
    }
}

/// There are no more documents than their numbers.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
