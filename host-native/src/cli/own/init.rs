//! `deciduous init`: a folder and an empty store, and what agents read where it is asked for.
//!
//! Owns: what `init` makes. Never: changing what is there already, asking where no terminal is.

use super::super::agents;
use super::super::output::{self, Globals, Stop};
use super::super::text::shown;
use super::{Own, switch};
use crate::{Access, Failure, Host, Project, sync};
use clap::{ArgMatches, Command};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::{env, fs};

pub static COMMAND: Own = Own {
    words: &["init"],
    summary: "Start a graph in this folder",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .about("Start a graph in this folder: makes .deciduous/ with an empty store. Running it again keeps all that is there.")
        .arg(switch("agents", "Write or refresh the section for coding agents in AGENTS.md (and in CLAUDE.md where there is one)"))
        .arg(switch("claude", "Write or refresh that section in CLAUDE.md"))
        .arg(switch("mcp-json", "Add the server to .mcp.json"))
        .after_help("What others wrote in these files is kept.\n\nExamples:\n  deciduous init\n  deciduous init --agents --mcp-json")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let here = env::current_dir().map_err(|error| {
        Failure::new(
            format!("the current folder cannot be read: {error}"),
            "change to a folder that exists",
        )
    })?;
    let (mut project, created) = Project::init(&here)?;
    if let Ok(named) = Project::find(globals.db.as_deref())
        && named.root == project.root
    {
        project.database = named.database;
    }
    sync::prepare(&project)?;
    if let Some(told) = sync::begin(&project)? {
        output::note(&format!("note: {told}"));
    }
    drop(Host::open(&project, Access::Write)?);

    let asked = |flag: &str| matches.get_flag(flag);
    let any = asked("agents") || asked("claude") || asked("mcp-json");
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal() && !globals.json;
    let wanted = |flag: &str, question: &str| {
        asked(flag) || (!any && terminal && created && agreed(question))
    };
    let mut written = Vec::new();
    let agents_file = project.root.join("AGENTS.md");
    let claude_file = project.root.join("CLAUDE.md");
    let for_agents = wanted("agents", "Write a section for coding agents to AGENTS.md?");
    if for_agents {
        note(&mut written, &agents_file, agents::section(&agents_file)?);
    }
    if asked("claude") || (for_agents && fs::exists(&claude_file).unwrap_or(false)) {
        note(&mut written, &claude_file, agents::section(&claude_file)?);
    }
    if wanted("mcp-json", "Add the server to .mcp.json?") {
        let file = project.root.join(".mcp.json");
        note(&mut written, &file, agents::mcp_json(&file)?);
    }
    told(&project, created, &written, globals)
}

fn note(written: &mut Vec<String>, file: &Path, changed: bool) {
    if changed {
        written.push(
            file.file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
        );
    }
}

fn agreed(question: &str) -> bool {
    let mut line = String::new();
    let asked = write!(io::stderr(), "{question} [y/N] ")
        .and_then(|()| io::stdin().lock().read_line(&mut line));
    asked.is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
}

fn told(
    project: &Project,
    created: bool,
    written: &[String],
    globals: &Globals,
) -> Result<(), Stop> {
    if globals.json {
        let answer = serde_json::json!({
            "created": created,
            "root": project.root.to_string_lossy(),
            "database": project.database.to_string_lossy(),
            "written": written,
        });
        return output::data(&format!("{answer}\n"));
    }
    let root = project.root.display();
    let mut text = if created {
        format!("Started a graph in {root}\n")
    } else {
        format!("The graph in {root} is there already\n")
    };
    written
        .iter()
        .for_each(|file| text.push_str(&format!("Wrote {file}\n")));
    if created {
        text.push_str(
            "Next: `deciduous --help` lists the commands; `deciduous init --agents --mcp-json` tells coding agents\n",
        );
    }
    output::data(&shown(&text, true))
}
