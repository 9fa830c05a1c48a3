//! One tool's call from the command line: open, call, follow the pages, show.
//!
//! Owns: who calls, pages, documents. Never: rounds and transactions (`Host`).

use super::arguments;
use super::fields::Fields;
use super::output::{self, Globals, Stop, variable};
use super::{paged, show};
use crate::catalog::{self, Tool};
use crate::{Access, Call, Failure, Host, Outcome, Project, sync};
use clap::ArgMatches;
use clap::parser::ValueSource;
use deciduous_boundary::{Actor, ActorKind, Block, Done, View, ViewMode};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal};

/// Runs a tool's own command.
pub fn tool(tool: &'static Tool, matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let mut fields = arguments::read(tool, matches)?;
    // A document is whole where nobody says how much of it: a file has room for what an agent's context has not.
    let bounded = tool.document.is_some() && tool.args.iter().any(|arg| arg.name == "limit");
    if bounded && fields.get("limit").is_none() {
        fields.put("limit", 0);
    }
    let mode = if globals.json || tool.document.is_some() {
        ViewMode::None
    } else {
        ViewMode::Terminal
    };
    let mut host = open(tool, globals)?;
    let mut ask = |args: &Fields| once(&mut host, tool, args.raw(), mode);
    let done = ask(&fields)?;
    let given = |name| {
        matches.try_contains_id(name).is_ok()
            && matches.value_source(name) == Some(ValueSource::CommandLine)
    };
    if tool.pages.is_empty() || given("limit") || given("cursor") {
        drop(host);
        return show::answer(tool, &done, matches, globals);
    }
    if globals.json || done.view.is_none() {
        let mut paged = paged::all(tool, fields, &done, ask)?;
        drop(host);
        return show::paged(tool, &mut paged, matches);
    }
    let done = follow(tool, fields, done, ask)?;
    drop(host);
    show::answer(tool, &done, matches, globals)
}

/// A tool of the toolset by its name, with either separator.
pub fn named(toolset: &'static catalog::Toolset, name: &str) -> Result<&'static Tool, Stop> {
    toolset
        .tool(name)
        .or_else(|| toolset.tool(&name.replace('-', "_")))
        .ok_or_else(|| {
            let nearest = catalog::nearest(name, toolset.spoken().map(|tool| tool.name));
            let next = match nearest {
                Some(nearest) => format!("did you mean `{nearest}`? `deciduous tools` lists all"),
                None => "`deciduous tools` lists the tools".to_owned(),
            };
            // What is asked for is a name: it must not be told as the command.
            let message = format!("toolset `{}` has no tool `{name}`", toolset.name);
            Failure::new(message, next)
                .with_exit(Failure::NOT_FOUND)
                .into()
        })
}

/// The project's store, for what the tool does to it.
pub fn open(tool: &Tool, globals: &Globals) -> Result<Host, Failure> {
    let project = Project::find(globals.db.as_deref())?;
    if tool.writes
        && let Some(told) = sync::begin(&project)?
    {
        output::note(&format!("note: {told}"));
    }
    Host::open(
        &project,
        if tool.writes {
            Access::Write
        } else {
            Access::Read
        },
    )
}

/// One call, as whoever runs this process.
pub fn once(
    host: &mut Host,
    tool: &Tool,
    args: Box<RawValue>,
    view: ViewMode,
) -> Result<Done, Stop> {
    let call = Call {
        toolset: tool.toolset,
        tool: tool.name,
        args,
        caller: caller(),
        kept: BTreeMap::new(),
        view,
        workspace: None,
    };
    match host.call(&call)? {
        Outcome::Done(done) => Ok(*done),
        Outcome::Refused(refusal) => Err(Stop::Refused(*refusal)),
    }
}

/// What a tool of the host's own answers, for a command that does more with it than show it.
pub fn of_store(project: &Project, name: &str, args: &Fields) -> Result<Value, Stop> {
    let tool = catalog::tools()
        .find(|tool| tool.name == name)
        .ok_or_else(|| broken("it lacks a tool"))?;
    let access = if tool.writes {
        Access::Write
    } else {
        Access::Read
    };
    let mut host = Host::open(project, access)?;
    let done = once(&mut host, tool, args.raw(), ViewMode::None)?;
    Ok(serde_json::from_str(done.output.get()).map_err(|_| broken("its output is no JSON"))?)
}

/// A person where a terminal is attached, an agent elsewhere.
pub fn caller() -> Actor {
    let terminal =
        io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
    let name = ["DECIDUOUS_ACTOR", "USER", "USERNAME"]
        .into_iter()
        .find_map(variable);
    Actor {
        name: name
            .as_deref()
            .map_or_else(|| "unknown".to_owned(), actor_name),
        kind: if terminal {
            ActorKind::Person
        } else {
            ActorKind::Agent
        },
    }
}

/// A name as the ledger takes it: 1 to 200 characters, no controls.
pub fn actor_name(text: &str) -> String {
    let name: String = text
        .trim()
        .chars()
        .filter(|character| !character.is_control())
        .take(200)
        .collect();
    if name.is_empty() {
        "unknown".to_owned()
    } else {
        name
    }
}

/// The rest of a list, page by page, as it is drawn.
fn follow(
    tool: &Tool,
    mut args: Fields,
    first: Done,
    mut ask: impl FnMut(&Fields) -> Result<Done, Stop>,
) -> Result<Done, Stop> {
    let mut cursor = paged::next_page(tool, &mut args, &first, None)?;
    let mut whole = first;
    while let Some(former) = cursor {
        let mut done = ask(&args)?;
        cursor = paged::next_page(tool, &mut args, &done, Some(&former))?;
        whole.view = joined(whole.view.take(), done.view.take());
    }
    Ok(whole)
}

fn broken(what: &str) -> Failure {
    Failure::new(
        format!("the core's answer cannot be used: {what}"),
        "report this with the command you ran",
    )
}

/// The first page's view with the rows of the second one's tables; what stands behind the last table is the second's.
fn joined(first: Option<View>, second: Option<View>) -> Option<View> {
    let (Some(mut first), Some(second)) = (first, second) else {
        return None;
    };
    let is_table = |block: &Block| matches!(block, Block::Table { .. });
    let Some(last) = first.blocks.iter().rposition(is_table) else {
        first.blocks.extend(second.blocks);
        return Some(first);
    };
    first.blocks.truncate(last + 1);
    let tail = second
        .blocks
        .iter()
        .rposition(is_table)
        .map_or(0, |last| last + 1);
    let mut tables = first.blocks.iter_mut().filter_map(|block| match block {
        Block::Table { rows, .. } => Some(rows),
        _ => None,
    });
    let mut behind = Vec::new();
    for (index, block) in second.blocks.into_iter().enumerate() {
        match block {
            Block::Table { rows, .. } => {
                if let Some(into) = tables.next() {
                    into.extend(rows);
                }
            }
            block if index >= tail => behind.push(block),
            _ => {}
        }
    }
    first.blocks.extend(behind);
    Some(first)
}
