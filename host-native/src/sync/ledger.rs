//! Segment files: which are there, what is new in them, what they lack.
//!
//! Owns: reading every file once, in the order that the core says. Never: changing or removing one.

use super::Store;
use super::report::{Problem, Report};
use super::write::Part;
use crate::{Failure, Project, os};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const ENDING: &str = ".jsonl";
/// Text in one call to the core, and files.
const BATCH_BYTES: usize = 1_000_000;
const BATCH_FILES: usize = 500;
/// No segment is as long as this; what is was not written by this program.
const LONGEST_BYTES: u64 = 64 << 20;
/// As much of a file as its first line takes.
const HEAD_BYTES: usize = 1_000;

/// The files that are there, by name without ending: whether their content is what the name says.
#[derive(Debug, Default)]
pub struct Files(BTreeMap<String, bool>);

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    damaged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
}

#[derive(Serialize)]
struct Segments<T> {
    segments: Vec<T>,
}

#[derive(Deserialize)]
pub struct Plan {
    pub read: Vec<String>,
    pub unwritten: usize,
    pub replica: String,
    pub seq: i64,
}

#[derive(Serialize)]
struct Text {
    name: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Folded {
    segments: Vec<Item>,
    merged: usize,
    total_conflicts: usize,
    open_conflicts: usize,
    forks: Vec<String>,
    renamed: Option<String>,
}

#[derive(Deserialize)]
struct Item {
    name: String,
    state: String,
    left: usize,
    held: bool,
    line: Option<usize>,
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Written {
    name: Option<String>,
    text: Option<String>,
    events: usize,
}

fn folder(project: &Project) -> PathBuf {
    project.folder().join("ledger")
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{ENDING}"))
}

/// The names of the files that are there; none where there is no folder for them.
pub fn names(project: &Project) -> Option<Vec<String>> {
    let entries = fs::read_dir(folder(project)).ok()?;
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.strip_suffix(ENDING)
            .filter(|name| is_name(name))
            .map(str::to_owned)
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    Some(names)
}

/// The path of a file as the report names it.
fn shown(name: &str) -> String {
    format!(".deciduous/ledger/{name}{ENDING}")
}

impl Files {
    /// Looks at every file and whether its content is what its name says.
    pub fn list(project: &Project, report: &mut Report) -> Result<Files, Failure> {
        let folder = folder(project);
        let unreadable = |error: io::Error| {
            Failure::new(
                format!("`{}` cannot be listed: {error}", folder.display()),
                "check its permissions; nothing was changed",
            )
        };
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Files::default()),
            Err(error) => return Err(unreadable(error)),
        };
        let mut files = BTreeMap::new();
        for entry in entries {
            let file_name = entry.map_err(unreadable)?.file_name();
            let name = file_name.to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            match name.strip_suffix(ENDING).filter(|name| is_name(name)) {
                Some(name) => {
                    files.insert(name.to_owned(), true);
                }
                None if is_segment(&folder.join(&file_name)) => report.problems.push(Problem {
                    file: format!(".deciduous/ledger/{name}"),
                    state: "unread".to_owned(),
                    line: None,
                    reason: "it is a segment under another name than its own".to_owned(),
                    held: false,
                }),
                None => report.strangers.push(format!(".deciduous/ledger/{name}")),
            }
        }
        report.strangers.sort_unstable();
        for (name, intact) in &mut files {
            *intact = is_intact(&path(&folder, name), name).unwrap_or(false);
        }
        report.segments = files.len();
        Ok(Files(files))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Asks what has to be read, causes before effects; first by names alone, then with the first lines.
    pub fn plan(&self, project: &Project, store: &mut Store) -> Result<Plan, Failure> {
        let names = self.0.iter().filter(|(_, intact)| **intact);
        let names = names.map(|(name, _)| Named {
            name,
            damaged: false,
            head: None,
        });
        let plan: Plan = store.must(
            "plan_segments",
            &Segments {
                segments: names.collect(),
            },
        )?;
        let damaged = self
            .0
            .iter()
            .filter(|(_, intact)| !**intact)
            .map(|(name, _)| name.clone());
        let unknown: BTreeSet<String> = plan.read.iter().cloned().chain(damaged).collect();
        if unknown.len() < 2 {
            return Ok(Plan {
                read: unknown.into_iter().collect(),
                ..plan
            });
        }
        let folder = folder(project);
        let heads = unknown.iter().map(|name| Named {
            name,
            damaged: false,
            head: head(&path(&folder, name)),
        });
        let ordered: Plan = store.must(
            "plan_segments",
            &Segments {
                segments: heads.collect(),
            },
        )?;
        // A damaged file may be known from before it was damaged.
        let known: Vec<String> = unknown
            .iter()
            .filter(|name| !ordered.read.contains(name))
            .cloned()
            .collect();
        Ok(Plan {
            read: ordered.read.into_iter().chain(known).collect(),
            ..plan
        })
    }
}

fn is_name(name: &str) -> bool {
    name.len() == 64
        && name
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a file of another name is one of ours, as an editor or a person may have renamed one.
fn is_segment(path: &Path) -> bool {
    head(path).is_some_and(|head| head.starts_with("{\"deciduous\":\"segment\""))
}

/// Whether a file's bytes are those that its name was made of. Line ends that git made CR LF are looked through.
fn is_intact(path: &Path, name: &str) -> io::Result<bool> {
    if fs::symlink_metadata(path)?.len() > LONGEST_BYTES {
        return Ok(false);
    }
    if digest(path, false)? == name {
        return Ok(true);
    }
    Ok(digest(path, true)? == name)
}

/// The digest of a file's bytes, with `plain` of those without the CR of each CR LF. A piece at a time: what lies there
/// may be of any length.
fn digest(path: &Path, plain: bool) -> io::Result<String> {
    let mut file = os::open_plain(path)?;
    let mut digest = Sha256::new();
    let mut piece = vec![0; 1 << 16];
    let mut held_cr = false;
    loop {
        let length = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if !plain {
            digest.update(&piece[..length]);
            continue;
        }
        for line in piece[..length].split_inclusive(|byte| *byte == b'\n') {
            if held_cr && line != b"\n" {
                digest.update(b"\r");
            }
            held_cr = line.ends_with(b"\r");
            let text = line.strip_suffix(b"\r\n").or(line.strip_suffix(b"\r"));
            digest.update(text.unwrap_or(line));
            if text.is_some() && line.ends_with(b"\n") {
                digest.update(b"\n");
            }
        }
    }
    if held_cr {
        digest.update(b"\r");
    }
    let bytes = digest.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn head(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = os::open_plain(path).ok()?;
    file.take(HEAD_BYTES as u64).read_to_end(&mut bytes).ok()?;
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    String::from_utf8(line.to_vec()).ok()
}

/// A file's text; what cannot be read as text is said with its line.
fn text(folder: &Path, name: &str) -> Text {
    let told = |text: String, line: usize, reason: String| Text {
        name: name.to_owned(),
        text,
        line: Some(line),
        reason: Some(reason),
    };
    let path = path(folder, name);
    if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
        let reason = "it is a link; only a file itself is read";
        return told(String::new(), 1, reason.to_owned());
    }
    let read = os::open_plain(&path).and_then(|mut file| {
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        if meta.len() > LONGEST_BYTES {
            return Err(io::Error::other("it is longer than any segment"));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match read.map(String::from_utf8) {
        Ok(Ok(text)) => Text {
            name: name.to_owned(),
            text,
            line: None,
            reason: None,
        },
        Ok(Err(error)) => {
            let valid = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..valid]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count()
                + 1;
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            told(text, line, "the bytes there are no UTF-8".to_owned())
        }
        Err(error) => told(String::new(), 1, format!("it cannot be read: {error}")),
    }
}

/// Takes in what is new in the files.
pub fn fold(project: &Project, store: &mut Store, report: &mut Report) -> Result<Files, Failure> {
    let mut files = Files::list(project, report)?;
    let plan = files.plan(project, store)?;
    report.segments_read = plan.read.len();
    let mut left: BTreeMap<String, Item> = BTreeMap::new();
    let mut next = plan.read;
    // What waits for events of a file behind it is tried again, as long as that helps.
    loop {
        let taken = report.events_taken;
        for item in read(&folder(project), store, &next, report)? {
            if item.state == "folded" {
                left.remove(&item.name);
            } else {
                left.insert(item.name.clone(), item);
            }
        }
        next = left
            .values()
            .filter(|item| item.left > 0)
            .map(|item| item.name.clone())
            .collect();
        if next.is_empty() || report.events_taken == taken {
            break;
        }
    }
    for (name, intact) in &mut files.0 {
        // Only the line ends of some files are not their writer's, which the core looks through.
        *intact = left.get(name).is_none_or(|item| item.state == "waiting");
    }
    report
        .problems
        .extend(left.into_values().map(|item| Problem {
            file: shown(&item.name),
            state: item.state,
            line: item.line,
            reason: item.reason.unwrap_or_default(),
            held: item.held,
        }));
    Ok(files)
}

/// Reads the files in this order, some at a time.
fn read(
    folder: &Path,
    store: &mut Store,
    names: &[String],
    report: &mut Report,
) -> Result<Vec<Item>, Failure> {
    let mut items = Vec::new();
    let mut names = names.iter().peekable();
    while names.peek().is_some() {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH_BYTES && batch.len() < BATCH_FILES {
            let Some(name) = names.next() else {
                break;
            };
            let text = text(folder, name);
            bytes += text.text.len();
            batch.push(text);
        }
        let folded: Folded = store.must("fold_segments", &Segments { segments: batch })?;
        report.events_taken += folded.merged;
        report.conflicts_decided += folded.total_conflicts;
        report.open_conflicts = folded.open_conflicts;
        for fork in folded.forks {
            if !report.forks.contains(&fork) {
                report.forks.push(fork);
            }
        }
        report.renamed = folded.renamed.or(report.renamed.take());
        items.extend(folded.segments);
    }
    Ok(items)
}

/// Writes what stands in no file.
pub fn write(
    project: &Project,
    store: &mut Store,
    files: &mut Files,
    report: &mut Report,
) -> Result<(), Failure> {
    let folder = folder(project);
    loop {
        let names = files.0.iter().map(|(name, intact)| Named {
            name,
            damaged: !intact,
            head: None,
        });
        let written: Written = store.must(
            "write_segment",
            &Segments {
                segments: names.collect(),
            },
        )?;
        let (Some(name), Some(text)) = (written.name, written.text) else {
            return Ok(());
        };
        let mut part = Part::begin(&folder)?;
        part.add(text.as_bytes())?;
        part.name(&path(&folder, &name))?;
        report.events_written += written.events;
        report.files_written.push(shown(&name));
        if files.0.insert(name, true) == Some(true) {
            return Err(Failure::new(
                "the core wrote the same segment twice",
                "report this; what was written is whole",
            ));
        }
    }
}
