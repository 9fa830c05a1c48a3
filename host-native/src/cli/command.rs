//! Words to a command: which one is meant, and how clap parses the rest. Only the command that is meant is built.
//!
//! Owns: finding, the global flags, clap. Never: running it.

use super::arguments::{negate_id, stdin_id};
use super::output::{Globals, Stop, variable};
use super::own::{self, Own};
use super::paint::When;
use super::show::takes_file;
use super::{complete, help};
use crate::catalog::{self, Arg, Kind, Tool};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, ArgMatches, Command, value_parser};
use deciduous_boundary::Refusal;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// No command has more words.
const MOST_WORDS: usize = 3;

/// The arguments, with the global flags that stand before the command set apart.
#[derive(Debug, Default)]
pub struct Split {
    /// The global flags as far as they can be told before clap has seen them; enough to report a wrong call.
    pub globals: Globals,
    before: Vec<OsString>,
    /// The first words that are no flags.
    pub words: Vec<String>,
    pub rest: Vec<OsString>,
}

impl Split {
    pub fn wants_help(&self) -> bool {
        self.rest
            .iter()
            .chain(&self.before)
            .any(|word| word == "--help" || word == "-h")
    }

    pub fn wants_version(&self) -> bool {
        self.rest
            .first()
            .is_some_and(|word| word == "--version" || word == "-V")
    }
}

pub fn split(all: Vec<OsString>) -> Split {
    let mut split = Split::default();
    let known = |word: &OsStr| {
        ["--json", "--db", "--color"]
            .iter()
            .any(|flag| word == *flag)
            || text(word).starts_with("--db=")
            || text(word).starts_with("--color=")
    };
    for (index, word) in all.iter().enumerate() {
        match word.to_str() {
            _ if word == "--" => break,
            Some("--json") => split.globals.json = true,
            Some("--color") => {
                split.globals.colour = When::of(
                    &all.get(index + 1)
                        .map(|next| text(next))
                        .unwrap_or_default(),
                )
            }
            Some(text) => {
                split.globals.colour = text
                    .strip_prefix("--color=")
                    .map_or(split.globals.colour, When::of)
            }
            None => {}
        }
    }
    let mut words = all.into_iter().peekable();
    while let Some(word) = words.peek() {
        if known(word) {
            let takes_value = *word == "--db" || *word == "--color";
            split
                .before
                .extend(words.by_ref().take(1 + usize::from(takes_value)));
        } else if text(word).starts_with('-')
            || split.words.len() == MOST_WORDS
            || word.to_str().is_none()
        {
            break;
        } else {
            split.words.extend(words.next().map(|word| text(&word)));
        }
    }
    split.rest = words.collect();
    if split.words.first().is_some_and(|word| word == "help") {
        split.words.remove(0);
        split.rest = vec!["--help".into()];
    }
    split
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

/// What the words name; the numbers say how many of them are the command's.
#[derive(Debug)]
pub enum Found {
    Tool(&'static Tool, usize),
    Own(&'static Own, usize),
    /// The first words of several commands, and of none alone.
    Group(Vec<String>),
    Nothing,
}

pub fn find(words: &[String]) -> Found {
    let is = |command: &[&str], count: usize| {
        command.len() == count && command.iter().zip(words).all(|(a, b)| a == b)
    };
    for count in (1..=words.len().min(MOST_WORDS)).rev() {
        if let Some(own) = own::COMMANDS.iter().find(|own| is(own.words, count)) {
            return Found::Own(own, count);
        }
        if let Some(tool) = catalog::tools().find(|tool| is(tool.command, count)) {
            return Found::Tool(tool, count);
        }
    }
    let starts = |command: &[&str]| command.len() > 1 && command[0] == words[0];
    if words.len() == 1 && help::commands().any(|(command, _)| starts(command)) {
        return Found::Group(words.to_vec());
    }
    Found::Nothing
}

/// Parses what stands beside the command's words. Help asked for is written here.
pub fn parse(command: Command, split: &Split, used: usize) -> Result<ArgMatches, Stop> {
    let called = format!("deciduous {}", split.words[..used].join(" "));
    let words = split.words[used..].iter().map(OsString::from);
    let all = split
        .before
        .iter()
        .cloned()
        .chain(words)
        .chain(split.rest.iter().cloned());
    let colour = match split.globals.colour {
        When::Auto => clap::ColorChoice::Auto,
        When::Always => clap::ColorChoice::Always,
        When::Never => clap::ColorChoice::Never,
    };
    match command
        .bin_name(called)
        .no_binary_name(true)
        .color(colour)
        .try_get_matches_from(all)
    {
        Ok(matches) => Ok(matches),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            // Where nobody reads the help, nobody misses it.
            let _ = error.print();
            Err(Stop::Quiet)
        }
        Err(error) if split.globals.json => Err(Stop::Refused(told(&error))),
        Err(error) => {
            // clap knows what its own stream can show.
            let _ = error.print();
            Err(Stop::Usage(String::new()))
        }
    }
}

/// A wrong call, for a program: what is wrong, and the nearest right word where clap knows one.
fn told(error: &clap::Error) -> Refusal {
    // What is wrong is said in the lines before the first empty one.
    let text = error.to_string();
    let said = text.lines().take_while(|line| !line.is_empty());
    let said = said.map(str::trim).collect::<Vec<_>>().join(" ");
    let nearest = [ContextKind::SuggestedArg, ContextKind::SuggestedValue]
        .into_iter()
        .find_map(|kind| match error.get(kind)? {
            ContextValue::String(word) => Some(word.clone()),
            ContextValue::Strings(words) => words.first().cloned(),
            _ => None,
        });
    let help = "add `--help` to see how the command is called";
    Refusal {
        status: 400,
        message: said.trim_start_matches("error: ").to_owned(),
        next: nearest.map_or_else(
            || help.to_owned(),
            |word| format!("did you mean `{word}`? {help}"),
        ),
        errors: Default::default(),
    }
}

/// A command with the flags that all have.
pub fn base(words: &[&str]) -> Command {
    base_beside(words, &[])
}

/// As [`base`], where the command's own arguments may take the place of `--color`.
fn base_beside(words: &[&str], own: &[Arg]) -> Command {
    let flag = |name: &'static str| {
        clap::Arg::new(name)
            .long(name)
            .help_heading("Global options")
    };
    Command::new(
        words
            .last()
            .map(|word| (*word).to_owned())
            .unwrap_or_default(),
    )
    .disable_help_subcommand(true)
    .arg(
        flag("json")
            .action(ArgAction::SetTrue)
            .help("Print the answer as one JSON value"),
    )
    .arg(
        flag("db")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .help("Use this database, not the nearest .deciduous/ upward"),
    )
    .args((!own.iter().any(|arg| arg.name == "color")).then(|| {
        flag("color")
            .value_name("WHEN")
            .value_parser(["auto", "always", "never"])
            .help("When to write colour [default: auto]")
    }))
    .disable_help_flag(true)
    .arg(
        flag("help")
            .short('h')
            .action(ArgAction::HelpShort)
            .help("Print this help"),
    )
    .disable_version_flag(true)
    .version(env!("CARGO_PKG_VERSION"))
    .arg(
        flag("version")
            .short('V')
            .action(ArgAction::Version)
            .help("Print the version"),
    )
}

pub fn of_own(own: &'static Own) -> Command {
    (own.build)(base(own.words).about(own.summary))
}

pub fn of_tool(tool: &'static Tool) -> Command {
    let mut command = base_beside(tool.command, tool.args).about(about(tool));
    if !tool.examples.is_empty() {
        command = command.after_help(format!("Examples:\n  {}", tool.examples.join("\n  ")));
    }
    for arg in tool.args {
        command = command.arg(one(arg));
        if arg.stdin {
            let id = stdin_id(arg);
            let help = format!("Read {} from standard input", arg.flag);
            command = command.arg(
                clap::Arg::new(id)
                    .long(format!("{}-stdin", arg.flag))
                    .action(ArgAction::SetTrue)
                    .conflicts_with(arg.name)
                    .help(help),
            );
        }
        if arg.negate {
            let id = negate_id(arg);
            let help = format!("Leave {} empty, rather than filled in", arg.flag);
            command = command.arg(
                clap::Arg::new(id)
                    .long(format!("no-{}", arg.flag))
                    .action(ArgAction::SetTrue)
                    .conflicts_with(arg.name)
                    .help(help),
            );
        }
    }
    if takes_file(tool) {
        command = command.arg(
            clap::Arg::new("output-file")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write to this file, whole or not at all"),
        );
    }
    if tool.render {
        let flag = |name: &'static str, help| {
            clap::Arg::new(name)
                .long(name)
                .action(ArgAction::SetTrue)
                .help(help)
        };
        command = command
            .arg(flag("png", "Draw it as PNG with Graphviz").conflicts_with("svg"))
            .arg(flag("svg", "Draw it as SVG with Graphviz"));
    }
    command
}

/// Summary first; the description behind it where it says more.
fn about(tool: &Tool) -> String {
    if tool
        .description
        .starts_with(tool.summary.trim_end_matches('.'))
    {
        return tool.description.to_owned();
    }
    format!("{}\n\n{}", tool.summary, tool.description)
}

fn one(arg: &'static Arg) -> clap::Arg {
    let mut help = arg.help.to_owned();
    if !arg.default.is_empty() && !help.to_lowercase().contains("default") {
        help = format!("{help} [default: {}]", arg.default);
    }
    if let Some(name) = arg.env.filter(|name| variable(name).is_none()) {
        help = format!("{help} [env: {name}]");
    }
    let built = clap::Arg::new(arg.name)
        .help(help)
        .value_name(value_name(arg));
    let built = if arg.choices.is_empty() || arg.file {
        built.value_parser(StringValueParser::new())
    } else {
        built.value_parser(Hint(arg.choices))
    };
    let many = arg.kind == Kind::Array;
    let built = built.action(if many {
        ArgAction::Append
    } else {
        ArgAction::Set
    });
    let built = if matches!(arg.kind, Kind::Integer | Kind::Number) {
        built.allow_negative_numbers(true)
    } else {
        built
    };
    let built = match arg.complete {
        Some(kind) => built.add(complete::with(kind)),
        None => built,
    };
    // A variable that is set to nothing gives nothing.
    let built = match arg.env.filter(|name| variable(name).is_some()) {
        Some(name) => built.env(name).hide_env_values(true),
        None => built,
    };
    let built = built.required(arg.required && !arg.stdin && !arg.negate);
    let built = if arg.required && arg.stdin {
        built.required_unless_present(stdin_id(arg))
    } else {
        built
    };
    match arg.position {
        Some(place) if many => built.index(place + 1).num_args(1..),
        Some(place) => built.index(place + 1),
        None => {
            let built = built.long(arg.flag);
            let built = if let Some(short) = arg.short {
                built.short(short)
            } else {
                built
            };
            // Flags of the same meaning are written with either separator by those who know the tool's argument.
            let built = if arg.flag == arg.name || !arg.name.contains('_') {
                built
            } else {
                built.alias(arg.name)
            };
            if arg.kind == Kind::Boolean {
                built
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("true")
                    .value_name("BOOL")
                    .hide_possible_values(true)
            } else {
                built
            }
        }
    }
}

fn value_name(arg: &Arg) -> String {
    match arg.kind {
        _ if arg.file => "FILE".to_owned(),
        _ if arg.position.is_some() => arg.name.to_uppercase(),
        Kind::Integer | Kind::Number => "N".to_owned(),
        Kind::Object => "JSON".to_owned(),
        _ if !arg.choices.is_empty() => arg.flag.replace('-', "_").to_uppercase(),
        _ => "TEXT".to_owned(),
    }
}

/// Names the values in help and completions, and lets the core be the one to refuse others.
#[derive(Clone)]
struct Hint(&'static [&'static str]);

impl TypedValueParser for Hint {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            self.0.iter().map(|value| PossibleValue::new(*value)),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_one_that_clap_accepts() {
        catalog::tools().for_each(|tool| of_tool(tool).debug_assert());
        own::COMMANDS
            .iter()
            .for_each(|own| of_own(own).debug_assert());
    }

    #[test]
    fn no_two_commands_have_the_same_words() {
        let mut all: Vec<Vec<&str>> = super::super::help::commands()
            .map(|(words, _)| words.to_vec())
            .collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn global_flags_stand_anywhere() {
        let words = [
            "--json",
            "--db",
            "x.db",
            "show",
            "--color=never",
            "1",
            "--",
            "--json",
        ];
        let split = split(words.map(OsString::from).into());
        assert_eq!(split.words, ["show", "1"]);
        assert!(split.globals.json);
        assert_eq!(split.globals.colour, When::Never);
        assert_eq!(split.rest, ["--", "--json"]);
    }
}
