//! `cargo xtask generate`: the files that the core's own types say. They are committed, and `--check` says when they are
//! stale.

use anyhow::{Result, bail};
use std::fs;

use crate::options::Options;
use crate::place::Place;
use crate::say;

const FILES: [&str; 2] = ["catalog.json", "tables.json"];

pub fn run(place: &Place, options: &Options) -> Result<()> {
    let check = options.flag("--check");
    options.none_left()?;
    if check {
        is_current(place)
    } else {
        write(place)
    }
}

pub fn write(place: &Place) -> Result<()> {
    generator(place, &place.schema(""))
}

/// Generates beside the target and compares, so that a check changes nothing.
fn is_current(place: &Place) -> Result<()> {
    let fresh = place.target.join("generated");
    fs::create_dir_all(&fresh)?;
    generator(place, &fresh)?;
    for file in FILES {
        if fs::read(fresh.join(file))? != fs::read(place.schema(file)).unwrap_or_default() {
            bail!("`bindings/schema/{file}` is stale: run `cargo xtask generate` and commit it");
        }
    }
    Ok(())
}

fn generator(place: &Place, folder: &std::path::Path) -> Result<()> {
    let mut cargo = place.cargo();
    cargo
        .args(["run", "--quiet", "--package", "deciduous-schema", "--"])
        .arg(folder);
    say::run(&mut cargo)
}
