//! `write_segment`: the next events that stand in no segment file, as the text of a new one.

use crate::answer::Answer;
use crate::args::{Flag, Objects};
use crate::cx::{Cx, Record};
use crate::ledger::coverage::{Coverage, Run};
use crate::ledger::segment::{self, SEGMENT_BYTES};
use crate::ledger::LOCAL;
use crate::model::{Event, Segment};
use crate::refuse::{Step, bad_argument, refusal, stop};
use crate::text::counted;
use crate::tool::tool;
use deciduous_boundary::Change;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

tool! {
    title: "Write segment",
    about: "The next events that stand in no segment file, as the text of a new file. Call again, with its name among the files, while `unwritten` is not 0.",
    effect: Set,
    cli: {
        command: &["segments", "write"],
        summary: "Write the next segment file's text",
        positions: &["segments"],
        file: &["segments"],
        examples: &["deciduous segments write names.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// The files that are there: `name`, and `damaged: true` where its content is not what the name says
    segments: Objects,
    /// Only count what is unwritten
    dry_run: Option<Flag>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(default)]
    damaged: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Events in it
    events: usize,
    /// Events that stand in no file, without those in this one
    unwritten: i64,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let given = cx.once("names", || names(&args.segments))?;
    let coverage = Coverage::learn(cx)?;
    let missing = coverage.missing(|name| given.get(name) == Some(&false));
    let unwritten: i64 = missing.iter().map(Run::count).sum();
    let next = missing.first().filter(|_| !args.dry_run.is_some_and(|flag| flag.0));
    let Some(run) = next else {
        let lead = format!("{} in no segment.", counted(usize::try_from(unwritten).unwrap_or(0), "event"));
        return Ok(Answer::new(Output { name: None, text: None, events: 0, unwritten }).lead(lead));
    };
    let events = bounded(coverage.events(cx, run)?);
    let Some((name, text)) = segment::write(&events, |name| given.get(name) == Some(&true)) else {
        let lead = format!("event {} of replica `{}` is not where the ledger says", run.first, run.strand);
        return stop(refusal(500, lead, "run `deciduous doctor`"));
    };
    let row = Segment {
        workspace: LOCAL,
        name: name.clone(),
        strand: run.strand.clone(),
        first: run.first,
        last: run.first + i64::try_from(events.len()).unwrap_or(0) - 1,
        seq: events.last().map_or(0, |event| event.seq),
    };
    cx.change(Change::Put { table: "segment".to_owned(), row: row.cells() });
    let output = Output { unwritten: unwritten - row.last + row.first - 1, events: events.len(), name: Some(name), text: Some(text) };
    let lead = format!("{} for a new segment.", counted(output.events, "event"));
    Ok(Answer::new(output).lead(lead))
}

/// As many as fit a file.
fn bounded(mut events: Vec<Event>) -> Vec<Event> {
    let mut bytes = 0;
    let fits = events.iter().take_while(|event| {
        let before = bytes;
        bytes += event.fields.len() + 500;
        before < SEGMENT_BYTES
    });
    let fits = fits.count();
    events.truncate(fits);
    events
}

/// Name to whether its file is damaged.
fn names(given: &Objects) -> Step<BTreeMap<String, bool>> {
    let read = given.0.iter().map(|raw| serde_json::from_str::<Named>(raw.get()).map(|named| (named.name, named.damaged)));
    match read.collect() {
        Ok(names) => Ok(names),
        Err(_) => stop(bad_argument("segments", "holds something else than objects with a `name`", "give the `name` of each file")),
    }
}
