//! `deciduous completions`: a script that teaches a shell the commands.
//!
//! Owns: writing the script. Never: a shell's own files.

use super::super::help;
use super::super::output::{self, Globals, Stop};
use super::Own;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

pub static COMMAND: Own = Own {
    words: &["completions"],
    summary: "Write a completion script for a shell",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(Shell))
                .help("The shell to complete in"),
        )
        .after_help("Examples:\n  deciduous completions bash > ~/.local/share/bash-completion/completions/deciduous")
}

fn run(matches: &ArgMatches, _: &Globals) -> Result<(), Stop> {
    let Some(shell) = matches.get_one::<Shell>("shell") else {
        return Ok(());
    };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut help::tree(), "deciduous", &mut script);
    output::bytes(&script)
}
