//! `deciduous doc open`: an attached file in the program that the desktop has for it.
//!
//! Owns: opening only what a viewer shows. Never: running an attached file, or opening one where nobody looks.

use super::super::output::{self, Globals, Stop};
use super::super::text::shown;
use super::{Own, paper};
use crate::{Failure, os};
use clap::{ArgMatches, Command};
use std::io::{self, IsTerminal};
use std::process::Stdio;
use std::{env, fs};

pub static COMMAND: Own = Own {
    words: &["doc", "open"],
    summary: "Open an attached file in the desktop's program for it",
    build: flags,
    run,
};

/// Endings of files that programs show and do not run.
const SHOWN: [&str; 15] = [
    "bmp", "csv", "gif", "jpeg", "jpg", "json", "log", "md", "pdf", "png", "toml", "tsv", "txt",
    "webp", "yaml",
];

fn flags(command: Command) -> Command {
    command
        .about("Open a copy of an attached picture, PDF or text in the program that the desktop has for it. Other text is opened as plain text; what could be run is not opened.")
        .arg(paper::number())
        .after_help("Examples:\n  deciduous doc open 3")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let paper = paper::find(matches, globals)?;
    if globals.json || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let failure = Failure::new(
            "a program is opened only for somebody at a terminal",
            format!(
                "write the file out: `deciduous doc show {} -o FILE`",
                paper.id
            ),
        );
        return Err(failure.with_exit(Failure::USAGE).into());
    }
    let bytes = paper.bytes()?;
    let ending = paper
        .name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase())
        .unwrap_or_default();
    let ending = match SHOWN.iter().find(|known| **known == ending) {
        Some(known) => known,
        None if std::str::from_utf8(&bytes).is_ok() => "txt",
        None => {
            return Err(Failure::new(
                format!(
                    "`{}` is neither a picture, a PDF nor text, so it is not opened",
                    paper.name
                ),
                format!(
                    "write it out and look at it first: `deciduous doc show {} -o FILE`",
                    paper.id
                ),
            )
            .with_exit(Failure::RULE)
            .into());
        }
    };
    // A copy, so that the program cannot change what is kept; a name of ours, so that nothing in it means anything.
    let unmade = |error: io::Error| {
        Failure::new(
            format!("a copy to open cannot be made: {error}"),
            "check the folder for temporary files",
        )
    };
    let dice = os::dice().map_err(unmade)?;
    let folder = env::temp_dir().join(format!("deciduous-{dice:08x}"));
    fs::create_dir(&folder).map_err(unmade)?;
    let copy = folder.join(format!("document-{}.{ending}", paper.id));
    fs::write(&copy, &bytes).map_err(unmade)?;
    let started = os::opener(&copy)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match started {
        Ok(status) if status.success() => {
            output::note(&format!(
                "opened a copy: {}",
                shown(&copy.display().to_string(), false)
            ));
            Ok(())
        }
        other => {
            // Nothing looks at it.
            let _ = fs::remove_dir_all(&folder);
            let why = match other {
                Ok(status) => format!("it ended with {status}"),
                Err(error) => error.to_string(),
            };
            Err(Failure::new(
                format!("the desktop's program to open files cannot be used: {why}"),
                format!(
                    "write the file out: `deciduous doc show {} -o FILE`",
                    paper.id
                ),
            )
            .into())
        }
    }
}
