//! `deciduous tools`: what agents see.
//!
//! Owns: listing and describing tools. Never: calling them.

use super::super::complete;
use super::super::output::{self, Globals, Stop};
use super::super::paint::Paint;
use super::super::run::named;
use super::super::view;
use super::{Own, spoken, toolset};
use crate::catalog::{self, Kind, Tool};
use clap::{Arg, ArgMatches, Command};
use deciduous_boundary::{Block, Span, View};
use std::io::{self, IsTerminal};

pub static COMMAND: Own = Own {
    words: &["tools"],
    summary: "List the tools that agents see, or describe one",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .add(complete::with_tools())
                .help("Describe this tool: what it does, its arguments, its command"),
        )
        .arg(toolset("Which tools to list", "all"))
        .after_help("Examples:\n  deciduous tools\n  deciduous tools --toolset local --json")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let toolset = spoken(matches)?;
    if let Some(name) = matches.get_one::<String>("name") {
        let tool = named(toolset, name)?;
        return if globals.json {
            output::data(&format!("{}\n", tool.spoken))
        } else {
            draw(&described(tool), globals)
        };
    }
    if globals.json {
        let all: Vec<&str> = toolset.spoken().map(|tool| tool.spoken).collect();
        return output::data(&format!("[{}]\n", all.join(",")));
    }
    let rows = toolset.spoken().map(|tool| {
        vec![
            strong(tool.name),
            plain(if tool.writes { "writes" } else { "reads" }),
            plain(&called(tool)),
            plain(tool.summary),
        ]
    });
    let head = ["tool", "", "command", "what it does"]
        .map(str::to_owned)
        .to_vec();
    draw(
        &View {
            blocks: vec![Block::Table {
                head,
                rows: rows.collect(),
                flexible: 3,
            }],
        },
        globals,
    )
}

fn draw(view: &View, globals: &Globals) -> Result<(), Stop> {
    output::data(&view::draw(
        view,
        &Paint::of(globals.colour, io::stdout().is_terminal()),
    ))
}

fn described(tool: &Tool) -> View {
    let line = |indent, spans| Block::Line { indent, spans };
    let mut blocks = vec![
        line(
            0,
            vec![strong(tool.name), plain(&format!("  {}", tool.title))],
        ),
        Block::Text {
            indent: 1,
            text: tool.description.to_owned(),
        },
        Block::Blank,
    ];
    if !tool.args.is_empty() {
        blocks.push(Block::Heading("Arguments".to_owned()));
        for arg in tool.args {
            let required = if arg.required { ", required" } else { "" };
            blocks.push(line(
                1,
                vec![
                    strong(arg.name),
                    dim(&format!("  {}{required}", type_of(arg))),
                ],
            ));
            blocks.push(Block::Text {
                indent: 2,
                text: arg.help.to_owned(),
            });
        }
        blocks.push(Block::Blank);
    }
    blocks.push(Block::Heading("Command".to_owned()));
    blocks.push(line(1, vec![plain(&format!("{} --help", called(tool)))]));
    blocks.extend(
        tool.examples
            .iter()
            .map(|example| line(1, vec![plain(example)])),
    );
    View { blocks }
}

fn called(tool: &Tool) -> String {
    format!("deciduous {}", tool.command.join(" "))
}

fn type_of(arg: &catalog::Arg) -> String {
    let kind = match arg.kind {
        Kind::Text => "string",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::Boolean => "boolean",
        Kind::Array => "array",
        Kind::Object => "object",
    };
    if arg.choices.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}: {}", arg.choices.join(", "))
    }
}

fn span(text: &str, tone: &str) -> Span {
    Span {
        text: text.to_owned(),
        tone: tone.to_owned(),
        glyph: false,
    }
}

fn strong(text: &str) -> Span {
    span(text, "strong")
}

fn dim(text: &str) -> Span {
    span(text, "dim")
}

fn plain(text: &str) -> Span {
    span(text, "")
}
