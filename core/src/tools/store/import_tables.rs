//! `import_tables`: takes the tables of an older program's store into the graph.

use crate::answer::Answer;
use crate::args::{Flag, Object};
use crate::cx::Cx;
use crate::exchange::{Blob, Counts, Note, Taken, old_tables, take};
use crate::refuse::{Step, bad_argument, refusal, stop};
use crate::text::counted;
use crate::tool::tool;
use deciduous_boundary::Refusal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Of each list; the rest is counted.
const SHOWN: usize = 100;

tool! {
    title: "Import tables",
    about: "Take in the tables of a store of the public tool's 0.x or 1.x, whole or not at all: numbers, identities and dates are kept. A host calls it when it opens such a store.",
    effect: Set,
    cli: {
        command: &["import-tables"],
        summary: "Take in the tables of a store of Deciduous 0.x or 1.x",
        positions: &["tables"],
        file: &["tables"],
        examples: &["deciduous import-tables tables.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Each table's rows, as objects: decision_nodes, decision_edges and, where there are, decision_sessions, session_nodes, themes, node_themes, node_documents, sqlite_sequence
    tables: Object,
    /// Leave out rows that join what is not there, instead of refusing all
    leave_dangling: Option<Flag>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    /// Rows of each table
    rows: BTreeMap<String, usize>,
    added: Counts,
    /// Records that were taken in more than once: one record each now
    folded: Vec<Note>,
    /// Rows that join what is not there and were left out
    dangling: Vec<Note>,
    total_dangling: usize,
    /// Columns that nothing was made of, and in how many rows
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    ignored_keys: BTreeMap<String, usize>,
    /// Bytes to be kept under their SHA-256
    documents: Vec<Blob>,
    /// Records that were not taken: always 0, since a store with one is refused
    dropped: usize,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let leave = args.leave_dangling.is_some_and(|flag| flag.0);
    let told = match old_tables::translate(args.tables.0) {
        Ok(told) => told,
        Err(why) => return stop(bad_argument("tables", why, "give the tables of a store of Deciduous 0.x or 1.x")),
    };
    if let Some(first) = told.dangling.first().filter(|_| !leave) {
        let what = format!("the store has {} what is not there, so nothing was taken: {} {}", counted_rows(told.dangling.len()), first.item, first.reason);
        let next = "mend them with the version that wrote the store, or leave them out: `deciduous upgrade --leave-dangling` (a backup keeps them)";
        return stop(listed(refusal(422, what, next), &told.dangling));
    }
    let taken = match take(cx, &told.history)? {
        Ok(taken) => taken,
        Err(why) => return stop(bad_argument("tables", why, "give the tables of a store of Deciduous 0.x or 1.x")),
    };
    if let Some(first) = taken.refused.first() {
        let what = format!("{} cannot be taken, so nothing was: {} {}", counted(taken.refused.len(), "record"), first.item, first.reason);
        return stop(listed(refusal(422, what, "correct them with the version that wrote the store; it was left as it is"), &taken.refused));
    }
    let output = output(told, taken);
    let (added, others) = (output.added, output.added.themes + output.added.tags + output.added.documents + output.added.sessions);
    let mut lead = format!("Took in {}, {} and {others} themes, tags, documents and sessions; dropped 0", counted(added.nodes, "node"), counted(added.edges, "edge"));
    if output.total_dangling > 0 {
        lead.push_str(&format!("; left out {} what is not there", counted_rows(output.total_dangling)));
    }
    lead.push('.');
    Ok(Answer::new(output).lead(lead))
}

fn counted_rows(rows: usize) -> String {
    if rows == 1 { "1 row that joins".to_owned() } else { format!("{rows} rows that join") }
}

fn listed(mut refused: Refusal, notes: &[Note]) -> Refusal {
    refused.errors = notes.iter().take(SHOWN).map(|note| (note.item.clone(), note.reason.clone())).collect();
    refused
}

fn output(mut told: old_tables::Translated, mut taken: Taken) -> Output {
    let total_dangling = told.dangling.len();
    told.dangling.truncate(SHOWN);
    taken.folded.truncate(SHOWN);
    Output {
        rows: told.rows,
        added: taken.added,
        folded: taken.folded,
        dangling: told.dangling,
        total_dangling,
        ignored_keys: taken.ignored,
        documents: told.blobs,
        dropped: 0,
    }
}
