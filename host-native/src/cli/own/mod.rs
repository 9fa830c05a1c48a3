//! The commands that are no tools: what a host does by itself. Each is one file here and one line in the list.
//!
//! Owns: the list, and what several of them need. Never: anything about nodes and edges.
//!
//! ```text
//! own/backup.rs:  pub static COMMAND: Own = Own { words: &["backup"], summary: "…", build: flags, run };
//! own/mod.rs:     mod backup;  …  &backup::COMMAND,
//! ```

mod backup;
mod call;
mod completions;
mod doc_gc;
mod doc_open;
mod doc_show;
mod doctor;
mod init;
mod man;
mod mcp;
mod paper;
mod sync;
mod tools;
mod upgrade;
mod version;

use super::output::{Globals, Stop};
use crate::Failure;
use crate::catalog;
use clap::{Arg, ArgAction, ArgMatches, Command};

/// A command: its words and summary, its flags and help on top of the global ones, what it does.
pub struct Own {
    pub words: &'static [&'static str],
    pub summary: &'static str,
    pub build: fn(Command) -> Command,
    pub run: fn(&ArgMatches, &Globals) -> Result<(), Stop>,
}

impl std::fmt::Debug for Own {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Own").field(&self.words).finish()
    }
}

/// In the order of the help.
pub static COMMANDS: &[&Own] = &[
    &init::COMMAND,
    &sync::COMMAND,
    &upgrade::COMMAND,
    &backup::COMMAND,
    &doctor::COMMAND,
    &mcp::COMMAND,
    &tools::COMMAND,
    &call::COMMAND,
    &doc_show::COMMAND,
    &doc_open::COMMAND,
    &doc_gc::COMMAND,
    &completions::COMMAND,
    &man::COMMAND,
    &version::COMMAND,
];

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn toolset(help: &'static str, default: &'static str) -> Arg {
    Arg::new("toolset")
        .long("toolset")
        .value_name("TOOLSET")
        .default_value(default)
        .help(help)
}

/// The toolset asked for, of those that are spoken.
fn spoken(matches: &ArgMatches) -> Result<&'static catalog::Toolset, Failure> {
    let name = matches
        .get_one::<String>("toolset")
        .map_or("", String::as_str);
    catalog::toolset(name)
        .filter(|toolset| !toolset.instructions.is_empty())
        .ok_or_else(|| {
            let known: Vec<String> = catalog::spoken_toolsets()
                .map(|name| format!("`{name}`"))
                .collect();
            Failure::new(
                format!("there is no toolset `{name}`"),
                format!("take one of {}", known.join(", ")),
            )
            .with_exit(Failure::USAGE)
        })
}
