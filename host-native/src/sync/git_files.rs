//! What git is told of `.deciduous/`: which files are one machine's own, and which it must not touch.
//!
//! Owns: our lines in `.gitignore` and `.gitattributes`. Never: a line that somebody else wrote.

use super::report::Report;
use super::write::{Part, unwritable};
use crate::facts::git;
use crate::{Failure, Project};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

const IGNORED: &[&str] = &[
    "# One machine's own: the store, its caches and backups. Segments and documents are everybody's.",
    "*.db",
    "*.db-*",
    "*.db.*",
    "/cache/",
    "/backups/",
    ".new-*",
    "*.lock",
    "*.tmp",
];

const ATTRIBUTES: &[&str] = &[
    "# Named by their bytes, which git must not change. What a merge makes of graph.json is made anew by `deciduous sync`.",
    "/ledger/** -text linguist-generated",
    "/documents/** -text",
    "/graph.json -text merge=union linguist-generated",
];

/// Adds the lines that are missing.
///
/// # Errors
/// Where a file cannot be read or written.
pub fn prepare(project: &Project) -> Result<(), Failure> {
    add(&project.folder().join(".gitignore"), IGNORED)?;
    add(&project.folder().join(".gitattributes"), ATTRIBUTES)
}

/// Notes where git would leave a new segment file out, as older programs had it leave out the whole folder.
pub fn look(project: &Project, report: &mut Report) {
    let file = project.folder().join("ledger").join("new.jsonl");
    report.ignored_by = git::ignored(&project.root, &file.to_string_lossy());
}

fn add(path: &Path, lines: &[&str]) -> Result<(), Failure> {
    let old = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(unwritable(path, &error)),
    };
    let Some(new) = with(&old, lines) else {
        return Ok(());
    };
    // A link is followed: it is the file behind it that is meant.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let mut part = Part::begin(target.parent().unwrap_or(Path::new(".")))?;
    part.add(&new)?;
    part.replace(&target)
}

/// The file with the lines it lacks at its end; none where it lacks none. Words are compared, so that somebody may write
/// more attributes on a line of ours, or take one away with `-name`.
fn with(old: &[u8], lines: &[&str]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(old);
    let first = |line: &str| {
        line.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let has = |line: &&&str| {
        let wanted = if line.starts_with('#') {
            line.to_string()
        } else {
            first(line)
        };
        text.lines()
            .map(str::trim)
            .any(|there| there == wanted || first(there) == wanted)
    };
    let missing: Vec<&str> = lines.iter().filter(|line| !has(line)).copied().collect();
    // A comment alone is no reason to touch somebody's file.
    if missing.iter().all(|line| line.starts_with('#')) {
        return None;
    }
    let mut new = old.to_vec();
    if !new.is_empty() && !new.ends_with(b"\n") {
        new.push(b'\n');
    }
    for line in missing {
        new.extend_from_slice(line.as_bytes());
        new.push(b'\n');
    }
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::{ATTRIBUTES, IGNORED, with};

    #[test]
    fn what_is_missing_is_added_and_the_rest_kept() {
        let new = with(b"", IGNORED).expect("lines");
        assert_eq!(with(&new, IGNORED), None);
        let own = b"mine\n/graph.json -text merge=ours\nlast";
        let new = with(own, ATTRIBUTES).expect("lines");
        assert!(new.starts_with(b"mine\n/graph.json -text merge=ours\nlast\n#"));
        let text = String::from_utf8(new.clone()).expect("text");
        assert_eq!(text.matches("/graph.json").count(), 1);
        assert_eq!(with(&new, ATTRIBUTES), None);
    }
}
