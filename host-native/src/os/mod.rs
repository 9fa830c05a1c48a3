//! What differs between operating systems.
//!
//! Owns: one file for each family. Never: anything that is the same everywhere.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// 32 random bits, to tell names of temporary files apart.
pub fn dice() -> io::Result<u32> {
    getrandom::u32().map_err(io::Error::other)
}

/// Gives a finished file its name, unless that name is taken already: then the file that has it stays.
pub fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        // Some file systems have no hard links: the look and the move then need a lock around them.
        Err(_) => {
            let mut name = to.as_os_str().to_owned();
            name.push(".lock");
            let lock = File::create(&name)?;
            lock.lock()?;
            if !to.exists() {
                fs::rename(from, to)?;
            }
        }
    }
    to.parent().map_or(Ok(()), sync_folder)
}
