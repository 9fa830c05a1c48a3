//! Finds or makes a compiler for `wasm32-unknown-unknown`.
//!
//! In this order, because the first is the usual one and the last wants a network that not every machine has:
//! 1. the active toolchain has the target;
//! 2. Debian's `rustc-web` with `rust-web-src`: its standard library is built once into a sysroot under the target folder;
//! 3. `rustup target add`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::place::{self, Place};
use crate::stamp::{self, Inputs};
use crate::{say, setup};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's packages with a compiler and the sources of its standard library.
pub const DEBIAN: [&str; 2] = ["rustc-web", "rust-web-src"];
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_SOURCES: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";

/// Which compiler makes the module.
pub enum WasmTarget {
    /// The active one.
    Toolchain,
    /// Debian's, with a sysroot and a linker.
    Debian { sysroot: PathBuf, linker: PathBuf },
}

/// Between the flags in `CARGO_ENCODED_RUSTFLAGS`, where a path may hold blanks.
const SEPARATOR: &str = "\u{1f}";

impl WasmTarget {
    /// Finds it, and when `install` says so makes it.
    pub fn find(place: &Place, install: bool) -> Result<Self> {
        if toolchain_has_it()? {
            return Ok(Self::Toolchain);
        }
        if !debian_has_it() && setup::may_install_packages() {
            setup::install_packages(&DEBIAN)?;
        }
        if debian_has_it() {
            return Ok(Self::Debian {
                sysroot: debian_sysroot(place)?,
                linker: linker()?,
            });
        }
        if !install {
            bail!(
                "no compiler for {TARGET}: run `cargo xtask setup`, or `rustup target add {TARGET}`"
            );
        }
        say::step(&format!("rustup target add {TARGET}"), || {
            say::run(Command::new("rustup").args(["target", "add", TARGET]))
        })?;
        if !toolchain_has_it()? {
            bail!("rustup added {TARGET} to another toolchain than the one in use");
        }
        Ok(Self::Toolchain)
    }

    pub fn describe(&self) -> String {
        match self {
            Self::Toolchain => "the active toolchain".to_owned(),
            Self::Debian { .. } => "Debian's rustc-web, with its own standard library".to_owned(),
        }
    }

    /// Cargo for this target. It has a target folder of its own, so that two compilers do not throw away each other's work.
    pub fn cargo(&self, place: &Place) -> Command {
        let mut cargo = place.cargo();
        cargo.env("CARGO_TARGET_DIR", target_folder(place));
        let mut flags = remapped(&place.root);
        if let Self::Debian { sysroot, linker } = self {
            cargo.env("RUSTC", DEBIAN_RUSTC);
            flags.push(joined("--sysroot=", sysroot.as_os_str()));
            flags.push(joined("-Clinker=", linker.as_os_str()));
        }
        cargo
            .env_remove("RUSTFLAGS")
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join(OsStr::new(SEPARATOR)));
        cargo
    }
}

/// Where cargo leaves what it builds for this target.
pub fn target_folder(place: &Place) -> PathBuf {
    place.target.join("wasm")
}

fn joined(flag: &str, value: &OsStr) -> OsString {
    let mut joined = OsString::from(flag);
    joined.push(value);
    joined
}

/// Flags that keep this machine's paths out of the module's panics: its bytes are the same wherever it is built.
fn remapped(root: &Path) -> Vec<OsString> {
    let home = || {
        Some(
            PathBuf::from(env::var_os("HOME").or_else(|| env::var_os("USERPROFILE"))?)
                .join(".cargo"),
        )
    };
    let cargo = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home);
    let sources = cargo.map(|cargo| cargo.join("registry/src"));
    let sources = sources
        .and_then(|sources| fs::read_dir(sources).ok())
        .into_iter()
        .flatten()
        .flatten();
    let mut flags = vec![remap(root, "deciduous")];
    flags.extend(sources.map(|source| remap(&source.path(), "cargo")));
    flags
}

fn remap(path: &Path, name: &str) -> OsString {
    let mut flag = joined("--remap-path-prefix=", path.as_os_str());
    flag.push("=");
    flag.push(name);
    flag
}

/// `rustc` names the target's folder also when the target is missing: only its `libcore` proves it.
fn toolchain_has_it() -> Result<bool> {
    let folder = say::read(Command::new(place::rustc()).args([
        "--print",
        "target-libdir",
        "--target",
        TARGET,
    ]))?;
    let Ok(entries) = fs::read_dir(folder.trim()) else {
        return Ok(false);
    };
    Ok(entries
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-")))
}

/// The packages are there, and their compiler is not an older one than the workspace wants.
fn debian_has_it() -> bool {
    Path::new(DEBIAN_SOURCES).exists()
        && debian_version()
            .is_ok_and(|version| minor(&version) >= minor(env!("CARGO_PKG_RUST_VERSION")))
}

fn debian_version() -> Result<String> {
    say::read(debian_rustc().arg("-vV"))
}

fn debian_rustc() -> Command {
    let mut rustc = Command::new(DEBIAN_RUSTC);
    rustc.env_remove("LD_LIBRARY_PATH");
    rustc
}

/// The `95` of `rustc 1.95.0 (…)` or of `1.95`.
fn minor(version: &str) -> Option<u32> {
    let number = version
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    number.split('.').nth(1)?.parse().ok()
}

/// Builds Debian's standard library for the target, once for each version of the compiler.
fn debian_sysroot(place: &Place) -> Result<PathBuf> {
    let home = place.target.join("wasm-sysroot");
    let sysroot = home.join("sysroot");
    let digest = Inputs::default()
        .text(&debian_version()?)
        .text(STD)
        .text(STD_FLAG)
        .digest();
    if !stamp::is_fresh(&sysroot, &digest) {
        say::step("the standard library for wasm, once", || {
            build_std(&home, &sysroot)
        })?;
        stamp::mark_fresh(&sysroot, &digest)?;
    }
    Ok(sysroot)
}

const STD: &str = "-Zbuild-std=std,panic_abort,panic_unwind,proc_macro,test";

/// With bitcode, or link-time optimization of the module finds none in the standard library and fails.
const STD_FLAG: &str = "-Cembed-bitcode=yes";

fn build_std(home: &Path, sysroot: &Path) -> Result<()> {
    let mut flags = remapped(home);
    flags.push(STD_FLAG.into());
    let source = home.join("empty");
    let built = home.join("built");
    let libraries = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    for old in [&built, sysroot] {
        if old.exists() {
            fs::remove_dir_all(old)?;
        }
    }
    // A crate of its own workspace: nothing of ours may reach the standard library's build.
    stamp::write_if_changed(
        &source.join("Cargo.toml"),
        b"[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n",
    )?;
    stamp::write_if_changed(&source.join("src/lib.rs"), b"#![no_std]\n")?;

    let mut cargo = Command::new(place::program());
    cargo
        .current_dir(&source)
        .args(["build", "--quiet", "--release", "--target", TARGET, STD])
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("RUSTFLAGS")
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join(OsStr::new(SEPARATOR)))
        .env("CARGO_TARGET_DIR", &built)
        .env("RUSTC", DEBIAN_RUSTC)
        // The packages are a stable compiler; building its own library is what the switch is for.
        .env("RUSTC_BOOTSTRAP", "1");
    say::run(&mut cargo)?;

    fs::create_dir_all(&libraries)?;
    for entry in fs::read_dir(built.join(TARGET).join("release/deps"))? {
        let file = entry?.path();
        if file.extension() == Some(OsStr::new("rlib")) {
            let name = file.file_name().context("a library has a name")?;
            fs::copy(&file, libraries.join(name))?;
        }
    }
    fs::remove_dir_all(&built)?;
    Ok(())
}

/// Debian's compiler has no linker for wasm: the toolchain's, or one from the path.
fn linker() -> Result<PathBuf> {
    let sysroot = say::read(Command::new(place::rustc()).args(["--print", "sysroot"]))?;
    let targets = Path::new(sysroot.trim()).join("lib/rustlib");
    for entry in fs::read_dir(&targets).into_iter().flatten().flatten() {
        let linker = entry.path().join("bin/rust-lld");
        if linker.exists() {
            return Ok(linker);
        }
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .flat_map(|folder| ["rust-lld", "wasm-ld"].map(|name| folder.join(name)))
        .find(|linker| linker.exists())
        .context(
            "no linker for wasm: neither `rust-lld` in the toolchain nor `wasm-ld` in the path",
        )
}

#[cfg(test)]
mod tests {
    use super::minor;

    #[test]
    fn reads_a_compilers_version() {
        assert_eq!(minor("rustc 1.96.0 (ac68faa20 2026-05-25)"), Some(96));
        assert_eq!(minor("1.95"), Some(95));
        assert_eq!(minor("rustc"), None);
    }
}
