//! `cargo xtask`: everything that is more than one cargo call.
//!
//! Owns: the order in which things are made and checked. Never: a rule about the code (`tests/tidy`) or about decisions
//! (`core`). One command, one file; [`COMMANDS`] is the list.
//!
//! ```text
//! cargo xtask build     the release binary and the module
//! cargo xtask test      every check, in order
//! ```
#![forbid(unsafe_code)]

mod aot;
mod bench;
mod build;
mod ci;
mod demo;
mod generate;
mod options;
mod place;
mod say;
mod setup;
mod stamp;
mod storm;
mod test;
mod vectors;
mod wasm_target;

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use options::Options;
use place::Place;

struct Command {
    name: &'static str,
    /// Shown after the name, such as `[--debug]`.
    form: &'static str,
    help: &'static str,
    run: fn(&Place, &Options) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "setup",
        form: "[--system]",
        help: "find or make the wasm target",
        run: setup::run,
    },
    Command {
        name: "build",
        form: "[--debug] [--core]",
        help: "module, artefact, binary",
        run: build::run,
    },
    Command {
        name: "generate",
        form: "[--check]",
        help: "catalogue and tables in bindings/schema",
        run: generate::run,
    },
    Command {
        name: "vectors",
        form: "[--update] [FILTER]",
        help: "the vectors on every host",
        run: vectors::run,
    },
    Command {
        name: "test",
        form: "[--list] [--only STEP] [--keep-going]",
        help: "every check",
        run: test::run,
    },
    Command {
        name: "ci",
        form: "",
        help: "setup of a fresh machine, then test",
        run: ci::run,
    },
    Command {
        name: "demo",
        form: "",
        help: "builds a sample project and tells its story",
        run: demo::run,
    },
    Command {
        name: "bench",
        form: "[ARGUMENTS]",
        help: "the figures",
        run: bench::run,
    },
    Command {
        name: "fuzz",
        form: "[TARGET…] [--seconds N] [--seed N]",
        help: "what is read from outside, with hostile input",
        run: storm::fuzz,
    },
    Command {
        name: "storm",
        form: "[--kills N]",
        help: "processes killed in mid-write",
        run: storm::storm,
    },
    Command {
        name: "soak",
        form: "[--minutes N]",
        help: "a server under mixed calls, its memory watched",
        run: storm::soak,
    },
];

fn main() -> ExitCode {
    let started = Instant::now();
    let result = dispatch();
    match result {
        Ok(()) => {
            say::took(started.elapsed());
            ExitCode::SUCCESS
        }
        Err(error) => {
            say::failed(&error);
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "help".to_owned());
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", usage());
        return Ok(());
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        bail!("no command `{name}`\n\n{}", usage());
    };
    let options = Options::new(arguments);
    let place = Place::find().context("the workspace is not found")?;
    (command.run)(&place, &options)
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask COMMAND\n\n");
    for Command {
        name, form, help, ..
    } in COMMANDS
    {
        text.push_str(&format!("  {:<48} {help}\n", format!("{name} {form}")));
    }
    text
}
