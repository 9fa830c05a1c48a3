//! `deciduous man`: the help of every command as manual pages.
//!
//! Owns: one page a command, and writing them all to a folder. Never: the words; they are the help's.

use super::super::help;
use super::super::output::{self, Globals, Stop};
use super::{Own, switch};
use crate::Failure;
use clap::{Arg, ArgMatches, Command};
use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::Path;

pub static COMMAND: Own = Own {
    words: &["man"],
    summary: "Print a manual page, or write all of them to a folder",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .about("Print the manual page of a command in roff, or write all pages to a folder.")
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .num_args(0..)
                .help("The command; none: deciduous itself. With --all: the folder"),
        )
        .arg(
            switch("all", "Write every page to the folder that is named")
                .requires("command"),
        )
        .after_help("Examples:\n  deciduous man add | man -l -\n  deciduous man --all ~/.local/share/man/man1")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let words: Vec<&str> = matches
        .get_many::<String>("command")
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    if matches.get_flag("all") {
        return match words.as_slice() {
            [folder] => all(Path::new(folder), globals),
            _ => Err(
                Failure::new("`--all` takes one folder", "name the folder alone")
                    .with_exit(Failure::USAGE)
                    .into(),
            ),
        };
    }
    let mut root = help::tree();
    root.build();
    let mut command = &root;
    for word in &words {
        command = command.find_subcommand(word).ok_or_else(|| {
            Failure::new(
                format!("`{}` is not a command", words.join(" ")),
                "`deciduous --help` lists the commands",
            )
            .with_exit(Failure::NOT_FOUND)
        })?;
    }
    let (name, page) = page(command, &words).map_err(unmade)?;
    if globals.json {
        let answer = serde_json::json!({ "name": name, "roff": String::from_utf8_lossy(&page) });
        return output::data(&format!("{answer}\n"));
    }
    output::bytes(&page)
}

/// Every page in the folder, which is made where it is missing.
fn all(folder: &Path, globals: &Globals) -> Result<(), Stop> {
    fs::create_dir_all(folder).map_err(|error| {
        Failure::new(
            format!("`{}` cannot be made: {error}", folder.display()),
            "name a folder that may be written",
        )
    })?;
    let mut root = help::tree();
    root.build();
    let mut pages: Vec<(String, Vec<u8>)> = Vec::new();
    pages.push(page(&root, &[]).map_err(unmade)?);
    for first in root.get_subcommands() {
        pages.push(page(first, &[first.get_name()]).map_err(unmade)?);
        for second in first.get_subcommands() {
            let words = [first.get_name(), second.get_name()];
            pages.push(page(second, &words).map_err(unmade)?);
        }
    }
    for (name, page) in &pages {
        output::replace(&folder.join(format!("{name}.1")), page)?;
    }
    if globals.json {
        let names: Vec<String> = pages.iter().map(|(name, _)| format!("{name}.1")).collect();
        let answer = serde_json::json!({ "folder": folder.to_string_lossy(), "written": names });
        return output::data(&format!("{answer}\n"));
    }
    output::note(&format!(
        "wrote {} pages to {}",
        pages.len(),
        folder.display()
    ));
    Ok(())
}

fn page(command: &Command, words: &[&str]) -> io::Result<(String, Vec<u8>)> {
    let name = ["deciduous"]
        .iter()
        .chain(words)
        .copied()
        .collect::<Vec<_>>()
        .join("-");
    let mut page = Vec::new();
    Man::new(command.clone().name(name.clone()))
        .title(name.to_uppercase())
        .manual("Deciduous")
        .source(format!("deciduous {}", env!("CARGO_PKG_VERSION")))
        .render(&mut page)?;
    Ok((name, page))
}

fn unmade(error: io::Error) -> Failure {
    Failure::new(format!("the page cannot be made: {error}"), "report this")
}
