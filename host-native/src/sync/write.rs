//! Files that are there whole or not at all, and stay through a loss of power.
//!
//! Owns: the way a file gets its name. Never: what stands in it.

use crate::{Failure, Project, os};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file under way, without its name; gone when it is dropped.
pub struct Part {
    path: PathBuf,
    file: io::BufWriter<File>,
}

/// A file under way is this old only where its writer was killed.
const LEFT_AFTER: Duration = Duration::from_secs(3_600);
const UNDER_WAY: &str = ".new-";

/// Removes what killed processes left under way.
pub fn sweep(project: &Project) {
    let folder = project.folder();
    for folder in [&folder, &folder.join("ledger"), &project.documents] {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let named = entry.file_name().to_string_lossy().starts_with(UNDER_WAY);
            let age = entry.metadata().and_then(|meta| meta.modified());
            let left = age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LEFT_AFTER));
            if named && left {
                // Where it cannot be removed it takes room, and does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Why a file could not be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        format!("`{}` cannot be written: {error}", path.display()),
        "check that there is room and that the folder may be written, then run this again",
    )
}

impl Part {
    /// Begins a file in a folder, which is made where it is missing.
    pub fn begin(folder: &Path) -> Result<Part, Failure> {
        let make = || {
            fs::create_dir_all(folder)?;
            let path = folder.join(format!(
                "{UNDER_WAY}{}-{:08x}",
                std::process::id(),
                os::dice()?
            ));
            let file = File::options().write(true).create_new(true).open(&path)?;
            Ok(Part {
                path,
                file: io::BufWriter::new(file),
            })
        };
        make().map_err(|error| unwritable(folder, &error))
    }

    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file
            .write_all(bytes)
            .map_err(|error| unwritable(&self.path, &error))
    }

    fn done(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }

    /// Gives the file its name, unless another one has it.
    pub fn name(mut self, path: &Path) -> Result<(), Failure> {
        let named = self.done().and_then(|()| os::move_new(&self.path, path));
        named.map_err(|error| unwritable(path, &error))
    }

    /// Gives the file its name in place of the one that has it.
    pub fn replace(mut self, path: &Path) -> Result<(), Failure> {
        let replaced = self.done().and_then(|()| {
            if let Ok(old) = fs::metadata(path) {
                self.file.get_ref().set_permissions(old.permissions())?;
            }
            fs::rename(&self.path, path)?;
            path.parent().map_or(Ok(()), os::sync_folder)
        });
        replaced.map_err(|error| unwritable(path, &error))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Gone already where it has been given a name in one step.
        let _ = fs::remove_file(&self.path);
    }
}
