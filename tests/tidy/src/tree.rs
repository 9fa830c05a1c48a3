//! The files of the workspace.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What others made; `.git` is a file in a linked work tree.
const SKIPPED: [&str; 6] = [
    ".git",
    "target",
    "node_modules",
    ".deciduous",
    ".cache",
    "dist",
];

/// A text file.
#[derive(Debug)]
pub struct Source {
    /// From the root, with `/`.
    pub path: String,
    pub text: String,
}

impl Source {
    #[must_use]
    pub fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether it is a test as a whole.
    #[must_use]
    pub fn is_test(&self) -> bool {
        let stem = self.name().split('.').next().unwrap_or_default();
        self.path.starts_with("tests/")
            || self
                .path
                .split('/')
                .any(|folder| folder == "tests" || folder == "benches")
            || stem == "tests"
            || stem.ends_with("_tests")
            || self.name().contains(".test.")
    }
}

/// The workspace.
///
/// # Panics
/// When this crate lies elsewhere than in `tests/tidy`.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .expect("tests/tidy lies in the workspace")
        .to_owned()
}

/// Every UTF-8 file whose extension is one of `extensions`; none named means all of them.
#[must_use]
pub fn files(extensions: &[&str]) -> Vec<Source> {
    files_under("", extensions)
}

/// The same below one folder; a folder that is not there has no files.
#[must_use]
pub fn files_under(folder: &str, extensions: &[&str]) -> Vec<Source> {
    let root = root();
    let mut paths = Vec::new();
    collect(&root.join(folder), &mut paths);
    paths.sort();
    paths
        .into_iter()
        .filter(|path| {
            extensions.is_empty()
                || extension(path).is_some_and(|found| extensions.contains(&found))
        })
        .filter_map(|path| {
            let text = String::from_utf8(fs::read(&path).ok()?).ok()?;
            let path = path
                .strip_prefix(&root)
                .ok()?
                .to_string_lossy()
                .replace('\\', "/");
            Some(Source { path, text })
        })
        .collect()
}

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(OsStr::to_str)
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if SKIPPED.iter().any(|skipped| entry.file_name() == *skipped) {
            continue;
        }
        if kind.is_dir() {
            collect(&path, paths);
        } else if kind.is_file() {
            paths.push(path);
        }
    }
}
