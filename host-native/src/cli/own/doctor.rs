//! `deciduous doctor`: looks after the store.
//!
//! Owns: saying what was found and done. Never: looking or mending (`doctor`).

use super::super::output::{self, Globals, Stop};
use super::super::text::shown;
use super::{Own, switch};
use crate::doctor::{self, Fixed, Report, Restored};
use crate::{Failure, Project};
use clap::{Arg, ArgMatches, Command, value_parser};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// Findings that are listed for a person.
const LISTED: usize = 40;

pub static COMMAND: Own = Own {
    words: &["doctor"],
    summary: "Check the store, and mend it",
    build: flags,
    run,
};

fn flags(command: Command) -> Command {
    command
        .about("Check everything there is to check: the ledger's chains and places, the tables against the ledger, the search index, documents, what older programs left, SQLite's own checks, permissions. It changes nothing and exits 0 where all is as it should be, 1 where something is found; each finding says what, where, and what mends it.\n\nWith --fix it says first what it found, makes a backup beside the database, and mends in one transaction, with the database to itself: rows are made again from the ledger, what is in no event is written to it, nothing is dropped. --restore goes back to that backup, or to any other.")
        .arg(switch("fix", "Mend what was found, after a backup beside the database").conflicts_with("restore"))
        .arg(
            Arg::new("restore")
                .long("restore")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Put this backup in the database's place; what was there is kept beside it"),
        )
        .after_help("Examples:\n  deciduous doctor\n  deciduous doctor --fix\n  deciduous doctor --restore .deciduous/deciduous.before-doctor.db")
}

fn run(matches: &ArgMatches, globals: &Globals) -> Result<(), Stop> {
    let project = Project::find(globals.db.as_deref())?;
    if let Some(from) = matches.get_one::<PathBuf>("restore") {
        let restored = doctor::restore(&project, from)?;
        return say(globals, &restored, &restored_text(&restored));
    }
    if matches.get_flag("fix") {
        let json = globals.json;
        let fixed = doctor::fix(&project, &mut |report| {
            if !json {
                output::note(&plan(report));
            }
        })?;
        say(globals, &fixed, &fixed_text(&fixed))?;
        return ended(fixed.left.clean);
    }
    let report = doctor::check(&project)?;
    say(globals, &report, &report_text(&report))?;
    ended(report.clean)
}

fn ended(clean: bool) -> Result<(), Stop> {
    if clean {
        Ok(())
    } else {
        Err(Stop::Said(Failure::FAILED))
    }
}

fn say(globals: &Globals, answer: &impl Serialize, text: &str) -> Result<(), Stop> {
    if globals.json {
        return output::data(&format!("{}\n", json!(answer)));
    }
    output::data(&shown(&format!("{text}\n"), true))
}

fn findings(report: &Report) -> String {
    let mut lines = Vec::new();
    for finding in report.findings.iter().take(LISTED) {
        let by = if finding.mendable { "--fix" } else { "by hand" };
        lines.push(format!("  {}: {}", finding.kind, finding.what));
        lines.push(format!("    {by}: {}", finding.repair));
    }
    if report.total > LISTED {
        lines.push(format!(
            "  and {} more (--json lists 1000)",
            report.total - LISTED
        ));
    }
    lines.join("\n")
}

fn counted(report: &Report) -> String {
    match report.total {
        1 => "1 finding".to_owned(),
        total => format!("{total} findings"),
    }
}

fn plan(report: &Report) -> String {
    match (report.total, report.mendable) {
        (0, _) => "found nothing".to_owned(),
        (_, 0) => format!(
            "{}, to be mended by hand:\n{}",
            counted(report),
            findings(report)
        ),
        (_, mendable) => format!(
            "{}, {mendable} to be mended now, after a backup:\n{}",
            counted(report),
            findings(report)
        ),
    }
}

fn report_text(report: &Report) -> String {
    let looked: Vec<String> = report
        .looked_at
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(part, count)| format!("{count} {part}"))
        .collect();
    let mut lines = Vec::new();
    if report.clean {
        lines.push(format!("Clean. Looked at: {}.", looked.join(", ")));
    } else {
        lines.push(format!(
            "{} (looked at: {}):",
            counted(report),
            looked.join(", ")
        ));
        lines.push(findings(report));
    }
    lines.extend(report.notes.iter().map(|note| format!("Note: {note}")));
    if report.mendable > 0 {
        lines.push(format!(
            "Next: `deciduous doctor --fix` mends {} of them, after a backup",
            report.mendable
        ));
    }
    lines.join("\n")
}

fn fixed_text(fixed: &Fixed) -> String {
    let mut text = match &fixed.backup {
        None if fixed.left.clean => "Clean: there was nothing to mend.".to_owned(),
        None => "Nothing here can be mended by --fix; nothing was changed.".to_owned(),
        Some(backup) => doctor::told(&fixed.done, backup),
    };
    if fixed.backup.is_some() && !fixed.left.clean {
        text.push_str(&format!(
            "\nleft, {} to be mended by hand:\n{}",
            counted(&fixed.left),
            findings(&fixed.left)
        ));
    }
    text
}

fn restored_text(restored: &Restored) -> String {
    let mut text = format!("restored from {}", restored.from.display());
    if let Some(former) = &restored.former {
        let how = if restored.damaged {
            "the damaged file is"
        } else {
            "as it was"
        };
        text.push_str(&format!("\n{how}: {}", former.display()));
        if !restored.damaged {
            text.push_str(&format!(
                "\nto undo: deciduous doctor --restore {}",
                former.display()
            ));
        }
    }
    text
}
