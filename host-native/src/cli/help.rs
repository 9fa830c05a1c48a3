//! The overview of all commands, for a person and for a shell's completion.
//!
//! Owns: listing. Never: the help of one command; clap writes that.

use super::command::{base, of_own, of_tool};
use super::own;
use super::text::width;
use crate::catalog;
use clap::Command;

/// Words and summary of each command, the host's own first.
pub fn commands() -> impl Iterator<Item = (&'static [&'static str], &'static str)> {
    let own = own::COMMANDS.iter().map(|own| (own.words, own.summary));
    own.chain(catalog::tools().map(|tool| (tool.command, tool.summary)))
}

pub fn everything() -> String {
    let mut out = String::from(
        "A decision graph for software teams and their coding agents\n\n\
         Usage: deciduous [OPTIONS] <COMMAND> …\n\nProject:\n",
    );
    let own = own::COMMANDS.len();
    let all: Vec<_> = commands().collect();
    let column = all
        .iter()
        .map(|(words, _)| width(&words.join(" ")))
        .max()
        .unwrap_or(0);
    lines(&mut out, &all[..own], column);
    out.push_str("\nGraph:\n");
    lines(&mut out, &all[own..], column);
    out.push_str(
        "\nOptions:\n  \
         --json            Print the answer as one JSON value\n  \
         --db PATH         Use this database, not the nearest .deciduous/ upward\n  \
         --color WHEN      When to write colour: auto, always, never\n  \
         -h, --help        Print help, also behind a command\n  \
         -V, --version     Print the version\n\n\
         Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 refused by a rule, 5 conflict\n",
    );
    out
}

/// The commands that begin with the same word.
pub fn group(words: &[String]) -> String {
    let first = words.first().map_or("", String::as_str);
    let all: Vec<_> = commands()
        .filter(|(words, _)| words.first() == Some(&first))
        .collect();
    let column = all
        .iter()
        .map(|(words, _)| width(&words.join(" ")))
        .max()
        .unwrap_or(0);
    let mut out = format!("Usage: deciduous {first} <COMMAND> …\n\nCommands:\n");
    lines(&mut out, &all, column);
    out
}

fn lines(out: &mut String, all: &[(&[&str], &str)], column: usize) {
    for (words, summary) in all {
        let words = words.join(" ");
        out.push_str(&format!(
            "  {words}{}  {summary}\n",
            " ".repeat(column - width(&words))
        ));
    }
}

/// Every command as one tree, for completions only: building it costs more than any single command may.
pub fn tree() -> Command {
    let mut root = Command::new("deciduous").subcommand_required(true);
    let own = own::COMMANDS.iter().map(|own| (own.words, of_own(own)));
    let tools = catalog::tools().map(|tool| (tool.command, of_tool(tool)));
    let mut groups: Vec<(&str, Command)> = Vec::new();
    for (words, command) in own.chain(tools) {
        match words {
            [_] => root = root.subcommand(command),
            [first, ..] => {
                let place = groups
                    .iter()
                    .position(|(group, _)| group == first)
                    .unwrap_or_else(|| {
                        groups.push((first, base(&[first])));
                        groups.len() - 1
                    });
                let (_, group) = &mut groups[place];
                *group = std::mem::take(group).subcommand(command);
            }
            [] => {}
        }
    }
    groups.into_iter().fold(root, |root, (first, group)| {
        // A word can be a command and the start of others.
        if root.find_subcommand(first).is_some() {
            let subcommands: Vec<Command> = group.get_subcommands().cloned().collect();
            root.mut_subcommand(first, |command| command.subcommands(subcommands))
        } else {
            root.subcommand(group)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_holds_every_command() {
        tree().debug_assert();
        for (words, _) in commands() {
            let found = words.iter().try_fold(tree(), |command, word| {
                command.find_subcommand(word).cloned()
            });
            assert!(found.is_some(), "{words:?}");
        }
    }
}
