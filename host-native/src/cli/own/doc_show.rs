//! `deciduous doc show`: the bytes of an attached file.
//!
//! Owns: writing them out as they were taken in. Never: letting a file's bytes at a terminal as they are.

use super::super::output::{self, Globals, Stop};
use super::super::text::shown;
use super::{Own, paper};
use crate::Failure;
use clap::{Arg, ArgMatches, Command, value_parser};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

pub static COMMAND: Own = Own {
    words: &["doc", "show"],
    summary: "Write out an attached file",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .about("Write out an attached file, byte for byte, to standard output or a file. With --json: what is known of it, and where its bytes lie.")
        .arg(paper::number())
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write to this file, whole or not at all"),
        )
        .after_help("Examples:\n  deciduous doc show 3\n  deciduous doc show 3 -o load-test.png")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let paper = paper::find(matches, globals)?;
    let to = matches
        .get_one::<PathBuf>("output")
        .filter(|path| path.as_os_str() != "-");
    if globals.json && to.is_none() {
        return output::data(&format!("{}\n", paper.told()));
    }
    let bytes = paper.bytes()?;
    if let Some(path) = to {
        output::file(path, &mut |out| out.write_all(&bytes))?;
        return if globals.json {
            output::data(&format!("{}\n", paper.told()))
        } else {
            Ok(())
        };
    }
    if !io::stdout().is_terminal() {
        return output::bytes(&bytes);
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) => output::data(&shown(text, true)),
        Err(_) => Err(Failure::new(
            format!("`{}` is no text for a terminal", paper.name),
            "add `-o FILE`, or `deciduous doc open` it",
        )
        .with_exit(Failure::USAGE)
        .into()),
    }
}
