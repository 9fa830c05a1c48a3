//! Where `cargo xtask build` leaves what the other hosts need.

use crate::root;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The module.
#[must_use]
pub fn module() -> PathBuf {
    env::var_os("DECIDUOUS_WASM").map_or_else(|| target().join("core.wasm"), PathBuf::from)
}

/// The command: the one named by `DECIDUOUS_BIN`, else the newer of the two builds.
///
/// # Errors
/// Where there is none.
pub fn binary() -> Result<PathBuf, String> {
    let name = format!("deciduous{}", env::consts::EXE_SUFFIX);
    let builds = ["release", "debug"].map(|profile| target().join(profile).join(&name));
    let named = env::var_os("DECIDUOUS_BIN").map(PathBuf::from);
    let candidates = named.map_or_else(|| builds.to_vec(), |named| vec![named]);
    let built = candidates
        .iter()
        .filter_map(|path| Some((fs::metadata(path).ok()?.modified().ok()?, path)));
    built
        .max()
        .map(|(_, path)| path.clone())
        .ok_or_else(|| missing(&candidates[0]))
}

/// # Errors
/// Where it is not built, with what to run.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|_| missing(path))
}

fn missing(path: &Path) -> String {
    format!("`{}` is not built; run `cargo xtask build`", path.display())
}

/// Where cargo builds.
#[must_use]
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
