//! Finds what the binary embeds: the core's artefact and its generated tables; the catalogue becomes Rust tables.

#[path = "build/catalog.rs"]
mod catalog;

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let workspace = manifest.parent().map(PathBuf::from).unwrap_or_default();
    let schema = workspace.join("bindings/schema");
    embed("DECIDUOUS_CORE", target(&workspace).join("core.cwasm"));
    embed("DECIDUOUS_TABLES", schema.join("tables.json"));
    tables("DECIDUOUS_CATALOG", schema.join("catalog.json"));
}

/// The workspace's target folder: this script's own output lies in `TARGET/PROFILE/build/…`, or `TARGET/TRIPLE/PROFILE/…`.
fn target(workspace: &std::path::Path) -> PathBuf {
    if let Some(named) = env::var_os("CARGO_TARGET_DIR") {
        return workspace.join(named);
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let with_artefact = out
        .ancestors()
        .find(|folder| folder.join("core.cwasm").is_file());
    with_artefact.map_or_else(|| workspace.join("target"), PathBuf::from)
}

/// Passes a file's path on to `include_bytes!`, as an environment variable that may also name another file.
fn embed(variable: &str, usual: PathBuf) {
    let path = source(variable, usual);
    match fs::canonicalize(&path) {
        Ok(path) => println!("cargo::rustc-env={variable}={}", path.display()),
        Err(error) => println!(
            "cargo::error=`{}`: {error}; run `cargo xtask build`",
            path.display()
        ),
    }
}

/// Writes the catalogue as `OUT_DIR/catalog.rs`, so that a cold command parses no JSON.
fn tables(variable: &str, usual: PathBuf) {
    println!("cargo::rerun-if-changed=build/catalog.rs");
    let path = source(variable, usual);
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("catalog.rs");
    let text =
        fs::read_to_string(&path).map_err(|error| format!("{error}; run `cargo xtask build`"));
    let written = text
        .and_then(|text| catalog::tables(&text))
        .and_then(|tables| fs::write(out, tables).map_err(|error| error.to_string()));
    if let Err(error) = written {
        println!("cargo::error=`{}`: {error}", path.display());
    }
}

fn source(variable: &str, usual: PathBuf) -> PathBuf {
    println!("cargo::rerun-if-env-changed={variable}");
    let path = env::var_os(variable).map_or(usual, PathBuf::from);
    println!("cargo::rerun-if-changed={}", path.display());
    path
}
