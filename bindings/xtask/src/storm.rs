//! `cargo xtask storm [--kills N]`: the storm of kills in its long form. `cargo xtask soak [--minutes N]`: a server under
//! mixed calls with its memory watched. `cargo xtask fuzz [TARGET…] [--seconds N] [--seed N]`: the fuzz targets.
//!
//! The tests themselves are the host's and run for seconds in `cargo xtask test`; here they only run longer.

use anyhow::{Context, Result};

use crate::options::Options;
use crate::place::{Place, Profile};
use crate::{build, say};

pub fn storm(place: &Place, options: &Options) -> Result<()> {
    let kills = number(options, "--kills", 300)?;
    options.none_left()?;
    host_test(place, "storms", &[("KILLS", kills.to_string())])
}

pub fn soak(place: &Place, options: &Options) -> Result<()> {
    let minutes = number(options, "--minutes", 5)?;
    options.none_left()?;
    build::core(place, Profile::Release)?;
    build::host(place, Profile::Release)?;
    let binary = place.binary(Profile::Release).display().to_string();
    let seconds = (minutes * 60).to_string();
    host_test(
        place,
        "soak",
        &[("SOAK_SECONDS", seconds), ("SOAK_BINARY", binary)],
    )
}

pub fn fuzz(place: &Place, options: &Options) -> Result<()> {
    let mut cargo = place.cargo_for_tests();
    cargo
        .args(["run", "--quiet", "--package", "deciduous-fuzz", "--"])
        .args(options.rest());
    say::run(&mut cargo)
}

fn host_test(place: &Place, test: &str, told: &[(&str, String)]) -> Result<()> {
    let mut cargo = place.cargo_for_tests();
    cargo
        .args(["test", "--quiet", "--package", "deciduous", "--test", test])
        .args(["--", "--nocapture"]);
    for (name, value) in told {
        cargo.env(name, value);
    }
    say::run(&mut cargo)
}

fn number(options: &Options, flag: &str, usual: u64) -> Result<u64> {
    let values = options.values(flag)?;
    values.last().map_or(Ok(usual), |value| {
        value
            .parse()
            .with_context(|| format!("`{flag}` wants a number, not `{value}`"))
    })
}
