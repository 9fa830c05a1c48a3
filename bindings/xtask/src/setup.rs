//! `cargo xtask setup`: what the other commands need and a fresh machine lacks.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::options::Options;
use crate::place::Place;
use crate::say;
use crate::wasm_target::WasmTarget;

/// Programs that tests and the demo call, as Debian names them. Without Graphviz the demo draws no picture and one test
/// is skipped; on CI it must not be.
const SYSTEM: [&str; 1] = ["graphviz"];

pub fn run(place: &Place, options: &Options) -> Result<()> {
    let system = options.flag("--system");
    options.none_left()?;
    if system {
        install_packages(&SYSTEM)?;
    }
    let target = WasmTarget::find(place, true)?;
    say::line(&format!("wasm is built by {}", target.describe()));
    clients(place)
}

/// The protocol's own clients, which the tests let talk to the server: installed as their lock file says.
fn clients(place: &Place) -> Result<()> {
    let folder = place.root.join("tests/clients");
    if !folder.join("package-lock.json").exists() || folder.join("node_modules").exists() {
        return Ok(());
    }
    say::step("npm ci in tests/clients", || {
        say::run(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund"])
                .current_dir(&folder),
        )
    })
}

/// Root on Debian, or on what is made from it.
pub fn may_install_packages() -> bool {
    Path::new("/etc/debian_version").exists()
        && say::read(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Installs those Debian packages that are missing.
pub fn install_packages(names: &[&str]) -> Result<()> {
    let missing: Vec<_> = names.iter().filter(|name| !is_installed(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let install = |missing: &[&&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(["install", "--yes", "--quiet", "--no-install-recommends"])
            .args(missing);
        say::run(apt.env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let words: Vec<_> = missing.iter().map(ToString::to_string).collect();
    say::step(&format!("apt-get install {}", words.join(" ")), || {
        say::run(Command::new("apt-get").args(["update", "--quiet"]))?;
        install(&missing)
    })
}

fn is_installed(package: &str) -> bool {
    let status = Path::new("/var/lib/dpkg/info");
    let list = |name: String| status.join(name).exists();
    list(format!("{package}.list")) || has_qualified_list(status, package)
}

/// dpkg writes `NAME:ARCHITECTURE.list` for what may be installed for two architectures.
fn has_qualified_list(folder: &Path, package: &str) -> bool {
    let prefix = format!("{package}:");
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(&prefix) && name.ends_with(".list")
        })
}
