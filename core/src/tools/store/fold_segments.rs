//! `fold_segments`: takes in the events of segment files.

use crate::answer::Answer;
use crate::args::Objects;
use crate::cx::{Cx, Record};
use crate::ledger::coverage::Coverage;
use crate::ledger::merge::{self, Arrived, Verdict};
use crate::ledger::segment::{self, Damage, Header, State};
use crate::ledger::strand::{Unplaced, replica_of};
use crate::refuse::{Step, bad_argument, stop};
use crate::shapes::ConflictItem;
use crate::text::counted;
use crate::tool::tool;
use deciduous_boundary::Change;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

tool! {
    title: "Fold segments",
    about: "Take in the events of segment files: all that can be read and follows from what is held. What is damaged is named with its line.",
    effect: Set,
    cli: {
        command: &["segments", "fold"],
        summary: "Take in the events of segment files",
        positions: &["segments"],
        file: &["segments"],
        examples: &["deciduous segments fold segments.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Each with `name` and `text`; where its bytes are no text, with `line` and `reason` of that
    segments: Objects,
}

#[derive(Deserialize)]
struct Given {
    name: String,
    text: String,
    line: Option<usize>,
    reason: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Item {
    name: String,
    /// folded; waiting (events before it are missing); damaged; newer (than this program)
    state: &'static str,
    merged: usize,
    known: usize,
    /// Events that were read and not taken
    left: usize,
    /// Whether everything that it should hold is held here.
    held: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    segments: Vec<Item>,
    merged: usize,
    known: usize,
    /// Fields that this decided between writers who did not know of each other
    conflicts: Vec<ConflictItem>,
    total_conflicts: usize,
    open_conflicts: u32,
    /// Replicas whose name two stores wrote under
    forks: Vec<String>,
    /// This store's new name, where its old one is in use elsewhere too
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed: Option<String>,
}

/// The rest is counted, and listed by get_pulse.
const CONFLICTS_SHOWN: usize = 20;

/// A segment, and which of the batch's events are its.
struct Read {
    name: String,
    header: Option<Header>,
    state: State,
    lines: Vec<usize>,
    begin: usize,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let parsed = cx.once("segments", || parse(&args.segments))?;
    let (read, arrived) = &*parsed;
    let coverage = Coverage::learn(cx);
    let merged = merge::take(cx, arrived, false);
    let (coverage, merged) = (coverage?, merged?);
    let held = |replica: &str| {
        let strands: Vec<i64> = coverage.strands.iter().filter(|(strand, _)| replica_of(strand) == replica).map(|(_, (_, last))| *last).collect();
        if strands.len() > 1 || merged.forks.iter().any(|strand| replica_of(strand) == replica) {
            // Which of several histories the file should hold, nobody knows.
            return 0;
        }
        let before = strands.into_iter();
        let taken = merged.verdicts.iter().zip(arrived).filter(|(verdict, (event, ..))| event.replica == replica && matches!(verdict, Verdict::Merged(_)));
        before.chain(taken.map(|(_, (event, ..))| event.ordinal)).max().unwrap_or(0)
    };
    let mut segments = Vec::with_capacity(read.len());
    for read in read {
        let end = read.begin + read.lines.len();
        let events = arrived.get(read.begin..end).unwrap_or_default();
        let verdicts = merged.verdicts.get(read.begin..end).unwrap_or_default();
        let item = item(read, events, verdicts, held);
        if read.state == State::Intact {
            for row in segment::rows(&read.name, merged.seq, events, verdicts) {
                cx.change(Change::Put { table: "segment".to_owned(), row: row.cells() });
            }
        }
        segments.push(item);
    }
    let total_conflicts = merged.conflicts.len();
    let lead = format!("Folded {} from {}.", counted(merged.merged, "new event"), counted(segments.len(), "segment"));
    let mut forks: Vec<String> = merged.forks.iter().map(|strand| replica_of(strand).to_owned()).collect();
    forks.dedup();
    let output = Output {
        segments,
        merged: merged.merged,
        known: merged.known,
        conflicts: merged.conflicts.iter().take(CONFLICTS_SHOWN).map(ConflictItem::from).collect(),
        total_conflicts,
        open_conflicts: merged.open_conflicts,
        forks,
        renamed: merged.renamed,
    };
    Ok(Answer::new(output).lead(lead))
}

fn parse(given: &Objects) -> Step<(Vec<Read>, Vec<Arrived>)> {
    let (mut read, mut arrived) = (Vec::new(), Vec::new());
    for raw in &given.0 {
        let Ok(given) = serde_json::from_str::<Given>(raw.get()) else {
            return stop(bad_argument("segments", "holds something else than objects with `name` and `text`", "give both of each file"));
        };
        let told = given.reason.map(|reason| Damage { line: given.line.unwrap_or(1), reason });
        let found = segment::read(&given.name, &given.text, told);
        let begin = arrived.len();
        let (lines, events): (Vec<usize>, Vec<Arrived>) = found.events.into_iter().unzip();
        arrived.extend(events);
        read.push(Read { name: given.name, header: found.header, state: found.state, lines, begin });
    }
    Ok((read, arrived))
}

fn item(read: &Read, events: &[Arrived], verdicts: &[Verdict], held: impl Fn(&str) -> i64) -> Item {
    let count = |which: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| which(verdict)).count();
    let merged = count(|verdict| matches!(verdict, Verdict::Merged(_)));
    let known = count(|verdict| matches!(verdict, Verdict::Known(_)));
    let first_left = verdicts.iter().position(|verdict| matches!(verdict, Verdict::Unplaced(_) | Verdict::Clash));
    let told = first_left.and_then(|place| Some((read.lines.get(place)?, verdicts.get(place)?, events.get(place)?)));
    let (state, line, reason) = match (&read.state, told) {
        (State::Newer(damage), _) => ("newer", Some(damage.line), Some(damage.reason.clone())),
        (State::Damaged(damage), None) => ("damaged", Some(damage.line), Some(damage.reason.clone())),
        (State::Intact, None) => ("folded", None, None),
        // What is said of a whole file is said better of the event that shows it.
        (State::Damaged(damage), Some(_)) if damage.line > 1 => ("damaged", Some(damage.line), Some(damage.reason.clone())),
        (_, Some((line, Verdict::Clash, _))) => ("damaged", Some(*line), Some("another event is held under the id of the one there".to_owned())),
        (_, Some((line, Verdict::Unplaced(Unplaced::Unfit), _))) => ("damaged", Some(*line), Some("the event there does not continue the chain of its replica".to_owned())),
        (State::Damaged(damage), Some(_)) => ("damaged", Some(damage.line), Some(damage.reason.clone())),
        (State::Intact, Some((line, verdict, (event, ..)))) => {
            let next = if let Verdict::Unplaced(Unplaced::Gap(next)) = verdict { *next } else { event.ordinal };
            let missing = merge::missing(event, next);
            ("waiting", Some(*line), Some(format!("of replica `{}` {missing} missing before it", event.replica)))
        }
    };
    let there: BTreeSet<&str> = events
        .iter()
        .zip(verdicts)
        .filter(|(_, verdict)| matches!(verdict, Verdict::Merged(_) | Verdict::Known(_)))
        .map(|((event, ..), _)| event.id.as_str())
        .collect();
    let complete = |header: &Header| i64::try_from(there.len()).is_ok_and(|count| count == header.count());
    let held = read.header.as_ref().is_some_and(|header| complete(header) || held(&header.replica) >= header.last);
    Item { name: read.name.clone(), state, merged, known, left: events.len() - merged - known, held, line, reason }
}
