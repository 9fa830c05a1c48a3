//! `deciduous version`: which build this is.
//!
//! Owns: the version as text and as JSON. Never: looking for newer ones.

use super::super::output::{self, Globals, Stop};
use super::Own;
use crate::catalog;
use clap::{ArgMatches, Command};

pub static COMMAND: Own = Own {
    words: &["version"],
    summary: "Print the version",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command.after_help("Examples:\n  deciduous version --json")
}

fn run(_: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let version = env!("CARGO_PKG_VERSION");
    if globals.json {
        output::data(&format!(
            "{}\n",
            serde_json::json!({ "name": "deciduous", "version": version, "abi": catalog::ABI })
        ))
    } else {
        output::data(&format!("deciduous {version}\n"))
    }
}
