//! Segments as text: what is written is read back, and each kind of damage is said.

use super::{State, header, read, rows, write};
use crate::ledger::chain::{self, hex};
use crate::ledger::merge::Verdict;
use crate::model::Event;
use sha2::{Digest, Sha256};

fn events(count: i64) -> Vec<Event> {
    let mut former = String::new();
    (1..=count)
        .map(|ordinal| {
            let mut event = Event {
                id: format!("00000000-0000-7000-8000-{ordinal:012}"),
                replica: "00000000-0000-7000-8000-00000000000a".to_owned(),
                ordinal,
                lamport: ordinal,
                actor_kind: "agent".to_owned(),
                kind: "node.added".to_owned(),
                subject: format!("node/00000000-0000-7000-8001-{ordinal:012}"),
                fields: "{\"title\":\"two\\nlines\"}".to_owned(),
                version: 1,
                ..Event::default()
            };
            event.hash = chain::hash(&former, &event);
            former.clone_from(&event.hash);
            event
        })
        .collect()
}

fn line(state: &State) -> Option<(bool, usize, &str)> {
    match state {
        State::Intact => None,
        State::Damaged(damage) => Some((false, damage.line, &damage.reason)),
        State::Newer(damage) => Some((true, damage.line, &damage.reason)),
    }
}

#[test]
fn what_is_written_is_read_back() {
    let events = events(3);
    let (name, text) = write(&events, |_| false).expect("a segment");
    assert_eq!(text.lines().count(), 4);
    let found = read(&name, &text, None);
    assert_eq!(found.state, State::Intact);
    assert_eq!(found.events.len(), 3);
    let head = header(text.lines().next().unwrap_or_default()).expect("a header");
    assert_eq!((head.first, head.last, head.lamport), (1, 3, 1));
    // Git on some machines writes other line ends.
    assert_eq!(
        read(&name, &text.replace('\n', "\r\n"), None).state,
        State::Intact
    );
    let (other, again) = write(&events, |taken| taken == name).expect("a segment");
    assert_ne!(other, name);
    assert_eq!(read(&other, &again, None).state, State::Intact);
}

#[test]
fn each_kind_of_damage_is_said_with_its_line_and_the_rest_is_read() {
    let (name, text) = write(&events(3), |_| false).expect("a segment");
    let said = |text: &str| {
        let found = read(&name, text, None);
        let (newer, line, reason) = line(&found.state).expect("damage");
        (newer, line, reason.to_owned(), found.events.len())
    };
    let cut = text.len() - 20;
    assert_eq!(
        said(&text[..cut]),
        (false, 4, "the line there is cut off".to_owned(), 2)
    );
    let lines: Vec<&str> = text.lines().collect();
    let short = format!("{}\n{}\n", lines[0], lines[1]);
    assert_eq!(
        said(&short),
        (
            false,
            2,
            "it ends there, and 2 of its 3 events are missing".to_owned(),
            1
        )
    );
    let marked = text.replacen(
        lines[2],
        &format!("<<<<<<< HEAD\n{}\n=======\n>>>>>>> other", lines[2]),
        1,
    );
    assert_eq!(
        said(&marked),
        (
            false,
            3,
            "a conflict mark of git stands there".to_owned(),
            3
        )
    );
    let forged = text.replacen("two", "2", 1);
    assert_eq!(said(&forged).1, 1);
    assert_eq!(said("").2, "the file is empty");
    // Its name may fit: no segment without events is written.
    let none = format!("{}\n", lines[0].replace("\"last\":3", "\"last\":0"));
    let name = hex(&Sha256::digest(none.as_bytes()));
    let found = read(&name, &none, None);
    assert_eq!(line(&found.state), Some((false, 1, "it holds no event")));
    let newer = text.replacen("\"version\":1", "\"version\":2", 1);
    assert_eq!((said(&newer).0, said(&newer).3), (true, 0));
    let newer = text.replacen("\"version\":1,\"hash\"", "\"version\":9,\"hash\"", 1);
    let (is_newer, line, _, rest) = said(&newer);
    assert_eq!((is_newer, line, rest), (true, 2, 2));
}

#[test]
fn a_segment_through_a_fork_has_a_row_for_each_strand() {
    let events = events(4);
    let (name, text) = write(&events, |_| false).expect("a segment");
    let arrived: Vec<_> = read(&name, &text, None)
        .events
        .into_iter()
        .map(|(_, event)| event)
        .collect();
    let verdicts = [
        Verdict::Known(Some("r".to_owned())),
        Verdict::Known(Some("r".to_owned())),
        Verdict::Merged("r~x".to_owned()),
        Verdict::Known(None),
    ];
    let rows = rows(&name, 1, &arrived, &verdicts);
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.strand.as_str(), row.first, row.last))
        .collect();
    assert_eq!(told, [("r", 1, 2), ("r~x", 3, 4)]);
    assert!(super::rows(&name, 1, &arrived, &[Verdict::Clash]).is_empty());
}
