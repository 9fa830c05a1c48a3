//! `deciduous upgrade`: takes over the store of an older program, which any other command does too when it opens one.
//!
//! Owns: saying what became of the store. Never: how it is taken over (`upgrade`).

use super::super::output::{self, Globals, Stop};
use super::super::text::shown;
use super::{Own, switch};
use crate::upgrade::{NotUpgraded, Upgrade, told};
use crate::{Access, Host, Project};
use clap::{ArgMatches, Command};
use serde_json::json;

pub static COMMAND: Own = Own {
    words: &["upgrade"],
    summary: "Bring the store to this version's format",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .about("Bring the store to this version's format. A store of the public Deciduous 0.x or 1.x is taken over with its numbers, dates, themes, documents and sessions, all or nothing, after a backup beside it. Every command does so when it opens one; this one says what became of it, and does nothing to a store that is current.")
        .arg(switch("leave-dangling", "Leave out rows that join a node that is not there (the backup keeps them), instead of refusing"))
        .after_help("Examples:\n  deciduous upgrade\n  deciduous upgrade --leave-dangling --json")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let project = Project::find(globals.db.as_deref())?;
    let upgraded = match Host::upgrade(&project, matches.get_flag("leave-dangling")) {
        Ok(Upgrade::Done(upgraded)) => Some(upgraded),
        Ok(Upgrade::Current | Upgrade::Unknown) => None,
        Err(NotUpgraded::Failed(failure)) => return Err(failure.into()),
        Err(NotUpgraded::Refused(refusal)) => return Err(Stop::Refused(*refusal)),
    };
    // Ours, of whatever version: opening it adds what it lacks.
    drop(Host::open(&project, Access::Write)?);
    if globals.json {
        let answer = match &upgraded {
            Some(upgraded) => {
                json!({ "upgraded": true, "from": upgraded.from, "backup": upgraded.backup, "report": upgraded.report, "left": upgraded.left, "missing_documents": upgraded.missing_documents })
            }
            None => json!({ "upgraded": false }),
        };
        return output::data(&format!("{answer}\n"));
    }
    let text = match &upgraded {
        Some(upgraded) => told(upgraded),
        None => "the store is current".to_owned(),
    };
    output::data(&shown(&format!("{}\n", capital(&text)), true))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
