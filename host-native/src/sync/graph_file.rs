//! `graph.json`: the graph as one file, for those who expect it.
//!
//! Owns: when the file is read, and when it is written anew. It is made from the ledger, so it is written whenever the
//! ledger says something else; but only after everything that stands in it is in the ledger. A file that cannot be read is
//! never written over.

use super::ledger::Files;
use super::report::{Problem, Report};
use super::write::Part;
use super::{Answer, Store};
use crate::{Failure, Project};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fs, io};

/// The file as a report names it.
pub const SHOWN: &str = ".deciduous/graph.json";

/// Whether the file may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// What stands in it is in the ledger.
    TakenIn,
    /// It cannot be read, or what it has to be compared with cannot.
    Kept,
}

#[derive(Deserialize)]
struct Piece {
    text: String,
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct Sides {
    graphs: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Taken {
    added: BTreeMap<String, u64>,
    changed: BTreeMap<String, u64>,
}

/// What this store last wrote: then nothing in the file is news.
#[derive(PartialEq, Serialize, Deserialize)]
struct Remembered {
    /// Another version may write the same graph in another way.
    program: String,
    replica: String,
    seq: i64,
    graph: String,
}

impl Remembered {
    /// That the file of this digest is what the ledger says now.
    fn now(project: &Project, store: &mut Store, graph: String) -> Result<Remembered, Failure> {
        let now = Files::default().plan(project, store)?;
        Ok(Remembered {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            replica: now.replica,
            seq: now.seq,
            graph,
        })
    }

    fn read(project: &Project) -> Option<Remembered> {
        serde_json::from_slice(&fs::read(memory(project)).ok()?).ok()
    }
}

pub fn path(project: &Project) -> PathBuf {
    project.folder().join("graph.json")
}

fn memory(project: &Project) -> PathBuf {
    project.folder().join("cache").join("graph.json")
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The file as the ledger has it, beside its place, with its digest.
pub fn make(project: &Project, store: &mut Store) -> Result<(Part, String), Failure> {
    let mut part = Part::begin(&project.folder())?;
    let mut sum = Sha256::new();
    let mut cursor = String::new();
    loop {
        let piece: Piece = store.must("write_graph_file", &json!({ "cursor": cursor }))?;
        part.add(piece.text.as_bytes())?;
        sum.update(piece.text.as_bytes());
        match piece.cursor {
            Some(next) if next != cursor => cursor = next,
            _ => break,
        }
    }
    let sum = sum
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok((part, sum))
}

/// Takes in what the file says and the ledger does not: an older program wrote it, or git has merged it.
pub fn take_in(
    project: &Project,
    store: &mut Store,
    report: &mut Report,
) -> Result<Found, Failure> {
    let bytes = match fs::read(path(project)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::TakenIn),
        Err(error) => {
            return Ok(unreadable(
                report,
                None,
                format!("it cannot be read: {error}"),
            ));
        }
    };
    let sum = digest(&bytes);
    let now = Remembered::now(project, store, sum.clone())?;
    if Remembered::read(project).is_some_and(|known| {
        known.graph == sum && known.replica == now.replica && known.seq <= now.seq
    }) {
        return Ok(Found::TakenIn);
    }
    if make(project, store)?.1 == sum {
        return Ok(Found::TakenIn);
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..valid]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count()
                + 1;
            return Ok(unreadable(
                report,
                Some(line),
                "the bytes there are no UTF-8".to_owned(),
            ));
        }
    };
    let sides = match store.ask::<Sides>("read_graph_file", &json!({"file": {"text": text}}))? {
        Answer::Done(sides) => sides,
        Answer::Refused(message, _) => return Ok(unreadable(report, None, message)),
    };
    for graph in sides.graphs {
        #[derive(Serialize)]
        struct Args<'a> {
            graph: &'a RawValue,
        }
        match store.ask::<Taken>("import_graph", &Args { graph: &graph })? {
            Answer::Done(taken) => {
                report.imported.added += taken.added.values().sum::<u64>();
                report.imported.changed += taken.changed.values().sum::<u64>();
            }
            Answer::Refused(message, _) => return Ok(unreadable(report, None, message)),
        }
    }
    Ok(Found::TakenIn)
}

fn unreadable(report: &mut Report, line: Option<usize>, reason: String) -> Found {
    report.problems.push(Problem {
        file: SHOWN.to_owned(),
        state: "damaged".to_owned(),
        line,
        reason,
        held: false,
    });
    Found::Kept
}

/// Writes the file where it says something else than the ledger.
pub fn write(
    project: &Project,
    store: &mut Store,
    found: Found,
    report: &mut Report,
) -> Result<(), Failure> {
    if found == Found::Kept {
        report.graph_file = "kept".to_owned();
        return Ok(());
    }
    let path = path(project);
    let there = fs::read(&path).ok().map(|bytes| digest(&bytes));
    if let Some(there) = &there
        && Remembered::read(project) == Some(Remembered::now(project, store, there.clone())?)
    {
        report.graph_file = "unchanged".to_owned();
        return Ok(());
    }
    let (part, sum) = make(project, store)?;
    let is_there = there.is_some_and(|there| there == sum);
    report.graph_file = if is_there { "unchanged" } else { "written" }.to_owned();
    if !is_there {
        part.replace(&path)?;
    }
    let remembered = Remembered::now(project, store, sum)?;
    if let Ok(json) = serde_json::to_vec(&remembered) {
        // Without it the next sync reads the file once more, and finds nothing new.
        let _ = fs::write(memory(project), json);
    }
    Ok(())
}

/// Notes where the file says something else than the ledger.
pub fn compare(project: &Project, store: &mut Store, report: &mut Report) -> Result<(), Failure> {
    let bytes = match fs::read(path(project)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            unreadable(report, None, format!("it cannot be read: {error}"));
            return Ok(());
        }
    };
    report.graph_file = "unchanged".to_owned();
    if make_sum(store)? == digest(&bytes) {
        return Ok(());
    }
    report.graph_file = "stale".to_owned();
    report.problems.push(Problem {
        file: SHOWN.to_owned(),
        state: "stale".to_owned(),
        line: None,
        reason: "it does not say what the segment files say".to_owned(),
        held: false,
    });
    Ok(())
}

/// As [`make`], without a file.
fn make_sum(store: &mut Store) -> Result<String, Failure> {
    let mut sum = Sha256::new();
    let mut cursor = String::new();
    loop {
        let piece: Piece = store.must("write_graph_file", &json!({ "cursor": cursor }))?;
        sum.update(piece.text.as_bytes());
        match piece.cursor {
            Some(next) if next != cursor => cursor = next,
            _ => break,
        }
    }
    Ok(sum
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
