//! What git says of the project's folder.
//!
//! Owns: the checked-out branch, read from the file it stands in, and hashes of revisions, asked from git.
//! Never: an error (a folder outside git has no branch), a change in the repository, a wait without end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(10);
const BRANCHES: &str = "refs/heads/";

/// The branch that is checked out; none when detached or outside a repository.
pub fn branch(root: &Path) -> Option<String> {
    match head(root) {
        Head::Branch(name) => Some(name),
        Head::Detached | Head::NoRepository => None,
        Head::Unclear => ask(root, &["symbolic-ref", "--quiet", "--short", "HEAD"]),
    }
}

/// The full hash of a revision; none when there is no such commit.
pub fn commit(root: &Path, revision: &str) -> Option<String> {
    let revision = format!("{revision}^{{commit}}");
    let hash = ask(
        root,
        &[
            "rev-parse",
            "--quiet",
            "--verify",
            "--end-of-options",
            &revision,
        ],
    )?;
    is_hash(&hash).then_some(hash)
}

/// The rule by which git leaves out a file that is not in it yet, as `FILE:LINE:PATTERN`; none where it takes it.
pub fn ignored(root: &Path, path: &str) -> Option<String> {
    repository(root)?;
    ask(root, &["check-ignore", "--", path])?;
    // With its reason it also tells rules that take a file in again, so that is asked second.
    let told = ask(root, &["check-ignore", "--verbose", "--", path])?;
    Some(told.split('\t').next().unwrap_or_default().to_owned())
}

#[derive(Debug, PartialEq, Eq)]
enum Head {
    Branch(String),
    Detached,
    NoRepository,
    /// Git itself has to be asked.
    Unclear,
}

/// What the repository's `HEAD` says, without starting a process: that would take longer than the rest of a command.
fn head(root: &Path) -> Head {
    if std::env::var_os("GIT_DIR").is_some() {
        return Head::Unclear;
    }
    let Some(folder) = repository(root) else {
        return Head::NoRepository;
    };
    let file = folder.join("HEAD");
    // Git once wrote HEAD as a symbolic link: what is read through it would be a hash.
    if fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_symlink()) {
        return Head::Unclear;
    }
    let Ok(text) = fs::read_to_string(&file) else {
        return Head::Unclear;
    };
    let text = text.trim_end_matches(['\n', '\r']);
    if is_hash(text) {
        return Head::Detached;
    }
    let name = text
        .strip_prefix("ref:")
        .map(str::trim_start)
        .and_then(|name| name.strip_prefix(BRANCHES));
    match name {
        // The name a repository with another way of keeping references puts there.
        None | Some("" | ".invalid") => Head::Unclear,
        Some(name) => Head::Branch(name.to_owned()),
    }
}

/// The folder of the repository the project lies in: `.git`, or where the file `.git` of a worktree points to.
fn repository(root: &Path) -> Option<PathBuf> {
    root.ancestors().find_map(|folder| {
        let git = folder.join(".git");
        let meta = fs::metadata(&git).ok()?;
        if meta.is_dir() {
            // An empty folder of that name makes no repository.
            return fs::symlink_metadata(git.join("HEAD"))
                .is_ok()
                .then_some(git);
        }
        if !meta.is_file() {
            return None;
        }
        let text = fs::read_to_string(&git).ok()?;
        let path = text.strip_prefix("gitdir:")?.trim();
        Some(folder.join(path))
    })
}

fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// One line from git; none when it fails, is not installed, or takes too long.
fn ask(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let started = Instant::now();
    // A line fits into the pipe, so git never waits for it to be read.
    while git.try_wait().ok()?.is_none() {
        if started.elapsed() > PATIENCE {
            // Either it is ended now or it has ended by itself.
            let _ = git.kill();
            let _ = git.wait();
            return None;
        }
        thread::sleep(Duration::from_micros(500));
    }
    let output = git.wait_with_output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?;
    let line = line.trim_end();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(folder: &Path, arguments: &[&str]) -> bool {
        let identity = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
        ];
        let mut git = Command::new("git");
        git.arg("-C")
            .arg(folder)
            .args(identity)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        git.status().expect("git starts").success()
    }

    fn repository_with_commit() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(run(
            folder.path(),
            &["init", "--initial-branch", "feature/é"]
        ));
        assert!(run(
            folder.path(),
            &["commit", "--allow-empty", "-m", "first"]
        ));
        folder
    }

    #[test]
    fn a_branch_is_read_without_git() {
        let folder = repository_with_commit();
        let deep = folder.path().join("a/b");
        fs::create_dir_all(&deep).expect("made");
        assert_eq!(head(&deep), Head::Branch("feature/é".into()));
        assert_eq!(branch(&deep).as_deref(), Some("feature/é"));
    }

    #[test]
    fn a_worktree_has_its_own_branch_and_a_detached_head_none() {
        let folder = repository_with_commit();
        let tree = folder.path().join("tree");
        assert!(run(
            folder.path(),
            &[
                "worktree",
                "add",
                "-b",
                "other",
                tree.to_str().expect("text")
            ]
        ));
        assert_eq!(head(&tree), Head::Branch("other".into()));
        assert!(run(&tree, &["checkout", "--detach"]));
        assert_eq!(branch(&tree), None);
    }

    #[test]
    fn an_odd_head_is_left_to_git() {
        let folder = repository_with_commit();
        let head_file = folder.path().join(".git/HEAD");
        fs::write(&head_file, "ref: refs/remotes/origin/x\n").expect("written");
        assert_eq!(head(folder.path()), Head::Unclear);
        fs::write(&head_file, "nonsense").expect("written");
        assert_eq!(branch(folder.path()), None);
    }

    #[test]
    fn another_way_of_keeping_references_is_left_to_git() {
        let folder = tempfile::tempdir().expect("a folder");
        // An older git does not know it; then there is nothing to see.
        if run(
            folder.path(),
            &["init", "--ref-format=reftable", "--initial-branch", "trunk"],
        ) {
            assert_eq!(head(folder.path()), Head::Unclear);
            assert_eq!(branch(folder.path()).as_deref(), Some("trunk"));
        }
    }

    #[test]
    fn commits_are_full_hashes_or_none() {
        let folder = repository_with_commit();
        let hash = commit(folder.path(), "HEAD").expect("there is one");
        assert!(is_hash(&hash));
        assert_eq!(
            commit(folder.path(), &hash[..8]).as_deref(),
            Some(hash.as_str())
        );
        for bad in [
            "no-such",
            "--help",
            "-h",
            "",
            "HEAD\0",
            "HEAD:file",
            "HEAD\nHEAD",
        ] {
            assert_eq!(commit(folder.path(), bad), None, "{bad:?}");
        }
    }
}
