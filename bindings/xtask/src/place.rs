//! Where things are, and cargo as every command calls it.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::say;

/// The workspace and its target folder.
pub struct Place {
    pub root: PathBuf,
    /// Honours `CARGO_TARGET_DIR` and cargo's configuration, because cargo is asked.
    pub target: PathBuf,
}

impl Place {
    pub fn find() -> Result<Self> {
        // Cargo says where it runs this; a binary that was copied with a target folder would name the place it came from.
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = manifest
            .ancestors()
            .nth(2)
            .context("xtask lies in no workspace")?;
        let mut metadata = Command::new(program());
        metadata.current_dir(root).args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ]);
        let metadata: Value = serde_json::from_str(&say::read(&mut metadata)?)?;
        let target = metadata["target_directory"]
            .as_str()
            .context("cargo names no target folder")?;
        Ok(Self {
            root: root.to_owned(),
            target: target.into(),
        })
    }

    /// The module that hosts run.
    pub fn module(&self) -> PathBuf {
        self.target.join("core.wasm")
    }

    /// The module compiled ahead of time, which the native host embeds.
    pub fn artefact(&self) -> PathBuf {
        self.target.join("core.cwasm")
    }

    pub fn schema(&self, file: &str) -> PathBuf {
        self.root.join("bindings/schema").join(file)
    }

    /// The command that people run.
    pub fn binary(&self, profile: Profile) -> PathBuf {
        let name = format!("deciduous{}", env::consts::EXE_SUFFIX);
        self.target.join(profile.folder()).join(name)
    }

    /// Cargo in the workspace, told where the generated files and the artefact are. Whatever builds `core` for wasm or
    /// `deciduous` needs these, so every call has them: a different environment would build again.
    pub fn cargo(&self) -> Command {
        let mut cargo = Command::new(program());
        cargo
            .current_dir(&self.root)
            .env("DECIDUOUS_CATALOG", self.schema("catalog.json"))
            .env("DECIDUOUS_TABLES", self.schema("tables.json"))
            .env("DECIDUOUS_CORE", self.artefact());
        // `cargo run` put its own libraries first for us; a compiler started from here must find its own.
        cargo.env_remove("LD_LIBRARY_PATH");
        cargo
    }

    /// Cargo for what runs tests.
    pub fn cargo_for_tests(&self) -> Command {
        let mut cargo = self.cargo();
        cargo.envs(self.told());
        cargo
    }

    /// What every test is told: where the module and the binary are.
    pub fn told(&self) -> [(&'static str, PathBuf); 2] {
        [
            ("DECIDUOUS_WASM", self.module()),
            ("DECIDUOUS_BIN", self.binary(Profile::Release)),
        ]
    }
}

/// Which binary.
#[derive(Clone, Copy)]
pub enum Profile {
    Debug,
    Release,
}

impl Profile {
    /// The profile of `Cargo.toml` that builds the module.
    pub fn of_module(self) -> &'static str {
        match self {
            Self::Debug => "wasm-dev",
            Self::Release => "wasm",
        }
    }

    pub fn folder(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Release => "release",
        }
    }
}

/// The cargo that started us, not whichever comes first in the path.
pub fn program() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The compiler that this cargo uses.
pub fn rustc() -> OsString {
    env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}
