//! `deciduous call`: any tool by its name, as an agent would call it.
//!
//! Owns: arguments and answer as JSON. Never: what a tool means.

use super::super::arguments::standard_input;
use super::super::complete;
use super::super::fields::Fields;
use super::super::output::{self, Globals, Stop};
use super::super::run::{named, once, open};
use super::{Own, spoken, toolset};
use crate::Failure;
use clap::{Arg, ArgMatches, Command};
use deciduous_boundary::ViewMode;

pub static COMMAND: Own = Own {
    words: &["call"],
    summary: "Call a tool by its name with JSON arguments",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .about("Call a tool by its name with JSON arguments, as an agent would. The answer is the tool's JSON.")
        .arg(Arg::new("tool").value_name("TOOL").required(true).add(complete::with_tools()).help("Name of the tool"))
        .arg(
            Arg::new("arguments")
                .value_name("JSON")
                .default_value("{}")
                .help("Its arguments, one JSON object; - reads them from standard input"),
        )
        .arg(toolset("Where to look for the tool", "all"))
        .after_help("Examples:\n  deciduous call show_node '{\"node_id\": 1}'\n  deciduous call add_node - < node.json")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let toolset = spoken(matches)?;
    let name = matches.get_one::<String>("tool").map_or("", String::as_str);
    let tool = named(toolset, name)?;
    let text = match matches.get_one::<String>("arguments").map(String::as_str) {
        Some("-") => standard_input()?,
        Some(text) => text.to_owned(),
        None => "{}".to_owned(),
    };
    let args = Fields::parse(&text).map_err(|error| {
        Failure::new(
            format!("the arguments are not one JSON object: {error}"),
            format!("`deciduous tools {name}` names the arguments"),
        )
        .with_exit(Failure::USAGE)
    })?;
    let mut host = open(tool, globals)?;
    let done = once(&mut host, tool, args.raw(), ViewMode::None)?;
    drop(host);
    output::data(&format!("{}\n", done.output))
}
