//! Finds what the binary embeds: the core's artefact and its generated tables.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let workspace = manifest.parent().map(PathBuf::from).unwrap_or_default();
    let schema = workspace.join("bindings/schema");
    embed("DECIDUOUS_CORE", target(&workspace).join("core.cwasm"));
    embed("DECIDUOUS_TABLES", schema.join("tables.json"));
    embed("DECIDUOUS_CATALOG", schema.join("catalog.json"));
}

/// The workspace's target folder: this script's own output lies in `TARGET/PROFILE/build/…`, or `TARGET/TRIPLE/PROFILE/…`.
fn target(workspace: &std::path::Path) -> PathBuf {
    if let Some(named) = env::var_os("CARGO_TARGET_DIR") {
        return workspace.join(named);
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let with_artefact = out.ancestors().find(|folder| folder.join("core.cwasm").is_file());
    with_artefact.map_or_else(|| workspace.join("target"), PathBuf::from)
}

/// Passes a file's path on to `include_bytes!`, as an environment variable that may also name another file.
fn embed(variable: &str, usual: PathBuf) {
    println!("cargo::rerun-if-env-changed={variable}");
    let path = env::var_os(variable).map_or(usual, PathBuf::from);
    println!("cargo::rerun-if-changed={}", path.display());
    match fs::canonicalize(&path) {
        Ok(path) => println!("cargo::rustc-env={variable}={}", path.display()),
        Err(error) => println!("cargo::error=`{}`: {error}; run `cargo xtask build`", path.display()),
    }
}
