//! Undo and redo with the real command: shown before, done after, refused where others' work is in the way.

mod common;

use common::{Folder, err, out};
use serde_json::Value;
use std::fs;

/// What the graph says.
fn digest(folder: &Folder) -> String {
    folder.json(&["digest"])["digest"]
        .as_str()
        .expect("a digest")
        .to_owned()
}

fn events(folder: &Folder) -> u64 {
    folder.json(&["events", "status"])["events"]
        .as_u64()
        .expect("a number")
}

#[test]
fn the_last_write_is_shown_undone_and_done_again() {
    let folder = Folder::project();
    for words in [
        &["add", "goal", "One"][..],
        &["add", "option", "Two"],
        &["link", "1", "2"],
        &["themes", "create", "auth"],
        &["tag", "add", "2", "auth"],
    ] {
        folder.json(words);
    }
    fs::write(folder.file("notes.md"), "because").expect("written");
    folder.json(&["doc", "attach", "2", "notes.md"]);
    let (before, count) = (digest(&folder), events(&folder));
    folder.json(&["delete", "2"]);
    let after = digest(&folder);

    let shown = folder.run(&["undo", "--dry-run"]);
    assert!(shown.status.success(), "{}", err(&shown));
    for part in [
        "Would undo `delete_node`",
        "option #2 `Two` restored",
        "edge #1 -> #2",
        "notes.md",
    ] {
        assert!(out(&shown).contains(part), "{part}: {}", out(&shown));
    }
    assert_eq!(digest(&folder), after);

    let done = folder.run(&["undo"]);
    assert!(done.status.success(), "{}", err(&done));
    assert!(
        out(&done).contains("option #2 `Two` restored"),
        "{}",
        out(&done)
    );
    assert_eq!(digest(&folder), before);
    assert_eq!(
        folder.json(&["show", "2"])["documents"]
            .as_array()
            .expect("a list")
            .len(),
        1
    );
    assert!(events(&folder) > count, "nothing is erased");

    let again = folder.json(&["redo"]);
    assert_eq!(again["tool"], "undo_write");
    assert_eq!(digest(&folder), after);
    assert_eq!(folder.run(&["show", "2"]).status.code(), Some(3));
}

#[test]
fn a_write_is_named_by_a_node_an_event_or_the_beginning_of_one() {
    let folder = Folder::project();
    folder.json(&["add", "goal", "One"]);
    folder.json(&["add", "goal", "Other"]);
    folder.json(&["status", "1", "active"]);
    folder.json(&["status", "2", "active"]);
    let undone = folder.json(&["undo", "--node", "1"]);
    assert_eq!(undone["tool"], "update_status");
    assert_eq!(folder.json(&["show", "1"])["status"], "pending");
    assert_eq!(folder.json(&["show", "2"])["status"], "active");

    let event = folder.json(&["events", "read"])["events"][3]["id"].clone();
    let event = event.as_str().expect("an id");
    // The newest writes begin alike, so the beginning is a long one.
    let undone = folder.json(&["undo", &event[..28]]);
    assert_eq!(undone["undone"], event);
    assert_eq!(folder.json(&["show", "2"])["status"], "pending");
    for (words, exit) in [
        (&["undo", "--node", "77"][..], 3),
        (&["undo", "0192f0c1"], 3),
        (&["undo", "12"], 2),
        (&["undo", event, "--node", "1"], 2),
        (&["undo", event], 5),
    ] {
        let refused = folder.run(words);
        assert_eq!(
            refused.status.code(),
            Some(exit),
            "{words:?}: {}",
            err(&refused)
        );
        assert!(err(&refused).contains("next:"), "{}", err(&refused));
    }
}

#[test]
fn what_later_writes_build_on_is_not_taken_away() {
    let folder = Folder::project();
    let first = folder.json(&["add", "goal", "One"]);
    assert_eq!(first["id"], 1);
    folder.json(&["edit", "1", "--title", "Uno"]);
    let mut other = folder.command(&["edit", "1", "--title", "Eins"]);
    assert!(
        other
            .env("DECIDUOUS_ACTOR", "sam")
            .status()
            .expect("it runs")
            .success()
    );
    folder.json(&["add", "option", "Two"]);
    folder.json(&["link", "1", "2"]);
    let before = (digest(&folder), events(&folder));

    let all = folder.json(&["events", "read"])["events"].clone();
    let id = |place: usize| all[place]["id"].as_str().expect("an id").to_owned();
    // The second title stands on the first change of it.
    let refused = folder.run(&["--json", "undo", &id(1)]);
    assert_eq!(refused.status.code(), Some(5));
    let said: Value = serde_json::from_str(&err(&refused)).expect("JSON");
    let message = said["message"].as_str().expect("text");
    assert!(
        message.contains("`sam`") && message.contains(&id(2)),
        "{message}"
    );
    // The node has an edge since.
    let refused = folder.run(&["undo", &id(0)]);
    assert_eq!(refused.status.code(), Some(5), "{}", err(&refused));
    assert_eq!((digest(&folder), events(&folder)), before);
}

#[test]
fn a_session_and_its_goal_go_and_come_back() {
    let folder = Folder::project();
    let empty = digest(&folder);
    folder.json(&["session", "start", "auth", "Refactor auth"]);
    let begun = digest(&folder);
    folder.json(&["undo"]);
    assert_eq!(digest(&folder), empty);
    assert_eq!(folder.json(&["session", "list"])["total"], 0);
    folder.json(&["redo"]);
    assert_eq!(digest(&folder), begun);
    folder.json(&["undo"]);
    let nothing = folder.run(&["undo"]);
    assert_eq!(nothing.status.code(), Some(3), "{}", err(&nothing));
}
