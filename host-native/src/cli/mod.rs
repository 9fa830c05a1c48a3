//! The command line. Every tool of the catalogue is a command; only what needs no core is written here.
//!
//! Owns: words to call, answer to text, exit codes. Never: a tool's name, argument or meaning; those come from the
//! catalogue, so a tool added to the core is a command with no edit here.
//!
//! ```text
//! deciduous add goal "Ship search" -c 90   ->  {"node_type":"goal","title":"Ship search","confidence":90}
//! ```

mod agents;
mod arguments;
mod command;
mod complete;
mod fields;
mod help;
mod output;
mod own;
mod paged;
mod paint;
mod render;
mod run;
mod show;
mod table;
mod text;
mod view;

use crate::Failure;
use crate::catalog;
use command::{Found, find};
use deciduous_boundary::Refusal;
use output::{Globals, Stop};
pub(crate) use run::actor_name;
use std::env;
use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

/// The command named by the process's arguments, from start to exit code.
#[must_use]
pub fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    let split = command::split(words);
    if env::var_os("RUST_BACKTRACE").is_none() {
        panic::set_hook(Box::new(|_| {}));
    }
    if complete::answered() {
        return ExitCode::SUCCESS;
    }
    // A defect is told like any other failure, without a trace of the inside.
    match panic::catch_unwind(|| answer(&split)).unwrap_or_else(|_| Err(defect().into())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => output::report(stop, &split.globals),
    }
}

fn answer(split: &command::Split) -> Result<(), Stop> {
    if split.words.is_empty() {
        return bare(split);
    }
    match find(&split.words) {
        Found::Tool(tool, used) => {
            let matches = command::parse(command::of_tool(tool), split, used)?;
            run::tool(tool, &matches, &Globals::of(&matches)?)
        }
        Found::Own(own, used) => {
            let matches = command::parse(command::of_own(own), split, used)?;
            (own.run)(&matches, &Globals::of(&matches)?)
        }
        Found::Group(words) if split.wants_help() => output::data(&help::group(&words)),
        Found::Group(words) => Err(Stop::Usage(help::group(&words))),
        Found::Nothing => Err(Stop::Refused(unknown(&split.words))),
    }
}

fn defect() -> Failure {
    Failure::new(
        "the command broke off inside; this is a defect",
        "report it with what you ran; RUST_BACKTRACE=1 shows where it broke off",
    )
}

/// No command: version, help, or a complaint with the help.
fn bare(split: &command::Split) -> Result<(), Stop> {
    if split.wants_version() {
        output::data(&format!("deciduous {}\n", env!("CARGO_PKG_VERSION")))
    } else if split.wants_help() {
        output::data(&help::everything())
    } else if let Some(flag) = split.rest.first() {
        let flag = flag.to_string_lossy().into_owned();
        Err(Failure::new(
            format!("`{flag}` is no flag of `deciduous` itself"),
            "put a command first, such as those of `deciduous --help`",
        )
        .with_exit(Failure::USAGE)
        .into())
    } else {
        Err(Stop::Usage(help::everything()))
    }
}

fn unknown(words: &[String]) -> Refusal {
    let word = words[0].as_str();
    let said = words.iter().take(2).cloned().collect::<Vec<_>>().join(" ");
    let all: Vec<String> = help::commands().map(|(words, _)| words.join(" ")).collect();
    let firsts = all
        .iter()
        .map(|words| words.split(' ').next().unwrap_or(words));
    // A tool's own name is what somebody who knows it from MCP types.
    let tool =
        catalog::tools().find(|tool| tool.name == word || tool.name == word.replace('-', "_"));
    let meant = tool
        .map(|tool| tool.command.join(" "))
        .or_else(|| catalog::nearest(&said, all.iter().map(String::as_str)).map(str::to_owned))
        .or_else(|| catalog::nearest(word, firsts).map(str::to_owned));
    let next = match meant {
        Some(meant) => format!("try `deciduous {meant}`; `deciduous --help` lists all"),
        None => "`deciduous --help` lists the commands".to_owned(),
    };
    let named = if matches!(find(&words[..1]), Found::Group(_)) {
        &said
    } else {
        word
    };
    Refusal {
        status: 400,
        message: format!("`{named}` is not a command"),
        next,
        errors: Default::default(),
    }
}
