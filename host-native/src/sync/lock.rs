//! One sync at a time on one project.
//!
//! Owns: the lock, which ends with the process that holds it. Never: a wait without end.

use crate::{Failure, Project};
use std::fs::{self, File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for other syncs to end.
pub fn take(project: &Project) -> Result<File, Failure> {
    let path = project.folder().join("cache").join("sync.lock");
    let unmade = |error: &dyn std::fmt::Display| {
        Failure::new(
            format!("`{}` cannot be made: {error}", path.display()),
            "check that the project's folder may be written",
        )
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| unmade(&error))?;
    }
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| unmade(&error))?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::new(
                    "another `deciduous sync` is at work in this project",
                    "wait until it has ended, then run this again",
                ));
            }
            // A file system without locks: the store's own transactions and whole files still hold.
            Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
}
