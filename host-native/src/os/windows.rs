//! Windows.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Command;

/// Opens a file for reading.
pub fn open_plain(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Folders cannot be flushed here; the file system's journal keeps names.
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// The process that holds a lock; not to be found out here.
pub fn lock_holder(_path: &Path) -> Option<u32> {
    None
}

/// A process in words.
pub fn process_name(process: u32) -> String {
    format!("process {process}")
}

/// The processor time a process has had; not to be found out here.
pub fn worked(_process: u32) -> Option<u64> {
    None
}

/// Whether this process may make files in a folder. Only making one would tell; the attribute does not for folders.
pub fn may_write(_folder: &Path) -> bool {
    true
}

/// Whether this process may read a file.
pub fn may_read(path: &Path) -> bool {
    File::open(path).is_ok()
}

/// Whether every user may change it: access lists say so here, which are not looked at.
pub fn anybody_may_write(_path: &Path) -> bool {
    false
}

/// Not done here.
pub fn keep_from_anybody(_path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether there is a file: an open one cannot be replaced here.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|_| (0, 0))
}

/// The length of a page of memory.
pub fn page_bytes() -> usize {
    1 << 16
}

/// Not done here: the code is copied to memory of its own.
pub fn make_executable(_bytes: &'static [u8], _offset: usize, _length: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The desktop's way of showing a file to a person.
pub fn opener(path: &Path) -> Command {
    let mut command = Command::new("rundll32");
    command.arg("url.dll,FileProtocolHandler").arg(path);
    command
}
