//! Linux, macOS and the like.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Opens a file for reading: not through a link, without waiting for a pipe, without taking a terminal.
pub fn open_plain(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW)
        .open(path)
}

/// Makes a new name in a folder last through a loss of power.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    File::open(folder)?.sync_all()
}

/// The process that holds a lock for writing on a file, in words; none where the system does not tell (it does on Linux).
pub fn lock_holder(path: &Path) -> Option<String> {
    let inode = fs::metadata(path).ok()?.ino().to_string();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // A line is: number, kind, mode, access, process, major:minor:inode, start, end.
    let process = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "WRITE")?;
        let is_this = words.get(at + 2)?.rsplit(':').next() == Some(inode.as_str());
        let process: u32 = words.get(at + 1)?.parse().ok()?;
        (is_this && process > 0).then_some(process)
    })?;
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    Some(
        format!("process {process} {}", name.trim_end())
            .trim_end()
            .to_owned(),
    )
}

/// The length of a page of memory.
#[allow(unsafe_code)]
pub fn page_bytes() -> usize {
    // Safety: asks for a number.
    let length = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(length).unwrap_or(1 << 16)
}

/// Lets bytes of this program be run as code; they are never written again.
#[allow(unsafe_code)]
pub fn make_executable(bytes: &'static [u8], offset: usize, length: usize) -> io::Result<()> {
    let code = bytes
        .get(offset..offset + length)
        .ok_or(io::ErrorKind::InvalidInput)?;
    if code.as_ptr().addr() % page_bytes() != 0 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // Safety: the pages belong to a constant of this program, which stays readable, and is not writable before or after.
    let done = unsafe {
        libc::mprotect(
            code.as_ptr().cast_mut().cast(),
            length,
            libc::PROT_READ | libc::PROT_EXEC,
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
