//! The commands that are no tools: what a host does by itself.
//!
//! Owns: their words and flags. Never: anything about nodes and edges.

use super::output::{self, Globals, Stop};
use super::{help, init, list, run, upgrade};
use crate::Failure;
use crate::catalog;
use crate::mcp;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use std::path::PathBuf;

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

pub static COMMANDS: &[Own] = &[
    Own {
        words: &["init"],
        summary: "Start a graph in this folder",
        build: init_flags,
        run: init::run,
    },
    Own {
        words: &["upgrade"],
        summary: "Bring the store to this version's format",
        build: upgrade::flags,
        run: upgrade::run,
    },
    Own {
        words: &["mcp"],
        summary: "Serve the tools to an agent over standard input and output",
        build: mcp_flags,
        run: run_mcp,
    },
    Own {
        words: &["tools"],
        summary: "List the tools that agents see, or describe one",
        build: tools_flags,
        run: list::run,
    },
    Own {
        words: &["call"],
        summary: "Call a tool by its name with JSON arguments",
        build: call_flags,
        run: run::call,
    },
    Own {
        words: &["completions"],
        summary: "Write a completion script for a shell",
        build: completions_flags,
        run: completions,
    },
    Own {
        words: &["version"],
        summary: "Print the version",
        build: |command| command,
        run: version,
    },
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

fn init_flags(command: Command) -> Command {
    command
        .about("Start a graph in this folder: makes .deciduous/ with an empty store. Running it again changes nothing that is there.")
        .arg(switch("agents", "Write or refresh the section for coding agents in AGENTS.md (and in CLAUDE.md where there is one)"))
        .arg(switch("claude", "Write or refresh that section in CLAUDE.md"))
        .arg(switch("mcp-json", "Add the server to .mcp.json"))
        .after_help("What others wrote in these files is kept.\n\nExamples:\n  deciduous init\n  deciduous init --agents --mcp-json")
}

fn mcp_flags(command: Command) -> Command {
    command
        .about("Serve the tools to an agent over standard input and output, one JSON-RPC message a line. An agent's client starts this; it ends when standard input does.")
        .arg(toolset("Which tools to serve", "local"))
        .after_help("Examples:\n  deciduous mcp\n  deciduous mcp --toolset all\n  claude mcp add deciduous -- deciduous mcp")
}

fn tools_flags(command: Command) -> Command {
    command
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .help("Describe this tool: what it does, its arguments, its command"),
        )
        .arg(toolset("Which tools to list", "all"))
        .after_help("Examples:\n  deciduous tools\n  deciduous tools --toolset local --json")
}

fn call_flags(command: Command) -> Command {
    command
        .about("Call a tool by its name with JSON arguments, as an agent would. The answer is the tool's JSON.")
        .arg(Arg::new("tool").value_name("TOOL").required(true).help("Name of the tool"))
        .arg(
            Arg::new("arguments")
                .value_name("JSON")
                .default_value("{}")
                .help("Its arguments, one JSON object; - reads them from standard input"),
        )
        .arg(toolset("Where to look for the tool", "all"))
}

fn completions_flags(command: Command) -> Command {
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

fn run_mcp(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let toolset = spoken(matches)?;
    let db: Option<PathBuf> = globals.db.clone();
    mcp::serve(toolset, db).map_err(Stop::from)
}

/// The toolset asked for, of those that are spoken.
pub fn spoken(matches: &ArgMatches) -> Result<&'static catalog::Toolset, Failure> {
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

fn completions(matches: &ArgMatches, _: &Globals) -> Result<(), Stop> {
    let Some(shell) = matches.get_one::<Shell>("shell") else {
        return Ok(());
    };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut help::tree(), "deciduous", &mut script);
    output::bytes(&script)
}

fn version(_: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
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
