//! The module compiled ahead of time.
//!
//! The compiler is built by a cargo call of its own: in one call with the host its features would be the host's too,
//! and a compiler of megabytes would be in the binary that people run.

use std::env;
use std::process::Command;

use anyhow::{Context, Result};

use crate::place::{self, Place};
use crate::say;
use crate::stamp::{self, Inputs};

/// The compiler itself, which needs nothing of the module.
pub fn compiler(place: &Place) -> Result<()> {
    let mut cargo = place.cargo();
    cargo.args([
        "build",
        "--quiet",
        "--profile",
        "tool",
        "--package",
        "deciduous-aot",
    ]);
    say::run(&mut cargo)
}

/// The artefact from the module, by the [`compiler`].
pub fn compile(place: &Place) -> Result<()> {
    let compiler = place
        .target
        .join("tool")
        .join(format!("deciduous-aot{}", env::consts::EXE_SUFFIX));
    let target = host_triple()?;
    let (module, artefact) = (place.module(), place.artefact());
    let digest = Inputs::default()
        .file(&module)?
        .file(&compiler)?
        .text(&target)
        .digest();
    if stamp::is_fresh(&artefact, &digest) {
        return Ok(());
    }
    say::run(
        Command::new(compiler)
            .arg(&module)
            .arg(&artefact)
            .args(["--target", &target]),
    )?;
    stamp::mark_fresh(&artefact, &digest)
}

/// Named even when it is this machine's: then the code uses what every CPU of the kind has, and what is built here runs
/// on an older one.
fn host_triple() -> Result<String> {
    let version = say::read(Command::new(place::rustc()).arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("the compiler names no host")?.to_owned())
}
