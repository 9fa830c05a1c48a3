//! `cargo xtask vectors`: the vectors on every host; `--update` writes what the hosts answer into them.

use anyhow::Result;

use crate::options::Options;
use crate::place::{Place, Profile};
use crate::{build, say};

pub fn run(place: &Place, options: &Options) -> Result<()> {
    let update = options.flag("--update");
    let filter = options.rest();
    build::core(place, Profile::Release)?;
    build::host(place, Profile::Release)?;
    let mut cargo = place.cargo_for_tests();
    cargo
        .args([
            "test",
            "--quiet",
            "--package",
            "deciduous-runner",
            "--features",
            "hosts",
            "--test",
            "vectors",
            "--",
        ])
        .args(filter);
    if update {
        cargo.env("UPDATE", "1");
    }
    say::run(&mut cargo)
}
