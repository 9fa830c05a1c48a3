//! A real folder with what a vector says lies outside the store: a repository, its branch, its commits, files.
//!
//! Owns: making it so that a host finds in it what the vector tells. Never: a folder that is anybody's.

use crate::vector::{Content, Outside};
use deciduous_boundary::FileFact;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes the project in an empty folder, with a graph; gives (the hash that is told, the hash there is) for each commit.
///
/// # Errors
/// Where something cannot be made, or cannot be made real.
pub fn make(
    folder: &Path,
    outside: &Outside,
    binary: &Path,
) -> Result<Vec<(String, String)>, String> {
    run(Command::new(binary)
        .arg("init")
        .current_dir(folder)
        .env_remove("DECIDUOUS_DB_PATH"))?;
    for (path, content) in &outside.files {
        place(folder, path, content).map_err(|error| format!("`{path}`: {error}"))?;
    }
    if outside.branch.is_none() && outside.commits.is_empty() {
        return Ok(Vec::new());
    }
    git(
        folder,
        &[
            "init",
            "--quiet",
            "--initial-branch",
            outside.branch.as_deref().unwrap_or("main"),
        ],
    )?;
    let mut made = Vec::new();
    // The checked-out one comes last, on top of the others.
    let (head, others): (Vec<_>, Vec<_>) =
        outside.commits.iter().partition(|(rev, _)| *rev == "HEAD");
    for (rev, told) in others.into_iter().chain(head) {
        git(
            folder,
            &["commit", "--quiet", "--allow-empty", "--message", rev],
        )?;
        if rev != "HEAD" {
            git(folder, &["tag", rev])?;
        }
        made.push((told.clone(), git(folder, &["rev-parse", "HEAD"])?));
    }
    if outside.branch.is_none() {
        git(folder, &["checkout", "--quiet", "--detach"])?;
    }
    Ok(made)
}

fn place(folder: &Path, path: &str, content: &Content) -> Result<(), String> {
    // What lies outside the folder is not ours to make: a host must say the same of it, there or not.
    let leaves = path.starts_with('/') || path.split('/').any(|part| part == "..");
    match content {
        Content::Fact(FileFact::Outside {}) if leaves => return Ok(()),
        _ if leaves => return Err("lies outside the project".to_owned()),
        _ => {}
    }
    let at = folder.join(path);
    let made = at.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| match content {
        Content::Text(text) => fs::write(&at, text),
        Content::Fact(FileFact::NotFound {}) => Ok(()),
        Content::Fact(FileFact::NotRegular {}) => fs::create_dir(&at),
        Content::Fact(FileFact::TooLarge { size_bytes, .. }) => {
            fs::File::create(&at)?.set_len(*size_bytes)
        }
        Content::Fact(FileFact::Outside {}) => link(folder.parent().unwrap_or(folder), &at),
        // A link to itself is one that nobody can read, whatever the permissions.
        Content::Fact(FileFact::Unreadable {}) => link(&at, &at),
        Content::Fact(FileFact::Stored { .. }) => Err(std::io::Error::other(
            "give the file's text, not how it is stored",
        )),
    })
    .map_err(|error| error.to_string())
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("links are made on Unix only"))
}

/// Git without anybody's settings.
fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let settings = [
        "-c",
        "user.name=tester",
        "-c",
        "user.email=tester@example.org",
        "-c",
        "commit.gpgsign=false",
    ];
    let mut git = Command::new("git");
    git.current_dir(folder).args(settings).args(arguments);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    git.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "");
    run(&mut git)
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(format!(
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    ))
}
