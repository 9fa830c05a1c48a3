//! `cargo xtask ci`: what `.ci/run` calls on a machine that has nothing but Rust.

use anyhow::Result;

use crate::options::Options;
use crate::place::Place;
use crate::{setup, test};

pub fn run(place: &Place, options: &Options) -> Result<()> {
    let system = setup::may_install_packages().then(|| "--system".to_owned());
    setup::run(place, &Options::new(system.into_iter()))?;
    test::run(place, options)
}
