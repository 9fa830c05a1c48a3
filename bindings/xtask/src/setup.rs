//! `cargo xtask setup`: what the other commands need and a fresh machine lacks.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::Result;

use crate::options::Options;
use crate::place::Place;
use crate::say;
use crate::stamp::Inputs;
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

/// The protocol's own clients, which the tests let talk to the server: installed as their lock files say.
fn clients(place: &Place) -> Result<()> {
    let folder = place.root.join("tests/clients");
    installed(
        &folder.join("package-lock.json"),
        &folder.join("node_modules"),
        || {
            let mut npm = Command::new("npm");
            npm.args(["ci", "--no-audit", "--no-fund"])
                .current_dir(&folder);
            say::run(&mut npm)
        },
    )?;
    let (list, python) = (folder.join("requirements.txt"), python(place));
    let made = installed(&list, &python, || {
        say::run(Command::new("python3").args(["-m", "venv"]).arg(&python))?;
        let mut pip = Command::new(python.join("bin/python3"));
        pip.args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(&list);
        say::run(&mut pip)
    });
    match made {
        Err(error) if env::var_os("CI").is_none() => {
            say::line(&format!("tests go on without the Python client: {error:#}"));
            Ok(())
        }
        made => made,
    }
}

/// Where the Python client lives: an environment of its own.
pub fn python(place: &Place) -> PathBuf {
    place.target.join("clients-python")
}

/// Installs what a list names into a folder, unless that was made from the same list.
fn installed(list: &Path, folder: &Path, install: impl FnOnce() -> Result<()>) -> Result<()> {
    if !list.exists() {
        return Ok(());
    }
    let (digest, made) = (Inputs::default().file(list)?.digest(), folder.join("made"));
    if fs::read_to_string(&made).is_ok_and(|from| from == digest) {
        return Ok(());
    }
    let name = list.file_name().unwrap_or_default().to_string_lossy();
    say::step(
        &format!("what tests/clients/{name} names is installed"),
        install,
    )?;
    fs::write(made, digest)?;
    Ok(())
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
