//! `cargo xtask bench`: builds the binary, then lets `tests/bench` measure it. What stands after it is passed on.

use anyhow::{Result, bail};

use crate::options::Options;
use crate::place::{Place, Profile};
use crate::{build, say};

pub fn run(place: &Place, options: &Options) -> Result<()> {
    let arguments = options.rest();
    if !place.root.join("tests/bench/Cargo.toml").exists() {
        bail!("there is no `tests/bench` yet");
    }
    build::core(place, Profile::Release)?;
    build::host(place, Profile::Release)?;
    // All its programs: what the binary is measured against is one of them.
    let package = ["--quiet", "--release", "--package", "deciduous-bench"];
    say::run(place.cargo_for_tests().arg("build").args(package))?;
    let mut cargo = place.cargo_for_tests();
    cargo.arg("run").args(package).arg("--").args(arguments);
    say::run(&mut cargo)
}
