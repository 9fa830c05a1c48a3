//! `deciduous completions`: a script that teaches a shell the commands, and to ask for ids and names.
//!
//! Owns: writing the script. Never: a shell's own files, or what is completed (`complete`).

use super::super::complete::VARIABLE;
use super::super::output::{self, Globals, Stop};
use super::Own;
use crate::Failure;
use clap::{Arg, ArgMatches, Command};
use clap_complete::env::Shells;

pub static COMMAND: Own = Own {
    words: &["completions"],
    summary: "Write a completion script for a shell",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    let shells: Vec<&'static str> = Shells::builtins().names().collect();
    command
        .about("Write a completion script for a shell. It completes commands and flags, and asks the graph for node numbers, themes, branches, sessions and documents.")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(shells)
                .help("The shell to complete in"),
        )
        .after_help(
            "Examples:\n  \
             deciduous completions bash > ~/.local/share/bash-completion/completions/deciduous\n  \
             deciduous completions zsh > ~/.zfunc/_deciduous\n  \
             deciduous completions fish > ~/.config/fish/completions/deciduous.fish",
        )
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let name = matches
        .get_one::<String>("shell")
        .map_or("", String::as_str);
    let mut script = Vec::new();
    Shells::builtins()
        .completer(name)
        .ok_or(std::io::ErrorKind::NotFound.into())
        .and_then(|shell| {
            shell.write_registration(VARIABLE, "deciduous", "deciduous", "deciduous", &mut script)
        })
        .map_err(|error| {
            Failure::new(
                format!("the script for `{name}` cannot be written: {error}"),
                "report this",
            )
        })?;
    if globals.json {
        let script = String::from_utf8_lossy(&script);
        let answer = serde_json::json!({ "shell": name, "script": script });
        return output::data(&format!("{answer}\n"));
    }
    output::bytes(&script)
}
