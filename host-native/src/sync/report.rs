//! What a sync did and found.
//!
//! Owns: the counts, and the sentences a person reads. Never: a decision about exit codes beyond "is all well".

use serde::Serialize;

/// A file that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Below the project's folder.
    pub file: String,
    /// `damaged`, `newer` (written by a newer program), `waiting` (events before it are missing), `unread` or `stale`.
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    pub reason: String,
    /// Whether everything that the file should hold is in this store.
    pub held: bool,
}

/// A document whose bytes are not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub node_id: u64,
    pub path: String,
    pub sha256: String,
}

/// What was taken in from a `graph.json` that was not made from this ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    pub added: u64,
    pub changed: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Segment files that are there.
    pub segments: usize,
    /// Those of them that were read now; the others were known.
    pub segments_read: usize,
    pub events_taken: usize,
    pub events_written: usize,
    pub files_written: Vec<String>,
    /// Fields that were decided between writers who did not know of each other.
    pub conflicts_decided: usize,
    /// Those of all syncs that nobody has looked at yet.
    pub open_conflicts: usize,
    /// Replicas whose name two stores wrote under.
    pub forks: Vec<String>,
    /// This store's new name, where the old one is in use elsewhere too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed: Option<String>,
    pub imported: Imported,
    /// `written`, `unchanged`, or `kept` where it, or a segment that it was made from, could not be read; `stale` where it
    /// was only looked at.
    pub graph_file: String,
    pub problems: Vec<Problem>,
    /// What lies among the segments and is none; it is left alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strangers: Vec<String>,
    pub documents_missing: Vec<Missing>,
    /// The rule by which git leaves segment files out, as `FILE:LINE:PATTERN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored_by: Option<String>,
    /// Events of this store that stand in no segment file, where none was to be written.
    pub unwritten: usize,
    /// Segment files that this store has not taken in, where none was to be.
    pub unread: usize,
}

/// A count with its word.
#[must_use]
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Report {
    /// Whether everything that is there could be read.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.problems.is_empty()
    }

    /// Whether this store holds all that the segment files should hold.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.problems.iter().all(|problem| problem.held)
    }

    /// What was done, in lines.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.events_taken == 0
            && self.files_written.is_empty()
            && self.imported == Imported::default()
        {
            lines.push(format!(
                "Nothing new in {}.",
                counted(self.segments, "segment file")
            ));
        }
        if self.events_taken > 0 {
            let files = counted(self.segments_read, "segment file");
            lines.push(format!(
                "Took in {} from {files}.",
                counted(self.events_taken, "event")
            ));
        }
        if self.imported != Imported::default() {
            let Imported { added, changed } = self.imported;
            lines.push(format!(
                "Took in graph.json, which others wrote: {added} records added, {changed} changed."
            ));
        }
        if !self.files_written.is_empty() {
            let files = counted(self.files_written.len(), "new segment file");
            lines.push(format!(
                "Wrote {} to {files}.",
                counted(self.events_written, "event")
            ));
        }
        if self.graph_file == "written" {
            lines.push("Wrote graph.json.".to_owned());
        }
        lines.extend(self.notes());
        if !self.files_written.is_empty() || self.graph_file == "written" {
            lines.push("Next: commit `.deciduous`.".to_owned());
        }
        lines
    }

    /// What a person should know beside the counts.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.conflicts_decided > 0 {
            let fields = counted(self.conflicts_decided, "field");
            notes.push(format!("{fields} had been written by two who did not know of each other: the later write stands, `deciduous pulse` shows both."));
        }
        for replica in &self.forks {
            notes.push(format!("Two stores wrote as replica {replica}: one is a copy of the other. Both histories were taken in."));
        }
        if let Some(name) = &self.renamed {
            notes.push(format!(
                "This store goes on as replica {name}, since its old name is in use elsewhere too."
            ));
        }
        if !self.strangers.is_empty() {
            notes.push(format!(
                "No segment, so not read: {}.",
                self.strangers.join(", ")
            ));
        }
        if let Some(rule) = &self.ignored_by {
            notes.push(format!("Git leaves .deciduous/ledger out by the rule {rule}, so nobody else gets it: take that line away; .deciduous/.gitignore names what is this machine's own."));
        }
        match self.documents_missing.as_slice() {
            [] => {}
            [one] => notes.push(format!(
                "The bytes of {} (node {}) are not in .deciduous/documents.",
                one.path, one.node_id
            )),
            [one, ..] => {
                let all = self.documents_missing.len();
                notes.push(format!("The bytes of {all} documents are not in .deciduous/documents, among them {} (node {}).", one.path, one.node_id));
            }
        }
        notes
    }

    /// What is wrong, a sentence each.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let complaint = |problem: &Problem| {
            let line = problem
                .line
                .map_or_else(String::new, |line| format!(" at line {line}"));
            let held = match (problem.held, problem.state.as_str()) {
                (true, "damaged" | "waiting") => {
                    "; all that it should hold is in this store, and stands in an intact file"
                }
                _ => "",
            };
            format!(
                "{} is {}{line}: {}{held}",
                problem.file, problem.state, problem.reason
            )
        };
        self.problems.iter().map(complaint).collect()
    }
}
