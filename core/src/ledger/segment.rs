//! Segments: the ledger's form as files that git can keep.
//!
//! Owns: a segment's text, in both directions, and what is wrong with one. A segment holds a run of one replica's events
//! and never changes: its name is the SHA-256 of its bytes. Never: which events are in which file (`coverage`).
//!
//! ```text
//! {"deciduous":"segment","version":1,"replica":"…","first":1,"last":2,"lamport":1}
//! {"id":"…","replica":"…","ordinal":1,…}
//! {"id":"…","replica":"…","ordinal":2,…}
//! ```

use crate::ledger::chain::hex;
use crate::ledger::merge::{Arrived, Verdict};
use crate::ledger::wire::WireEvent;
use crate::ledger::{LOCAL, wire};
use crate::model::{Event, Segment};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The version of the segment format written here; a greater one is not read.
pub(crate) const SEGMENT_VERSION: u32 = 1;
const MARK: &str = "segment";
/// About how long a segment may become; one event alone may be longer.
pub(crate) const SEGMENT_BYTES: usize = 1_000_000;
/// Lines by which git marks what it could not merge.
pub(crate) const CONFLICT_MARKS: [&str; 4] = ["<<<<<<< ", "||||||| ", "=======", ">>>>>>> "];

/// A segment's first line. A reader ignores what else stands in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    deciduous: String,
    version: u32,
    pub replica: String,
    /// Ordinals of the first and the last event.
    pub first: i64,
    pub last: i64,
    /// The first event's clock.
    pub lamport: i64,
    /// Tells a segment from another one with the same events, whose file is damaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    again: Option<u32>,
}

impl Header {
    /// How many events the segment should hold, whatever a damaged line says.
    pub(crate) fn count(&self) -> i64 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }
}

/// Reads a first line; none where it is no segment's.
pub(crate) fn header(line: &str) -> Option<Header> {
    let header: Header = serde_json::from_str(line).ok()?;
    (header.deciduous == MARK).then_some(header)
}

/// What is wrong with a segment, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    pub line: usize,
    pub reason: String,
}

/// Whether a segment says what its writer wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Intact,
    Damaged(Damage),
    /// Written by a newer program.
    Newer(Damage),
}

/// A segment as it was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub header: Option<Header>,
    pub state: State,
    /// What can be read of it, each with its line.
    pub events: Vec<(usize, Arrived)>,
}

/// Writes a run of events, which are of one replica; answers (name, text). `taken` are names that may not be used.
pub(crate) fn write(events: &[Event], taken: impl Fn(&str) -> bool) -> Option<(String, String)> {
    let (first, last) = (events.first()?, events.last()?);
    let mut header = Header {
        deciduous: MARK.to_owned(),
        version: SEGMENT_VERSION,
        replica: first.replica.clone(),
        first: first.ordinal,
        last: last.ordinal,
        lamport: first.lamport,
        again: None,
    };
    let mut lines = String::new();
    for event in events {
        lines.push_str(&serde_json::to_string(&WireEvent::from(event.clone())).ok()?);
        lines.push('\n');
    }
    for again in 0..1_000 {
        header.again = (again > 0).then_some(again);
        let text = format!("{}\n{lines}", serde_json::to_string(&header).ok()?);
        let name = hex(&Sha256::digest(text.as_bytes()));
        if !taken(&name) {
            return Some((name, text));
        }
    }
    None
}

/// Whether the text is the one that the name was made of, also where git changed its line ends.
fn fits(name: &str, text: &str) -> bool {
    hex(&Sha256::digest(text.as_bytes())) == name
        || text.contains('\r')
            && hex(&Sha256::digest(text.replace("\r\n", "\n").as_bytes())) == name
}

/// Reads a segment, or what is left of it. `told` is what the host found wrong with its bytes.
pub(crate) fn read(name: &str, text: &str, told: Option<Damage>) -> Found {
    let fits = told.is_none() && fits(name, text);
    let mut lines = (1..).zip(text.lines());
    let first = lines.next().map_or("", |(_, line)| line);
    let header = header(first);
    let mut state = match (&header, told) {
        (_, Some(damage)) => State::Damaged(damage),
        (Some(header), _) if header.version > SEGMENT_VERSION => State::Newer(Damage {
            line: 1,
            reason: format!(
                "it has the format version {}; this program knows {SEGMENT_VERSION}",
                header.version
            ),
        }),
        (None, _) if text.is_empty() => damaged(1, "the file is empty".to_owned()),
        (None, _) => damaged(1, what_it_is(first, "it does not begin as a segment does")),
        (Some(_), _) => State::Intact,
    };
    let mut events = Vec::new();
    let mut last_line = 1;
    if !matches!(state, State::Newer(_)) {
        for (number, line) in lines {
            last_line = number;
            match wire::read(line) {
                Ok(event) => events.push((number, event)),
                Err(_) if state != State::Intact => {}
                Err(why) if wire::is_newer(line) => {
                    state = State::Newer(Damage {
                        line: number,
                        reason: format!("the event there {why}"),
                    });
                }
                Err(why) => {
                    state = damaged(
                        number,
                        what_it_is(line, &format!("what stands there {why}")),
                    )
                }
            }
        }
    }
    if state == State::Intact && !fits {
        let (told, held) = (header.as_ref().map_or(0, Header::count), events.len());
        let missing = usize::try_from(told).unwrap_or(0).saturating_sub(held);
        state = if missing > 0 {
            damaged(
                last_line,
                format!("it ends there, and {missing} of its {told} events are missing"),
            )
        } else {
            damaged(
                1,
                "its content is not the one that its name was made of".to_owned(),
            )
        };
    }
    if state == State::Intact && events.is_empty() {
        state = damaged(1, "it holds no event".to_owned());
    }
    Found {
        header,
        state,
        events,
    }
}

fn damaged(line: usize, reason: String) -> State {
    State::Damaged(Damage { line, reason })
}

fn what_it_is(line: &str, else_: &str) -> String {
    if line.is_empty() {
        "an empty line stands there".to_owned()
    } else if CONFLICT_MARKS.iter().any(|mark| line.starts_with(mark)) {
        "a conflict mark of git stands there".to_owned()
    } else if !line.trim_end().ends_with('}') {
        "the line there is cut off".to_owned()
    } else {
        else_.to_owned()
    }
}

/// The rows that say what an intact segment holds; none where it cannot be told, which makes it read again.
pub(crate) fn rows(name: &str, seq: i64, events: &[Arrived], verdicts: &[Verdict]) -> Vec<Segment> {
    let mut rows: Vec<Segment> = Vec::new();
    let mut strand = String::new();
    for ((event, ..), verdict) in events.iter().zip(verdicts) {
        match verdict {
            Verdict::Merged(of) | Verdict::Known(Some(of)) => strand.clone_from(of),
            Verdict::Known(None) => {}
            Verdict::Unplaced(_) | Verdict::Clash => return Vec::new(),
        }
        match rows.last_mut() {
            Some(row) if row.strand == strand && row.last + 1 == event.ordinal => {
                row.last = event.ordinal;
            }
            _ => rows.push(Segment {
                workspace: LOCAL,
                name: name.to_owned(),
                strand: strand.clone(),
                first: event.ordinal,
                last: event.ordinal,
                seq,
            }),
        }
    }
    rows
}

#[cfg(test)]
mod tests;
