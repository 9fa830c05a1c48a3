//! `plan_segments`: which segment files have to be read, and in which order.

use crate::answer::Answer;
use crate::args::Objects;
use crate::cx::Cx;
use crate::ledger::coverage::Coverage;
use crate::ledger::segment;
use crate::refuse::{Step, bad_argument, stop};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

tool! {
    title: "Plan segments",
    about: "Of the segment files that are there, those whose content is not known here, causes before effects.",
    effect: Read,
    cli: {
        command: &["segments", "plan"],
        summary: "Say which segment files have to be read",
        positions: &["segments"],
        file: &["segments"],
        examples: &["deciduous segments plan names.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// The files that are there: `name`, and `head`, its first line, where that is known
    segments: Objects,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    head: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    known: usize,
    /// Names to read, in this order
    read: Vec<String>,
    /// Events held that stand in none of the files known here
    unwritten: i64,
    /// This store's own name, and its ledger's last place
    replica: String,
    seq: i64,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let mut given: Vec<Named> = Vec::with_capacity(args.segments.0.len());
    for raw in &args.segments.0 {
        match serde_json::from_str(raw.get()) {
            Ok(named) => given.push(named),
            Err(_) => return stop(bad_argument("segments", "holds something else than objects with a `name`", "give `name` and `head` of each file")),
        }
    }
    let coverage = Coverage::learn(cx)?;
    let there: std::collections::BTreeSet<&str> = given.iter().map(|named| named.name.as_str()).collect();
    let unwritten = coverage.missing(|name| there.contains(name)).iter().map(|run| run.count()).sum();
    let all = given.len();
    let mut unknown: Vec<_> = given
        .into_iter()
        .filter(|named| !coverage.known.contains(&named.name))
        .map(|named| {
            let head = named.head.as_deref().and_then(segment::header);
            // What has no head comes last: it is damaged, and the others may hold what it has.
            let key = head.map_or((i64::MAX, String::new(), 0), |head| (head.lamport, head.replica, head.first));
            (key, named.name)
        })
        .collect();
    unknown.sort_unstable();
    let output = Output { known: all - unknown.len(), read: unknown.into_iter().map(|(_, name)| name).collect(), unwritten, replica: coverage.replica, seq: coverage.seq };
    let lead = format!("{} to read, {} known.", counted(output.read.len(), "segment"), output.known);
    Ok(Answer::new(output).lead(lead))
}
