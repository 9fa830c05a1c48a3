//! Documents beside the database, each under the SHA-256 of its bytes.
//!
//! Owns: storing bytes so that a name never stands for half of them, and the same bytes once. Never: what they mean.

use crate::{Failure, os};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Held while a document is stored and named in the store; a file of its own, since those beside it come and go.
const LOCK: &str = ".lock";
const PIECE_BYTES: usize = 1 << 16;

/// Bytes that are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// 64 lower-case hexadecimal digits.
    pub sha256: String,
    pub size_bytes: u64,
}

/// Why nothing was stored.
#[derive(Debug)]
pub enum NotStored {
    /// There were more bytes than allowed.
    TooLarge,
    /// They could not be read.
    Unreadable,
    Failed(Failure),
}

/// Where the bytes of a document lie.
#[must_use]
pub fn path(folder: &Path, sha256: &str) -> PathBuf {
    folder.join(sha256)
}

/// Keeps others from cleaning up the folder until the lock is dropped; any number may hold it at a time.
///
/// # Errors
/// Where the folder or its lock cannot be made.
pub fn hold(folder: &Path) -> Result<File, Failure> {
    locked(folder, File::lock_shared)
}

/// Waits until nobody stores a document, and keeps others from it until the lock is dropped.
///
/// # Errors
/// As [`hold`].
pub fn hold_alone(folder: &Path) -> Result<File, Failure> {
    locked(folder, File::lock)
}

fn locked(folder: &Path, lock: fn(&File) -> io::Result<()>) -> Result<File, Failure> {
    let made = || {
        fs::create_dir_all(folder)?;
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join(LOCK))?;
        lock(&file)?;
        Ok(file)
    };
    made().map_err(|error: io::Error| {
        Failure::new(
            format!("`{}` cannot be locked: {error}", folder.display()),
            "check that there is room and that the folder may be written; nothing was written",
        )
    })
}

/// Stores what a reader gives, at most `limit_bytes`.
///
/// # Errors
/// See [`NotStored`]; the folder is then as it was.
pub fn store(folder: &Path, from: &mut impl Read, limit_bytes: u64) -> Result<Stored, NotStored> {
    let failed = |error: io::Error| {
        NotStored::Failed(Failure::new(
            format!(
                "the document cannot be stored in `{}`: {error}",
                folder.display()
            ),
            "check that there is room and that the folder may be written; nothing was written",
        ))
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let part = folder.join(format!(
        ".new-{}-{:08x}",
        std::process::id(),
        os::dice().map_err(failed)?
    ));
    let stored = copy(&part, from, limit_bytes, failed).and_then(|stored| {
        let place = path(folder, &stored.sha256);
        // A file of another length under this name was damaged by somebody; the right bytes are at hand.
        let is_damaged = fs::metadata(&place).is_ok_and(|meta| meta.len() != stored.size_bytes);
        if is_damaged {
            fs::rename(&part, &place)
        } else {
            os::move_new(&part, &place)
        }
        .map_err(failed)?;
        os::sync_folder(folder).map_err(failed)?;
        Ok(stored)
    });
    // Gone already where it was moved.
    let _ = fs::remove_file(&part);
    stored
}

fn copy(
    part: &Path,
    from: &mut impl Read,
    limit_bytes: u64,
    failed: impl Fn(io::Error) -> NotStored,
) -> Result<Stored, NotStored> {
    let mut file: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(part)
        .map_err(&failed)?;
    let (mut hash, mut size_bytes) = (Sha256::new(), 0_u64);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let length = match from.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(NotStored::Unreadable),
        };
        size_bytes += length as u64;
        if size_bytes > limit_bytes {
            return Err(NotStored::TooLarge);
        }
        hash.update(&piece[..length]);
        file.write_all(&piece[..length]).map_err(&failed)?;
    }
    file.sync_all().map_err(&failed)?;
    let sha256 = digits(&hash.finalize());
    Ok(Stored { sha256, size_bytes })
}

/// The SHA-256 of what a reader gives, as 64 lower-case hexadecimal digits.
///
/// # Errors
/// Where it cannot be read.
pub fn digest(from: &mut impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(digits(&hash.finalize())),
            Ok(length) => hash.update(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn digits(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Cannot fail: a String takes what is written.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_are_stored_once_and_damage_is_mended() {
        let folder = tempfile::tempdir().expect("a folder");
        let documents = folder.path().join("documents");
        let store = |bytes: &[u8]| store(&documents, &mut &*bytes, 10).expect("stored");
        let stored = store(b"abc");
        assert_eq!(
            stored.sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(store(b"abc"), stored);
        fs::write(path(&documents, &stored.sha256), b"a").expect("damaged");
        store(b"abc");
        assert_eq!(
            fs::read(path(&documents, &stored.sha256)).expect("read"),
            b"abc"
        );
        assert_eq!(fs::read_dir(&documents).expect("listed").count(), 1);
    }

    #[test]
    fn too_many_bytes_leave_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(matches!(
            store(folder.path(), &mut &b"abcd"[..], 3),
            Err(NotStored::TooLarge)
        ));
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0);
    }
}
