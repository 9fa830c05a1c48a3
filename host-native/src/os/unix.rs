//! Linux, macOS and the like.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

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

/// The process that holds a lock for writing on a file; none where the system does not tell (it does on Linux).
pub fn lock_holder(path: &Path) -> Option<u32> {
    let inode = fs::metadata(path).ok()?.ino().to_string();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // A line is: number, kind, mode, access, process, major:minor:inode, start, end. One that waits has an arrow.
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "WRITE")?;
        let is_this = words.get(at + 2)?.rsplit(':').next() == Some(inode.as_str());
        let process: u32 = words.get(at + 1)?.parse().ok()?;
        (is_this && process > 0).then_some(process)
    })
}

/// A process in words.
pub fn process_name(process: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    format!("process {process} {}", name.trim_end())
        .trim_end()
        .to_owned()
}

/// The processor time a process has had, in ticks; none where the system does not tell.
pub fn worked(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Its name, in brackets, may hold blanks; after it come the state and eleven more fields.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

/// Whether this process may make files in a folder.
pub fn may_write(folder: &Path) -> bool {
    let here = folder.as_os_str().is_empty();
    may(if here { Path::new(".") } else { folder }, libc::W_OK)
}

/// Whether this process may read a file.
pub fn may_read(path: &Path) -> bool {
    may(path, libc::R_OK)
}

#[allow(unsafe_code)]
fn may(path: &Path, mode: libc::c_int) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // Safety: the path is a text that ends with a null, and lives until the call is over.
    unsafe { libc::access(path.as_ptr(), mode) == 0 }
}

/// Whether every user of this machine may change it.
pub fn anybody_may_write(path: &Path) -> bool {
    // Of a folder with the sticky bit everybody changes only what is their own.
    fs::metadata(path).is_ok_and(|meta| meta.mode() & 0o1002 == 0o002)
}

/// Leaves changing it to its owner and group.
pub fn keep_from_anybody(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.mode() & 0o7775;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Which file a path leads to, as long as it is open somewhere.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
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

/// The desktop's way of showing a file to a person.
pub fn opener(path: &Path) -> Command {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(path);
    command
}
