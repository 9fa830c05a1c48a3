//! `deciduous mcp`: the tools for an agent, over standard input and output.
//!
//! Owns: the command's flags. Never: the protocol (`mcp`).

use super::super::output::{Globals, Stop};
use super::{Own, spoken, toolset};
use crate::mcp;
use clap::{ArgMatches, Command};

pub static COMMAND: Own = Own {
    words: &["mcp"],
    summary: "Serve the tools to an agent over standard input and output",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .about("Serve the tools to an agent over standard input and output, one JSON-RPC message a line. An agent's client starts this; it ends when standard input does.")
        .arg(toolset("Which tools to serve", "local"))
        .after_help("Examples:\n  deciduous mcp\n  deciduous mcp --toolset all\n  claude mcp add deciduous -- deciduous mcp")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    mcp::serve(spoken(matches)?, globals.db.clone()).map_err(Stop::from)
}
