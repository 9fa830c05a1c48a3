//! `cargo xtask build`: catalogue, module, artefact, binary, in that order, each from the one before.

use std::fs;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::options::Options;
use crate::place::{Place, Profile};
use crate::wasm_target::{self, TARGET, WasmTarget};
use crate::{aot, generate, say, stamp};

pub fn run(place: &Place, options: &Options) -> Result<()> {
    let profile = if options.flag("--debug") {
        Profile::Debug
    } else {
        Profile::Release
    };
    let only_core = options.flag("--core");
    options.none_left()?;
    core(place, profile)?;
    if only_core {
        Ok(())
    } else {
        host(place, profile)
    }
}

/// Everything that the native host embeds.
pub fn core(place: &Place, profile: Profile) -> Result<()> {
    say::step("catalogue", || generate::write(place))?;
    say::step("core.wasm", || module_and_compiler(place, profile))?;
    say::step("core.cwasm", || aot::compile(place))
}

/// Side by side: the module is one crate at its end and keeps one processor busy for minutes.
fn module_and_compiler(place: &Place, profile: Profile) -> Result<()> {
    thread::scope(|scope| {
        let compiler = scope.spawn(|| aot::compiler(place));
        let module = module(place, profile);
        let compiler = compiler
            .join()
            .unwrap_or_else(|_| bail!("the build of the compiler gave up"));
        module.and(compiler)
    })
}

/// The core for wasm, copied to where every host looks for it.
fn module(place: &Place, profile: Profile) -> Result<()> {
    let wasm = WasmTarget::find(place, true)?;
    let profile = profile.of_module();
    let mut cargo = wasm.cargo(place);
    cargo.args([
        "build",
        "--quiet",
        "--package",
        "deciduous-core",
        "--lib",
        "--profile",
        profile,
        "--target",
        TARGET,
    ]);
    say::run(&mut cargo)?;
    let built = wasm_target::target_folder(place)
        .join(TARGET)
        .join(profile)
        .join("deciduous_core.wasm");
    let bytes = fs::read(&built).with_context(|| format!("cargo left no `{}`", built.display()))?;
    stamp::write_if_changed(&place.module(), &bytes)?;
    Ok(())
}

/// The command that people run.
pub fn host(place: &Place, profile: Profile) -> Result<()> {
    say::step("deciduous", || {
        let mut cargo = place.cargo();
        cargo.args(["build", "--quiet", "--package", "deciduous"]);
        if matches!(profile, Profile::Release) {
            cargo.arg("--release");
        }
        say::run(&mut cargo)
    })?;
    say::line(&format!("built {}", place.binary(profile).display()));
    Ok(())
}
