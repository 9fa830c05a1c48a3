//! Windows.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file for reading.
pub fn open_plain(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Folders cannot be flushed here; the file system's journal keeps names.
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// The process that holds a lock; not to be found out here.
pub fn lock_holder(_path: &Path) -> Option<String> {
    None
}

/// The length of a page of memory.
pub fn page_bytes() -> usize {
    1 << 16
}

/// Not done here: the code is copied to memory of its own.
pub fn make_executable(_bytes: &'static [u8], _offset: usize, _length: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
