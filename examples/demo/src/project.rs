//! The sample project: a folder, a repository of its own where git is there, files that commits change.
//!
//! Owns: `target/demo` and nothing else. Never: a repository around it.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Project {
    pub folder: PathBuf,
    git: bool,
}

impl Project {
    /// An empty project in place of whatever a former run left.
    pub fn make(folder: PathBuf) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("`{}` cannot be emptied", folder.display()))?;
        }
        fs::create_dir_all(&folder)?;
        let git = Command::new("git")
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        let project = Project { folder, git };
        project.write("README.md", "# Linden\n\nLets people book rooms.\n")?;
        if git {
            project.run(&["init", "--quiet", "--initial-branch", "main"])?;
            project.run(&["add", "README.md"])?;
            project.run(&["commit", "--quiet", "--message", "First"])?;
        }
        Ok(project)
    }

    pub fn has_git(&self) -> bool {
        self.git
    }

    pub fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, text).with_context(|| format!("`{}`", path.display()))
    }

    pub fn read(&self, path: &str) -> Result<String> {
        let path = self.folder.join(path);
        fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))
    }

    pub fn branch(&self, name: &str) -> Result<()> {
        if self.git && name != "main" {
            self.run(&["checkout", "--quiet", "-b", name])?;
        }
        Ok(())
    }

    /// Changes the files and commits them; `false` without git.
    pub fn commit(&self, message: &str, files: &str) -> Result<bool> {
        if !self.git {
            return Ok(false);
        }
        for path in files.split(',') {
            let before = fs::read_to_string(self.folder.join(path)).unwrap_or_default();
            self.write(path, &format!("{before}// {message}\n"))?;
            self.run(&["add", path])?;
        }
        self.run(&["commit", "--quiet", "--message", message])?;
        Ok(true)
    }

    fn run(&self, arguments: &[&str]) -> Result<()> {
        let identity = [
            "-c",
            "user.name=Mira",
            "-c",
            "user.email=mira@example.org",
            "-c",
            "commit.gpgsign=false",
            "-c",
            "core.hooksPath=/dev/null",
        ];
        let mut git = Command::new("git");
        git.current_dir(&self.folder)
            .args(identity)
            .args(arguments)
            .stdin(Stdio::null());
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            git.env_remove(variable);
        }
        let output = git.output().context("git does not start")?;
        if !output.status.success() {
            bail!(
                "git {} failed: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(())
    }
}

/// The program as a person calls it, in the project; gives what it printed.
pub fn command(
    binary: &Path,
    project: &Project,
    arguments: &[&str],
    colour: bool,
) -> Result<String> {
    let when = if colour {
        "--color=always"
    } else {
        "--color=never"
    };
    let mut command = Command::new(binary);
    command
        .args(arguments)
        .arg(when)
        .current_dir(&project.folder)
        .env_remove("DECIDUOUS_DB_PATH")
        .stdin(Stdio::null());
    let output = command
        .output()
        .with_context(|| format!("`{}` does not start", binary.display()))?;
    if !output.status.success() {
        bail!(
            "`deciduous {}` failed: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
