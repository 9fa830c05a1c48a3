//! `cargo xtask demo`: builds the binary, then lets `examples/demo` drive it.

use anyhow::{Result, bail};

use crate::options::Options;
use crate::place::{Place, Profile};
use crate::{build, say};

pub fn run(place: &Place, options: &Options) -> Result<()> {
    let arguments = options.rest();
    if !place.root.join("examples/demo/Cargo.toml").exists() {
        bail!("there is no `examples/demo` yet");
    }
    build::core(place, Profile::Release)?;
    build::host(place, Profile::Release)?;
    let mut cargo = place.cargo_for_tests();
    cargo
        .args(["run", "--quiet", "--package", "deciduous-demo", "--"])
        .args(arguments);
    say::run(&mut cargo)
}
