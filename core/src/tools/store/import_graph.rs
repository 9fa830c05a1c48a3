//! `import_graph`: takes a file in the history shape into the graph.

use crate::answer::Answer;
use crate::args::{Flag, Json};
use crate::cx::Cx;
use crate::exchange::{Counts, Differing, Note, Renumbered, Taken, take};
use crate::refuse::{Step, bad_argument, refusal, stop};
use crate::render::view::{plain, tone};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Of each list; the rest is counted.
const SHOWN: usize = 100;

tool! {
    title: "Import graph",
    about: "Take in a graph as `export` writes it, whole or not at all. Records are told apart by change_id, so importing again changes nothing; numbers are kept where free, dates always; what was replaced or deleted here since does not come back.",
    effect: Set,
    cli: {
        command: &["import"],
        summary: "Take in a graph from a JSON file",
        positions: &["graph"],
        file: &["graph"],
        examples: &["deciduous import graph.json --dry-run", "deciduous import graph.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// The graph: nodes, edges and, where there are, themes, node_themes, documents, sessions
    graph: Json,
    /// Only say what would happen
    dry_run: Option<Flag>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    dry_run: bool,
    added: Counts,
    changed: Counts,
    kept: Counts,
    /// Records that are not taken: only a dry run has any, an import with one is refused
    dropped: usize,
    refused: Vec<Note>,
    renumbered: Vec<Renumbered>,
    total_renumbered: usize,
    /// Fields that the file changed
    changes: Vec<Differing>,
    total_changes: usize,
    /// Fields of the file that were replaced here since
    stale: Vec<Differing>,
    total_stale: usize,
    /// Records that the file tells twice
    folded: Vec<Note>,
    total_folded: usize,
    /// Keys that nothing was made of, and how often
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    ignored_keys: BTreeMap<String, usize>,
    warnings: Vec<String>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let dry_run = args.dry_run.is_some_and(|flag| flag.0);
    let taken = match take(cx, args.graph.0.get())? {
        Ok(taken) => taken,
        Err(why) => return stop(bad_argument("graph", why, "give a file that `deciduous export` or `deciduous graph` wrote")),
    };
    if dry_run {
        cx.take_effects();
    } else if let Some(first) = taken.refused.first() {
        return stop(refused(&taken, first));
    }
    let output = output(taken, dry_run);
    let lead = lead(&output);
    let next = match (dry_run, output.dropped) {
        (true, 0) => "import without `dry_run`",
        (true, _) => "correct these records in the file: an import takes all of it or nothing",
        (false, _) => "",
    };
    Ok(Answer::new(output).lead(lead.clone()).next(next).view(cx, |page, output| {
        page.line(vec![plain(lead)]);
        let renumbered = output.renumbered.iter().map(|one| format!("{} #{} is #{} here", one.item, one.from, one.to));
        let folded = output.folded.iter().map(|note| format!("{} {}", note.item, note.reason));
        let stale = output.stale.iter().map(|one| format!("{} keeps its newer {}", one.item, one.fields.join(", ")));
        let changes = output.changes.iter().map(|one| format!("{} changes {}", one.item, one.fields.join(", ")));
        for text in renumbered.chain(folded).chain(stale).chain(changes) {
            page.indented(1, vec![tone("dim", text)]);
        }
        for note in &output.refused {
            page.indented(1, vec![tone("bad", format!("{} {}", note.item, note.reason))]);
        }
        output.warnings.iter().for_each(|warning| page.indented(1, vec![tone("warn", warning.as_str())]));
    }))
}

/// All of the file is refused because of some of its records.
fn refused(taken: &Taken, first: &Note) -> deciduous_boundary::Refusal {
    let count = taken.refused.len();
    let mut refused = refusal(
        422,
        format!("{count} records of the file cannot be taken, so none was: {} {}", first.item, first.reason),
        "correct them in the file, or see them all with `dry_run`",
    );
    refused.errors = taken.refused.iter().take(SHOWN).map(|note| (note.item.clone(), note.reason.clone())).collect();
    refused
}

fn output(mut taken: Taken, dry_run: bool) -> Output {
    let mut warnings = Vec::new();
    if taken.derived > 0 {
        warnings.push(format!("{} records have no change_id; theirs were made from their number, title and time", taken.derived));
    }
    if !taken.ignored.is_empty() {
        let keys: Vec<String> = taken.ignored.keys().take(20).map(|key| format!("`{key}`")).collect();
        warnings.push(format!("nothing was made of {}", keys.join(", ")));
    }
    let totals = (taken.refused.len(), taken.renumbered.len(), taken.changes.len(), taken.stale.len(), taken.folded.len());
    taken.refused.truncate(SHOWN);
    taken.renumbered.truncate(10 * SHOWN);
    taken.changes.truncate(SHOWN);
    taken.stale.truncate(SHOWN);
    taken.folded.truncate(SHOWN);
    Output {
        dry_run,
        added: taken.added,
        changed: taken.changed,
        kept: taken.kept,
        dropped: totals.0,
        refused: taken.refused,
        renumbered: taken.renumbered,
        total_renumbered: totals.1,
        changes: taken.changes,
        total_changes: totals.2,
        stale: taken.stale,
        total_stale: totals.3,
        folded: taken.folded,
        total_folded: totals.4,
        ignored_keys: taken.ignored,
        warnings,
    }
}

fn lead(output: &Output) -> String {
    let (add, change, keep) = if output.dry_run { ("Would add", "change", "keep") } else { ("Added", "changed", "kept") };
    let sum = |counts: &Counts| counts.nodes + counts.edges + counts.themes + counts.tags + counts.documents + counts.sessions;
    let mut lead = format!("{add} {} and {}", counted(output.added.nodes, "node"), counted(output.added.edges, "edge"));
    let others = sum(&output.added) - output.added.nodes - output.added.edges;
    if others > 0 {
        lead.push_str(&format!(" and {others} themes, tags, documents and sessions"));
    }
    lead.push_str(&format!("; {change} {}, {keep} {}, dropped {}", sum(&output.changed), sum(&output.kept), output.dropped));
    for (count, what) in [(output.total_renumbered, "renumbered"), (output.total_folded, "told twice"), (output.total_stale, "newer here")] {
        if count > 0 {
            lead.push_str(&format!(", {count} {what}"));
        }
    }
    lead.push('.');
    lead
}
