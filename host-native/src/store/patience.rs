//! How long a lock is waited for.
//!
//! Owns: telling a holder that works from one that hangs. Never: taking or breaking a lock.
//!
//! Whoever writes commits within milliseconds, an import within seconds; both show signs of life, and are waited for.
//! A holder that shows none for a moment is not: a person who left a transaction open should be told so at once.

use super::open::{beside, holder_of};
use crate::os;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// How long a process waits for others that go on.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 10_000 });
/// How long it waits for one that shows no sign of life.
const STILL: Duration = Duration::from_millis(700);
/// How often it looks for one.
const LOOK: Duration = Duration::from_millis(100);

/// What changes while somebody works on the database.
#[derive(Debug, PartialEq, Eq)]
struct Sign {
    files: [Option<(u64, SystemTime)>; 2],
    /// The process that holds the lock, and the processor time it has had.
    holder: Option<(u32, u64)>,
}

/// Waits in short steps that grow; answers whether to try again.
pub fn waiting(path: &Path) -> impl FnMut(i32) -> bool + Send + 'static {
    let (path, log) = (path.to_path_buf(), beside(path, "-wal"));
    let mut since = Instant::now();
    let (mut looked, mut moved) = (since, since);
    let mut seen = None;
    move |tries| {
        let now = Instant::now();
        if tries == 0 {
            (since, looked, moved) = (now, now, now);
            seen = None;
        }
        if now - since >= PATIENCE {
            return false;
        }
        if now - looked >= LOOK {
            looked = now;
            let sign = Some(sign(&path, &log));
            if seen != sign {
                moved = now;
                seen = sign;
            }
        }
        if now - moved >= STILL {
            return false;
        }
        let step = 200_u64.saturating_mul(1 << u32::try_from(tries).unwrap_or(0).min(5));
        std::thread::sleep(Duration::from_micros(step));
        true
    }
}

fn sign(path: &Path, log: &Path) -> Sign {
    let file = |path: &Path| {
        let meta = fs::metadata(path).ok()?;
        Some((meta.len(), meta.modified().ok()?))
    };
    let holder = holder_of(path);
    Sign {
        files: [file(path), file(log)],
        holder: holder.map(|process| (process, os::worked(process).unwrap_or_default())),
    }
}
