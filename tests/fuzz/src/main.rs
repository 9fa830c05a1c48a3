//! Our own driver: mutates the seeds for a fixed time, and keeps what is met in a way not seen before.
//!
//! ```text
//! deciduous-fuzz [TARGET…] [--seconds N] [--seed N]
//! ```

use deciduous_fuzz::mutate::{Dice, mutated};
use deciduous_fuzz::{TARGETS, Target};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs};

/// Longer inputs are cut: what is slow or large has tests of its own.
const LONGEST: usize = 20_000;
/// An input that takes longer than this is one that broke something.
const SLOW: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let (mut names, mut seconds, mut seed) = (Vec::new(), 5, None);
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => seconds = words.next().and_then(|n| n.parse().ok()).unwrap_or(seconds),
            "--seed" => seed = words.next().and_then(|n| n.parse().ok()),
            _ => names.push(word),
        }
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let seed = seed.unwrap_or(now.as_nanos() as u64 % 1_000_000);
    println!("seed {seed}");
    let mut broken = false;
    for target in TARGETS {
        if names.is_empty() || names.iter().any(|name| name == target.name) {
            broken |= !fuzz(target, Duration::from_secs(seconds), seed);
        }
    }
    if broken {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("kept")
        .join(target.name)
}

/// Runs one target; answers whether nothing broke.
fn fuzz(target: &Target, time: Duration, seed: u64) -> bool {
    let mut pool = (target.seeds)();
    for entry in fs::read_dir(folder(target)).into_iter().flatten().flatten() {
        pool.extend(fs::read(entry.path()));
    }
    let (mut dice, mut seen) = (Dice::new(seed), BTreeSet::new());
    for input in pool.clone() {
        match met(target, &input) {
            Ok(kind) => drop(seen.insert(kind)),
            Err(()) => return found(target, input),
        }
    }
    let (started, mut runs) = (Instant::now(), pool.len());
    while started.elapsed() < time {
        let input = mutated(&mut dice, &pool, LONGEST);
        runs += 1;
        match met(target, &input) {
            Ok(kind) => {
                if seen.insert(kind) && pool.len() < 5_000 {
                    pool.push(input);
                }
            }
            Err(()) => return found(target, input),
        }
    }
    println!(
        "{:<10} {runs} runs, {} ways to be met",
        target.name,
        seen.len()
    );
    true
}

fn met(target: &Target, input: &[u8]) -> Result<String, ()> {
    let started = worked();
    let kind = catch_unwind(AssertUnwindSafe(|| (target.run)(input))).map_err(drop)?;
    let took = worked().saturating_sub(started);
    if took > SLOW {
        println!("an input took {took:?}");
        return Err(());
    }
    Ok(kind)
}

/// The processor time of this thread, where the system tells: others may keep the processor for long.
fn worked() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split_whitespace()
        .next()
        .and_then(|text| text.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

/// Makes what broke it shorter as long as it still does, and keeps it.
fn found(target: &Target, mut input: Vec<u8>) -> bool {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let started = Instant::now();
    let mut length = input.len() / 2;
    while length > 0 && started.elapsed() < Duration::from_secs(20) {
        let mut at = 0;
        while at < input.len() {
            let mut less = input.clone();
            less.drain(at..(at + length).min(input.len()));
            if met(target, &less).is_err() {
                input = less;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    std::panic::set_hook(hook);
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let place = folder(target).join(format!("{:08x}", hasher.finish() as u32));
    let kept = fs::create_dir_all(folder(target)).and_then(|()| fs::write(&place, &input));
    println!(
        "{:<10} broke on {} ({kept:?}): {}",
        target.name,
        place.display(),
        String::from_utf8_lossy(&input)
    );
    false
}
