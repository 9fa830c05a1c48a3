//! `deciduous sync` between clones, with git as it is: no configuration, no merge driver.

mod common;

use common::{Folder, Server, err, out};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs git without this machine's configuration.
fn try_git(folder: &Path, words: &[&str]) -> Output {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(words);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true");
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "t")
            .env(format!("GIT_{role}_EMAIL"), "t@example.org");
    }
    git.output().expect("git starts")
}

fn git(folder: &Path, words: &[&str]) -> String {
    let output = try_git(folder, words);
    assert!(
        output.status.success(),
        "git {words:?}: {}{}",
        out(&output),
        err(&output)
    );
    out(&output)
}

fn commit(folder: &Folder, message: &str) {
    git(folder.path(), &["add", "--all"]);
    git(
        folder.path(),
        &["commit", "--quiet", "--allow-empty", "-m", message],
    );
}

/// A repository with a project in it.
fn repository() -> Folder {
    let folder = Folder::project();
    git(
        folder.path(),
        &["init", "--quiet", "--initial-branch", "main"],
    );
    folder
}

fn clone(from: &Folder) -> Folder {
    let folder = Folder::empty();
    git(
        folder.path(),
        &["clone", "--quiet", from.path().to_str().expect("text"), "."],
    );
    folder
}

fn sync(folder: &Folder) -> Value {
    folder.json(&["sync"])
}

/// A sync that finds something it cannot read: its report and what it says.
fn complains(folder: &Folder, words: &[&str]) -> (Value, String) {
    let output = folder.run(&[&["--json"], words].concat());
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}{}",
        out(&output),
        err(&output)
    );
    let report = serde_json::from_slice(&output.stdout).expect("a report");
    let said: Value = serde_json::from_str(&err(&output)).expect("a complaint");
    (report, said["message"].as_str().expect("text").to_owned())
}

fn digest(folder: &Folder) -> Value {
    folder.json(&["digest"])["digest"].clone()
}

fn titles(folder: &Folder) -> BTreeSet<String> {
    let nodes = folder.json(&["nodes"]);
    let titles = nodes["nodes"].as_array().expect("nodes").iter();
    titles
        .map(|node| node["title"].as_str().expect("a title").to_owned())
        .collect()
}

fn segments(folder: &Folder) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.file(".deciduous/ledger")) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("listed").path()).collect();
    paths.sort();
    paths
}

fn names(folder: &Folder) -> Vec<String> {
    let name = |path: &PathBuf| {
        path.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    segments(folder).iter().map(name).collect()
}

/// Two clones of a project with one goal and one option, both in step.
fn two() -> (Folder, Folder) {
    let a = repository();
    a.json(&["add", "goal", "shared goal", "-c", "50"]);
    a.json(&["add", "option", "shared option"]);
    a.json(&["add", "option", "to be deleted"]);
    a.json(&["link", "1", "2"]);
    sync(&a);
    commit(&a, "begin");
    let b = clone(&a);
    let taken = sync(&b);
    assert_eq!(
        (&taken["events_taken"], &taken["events_written"]),
        (&json!(4), &json!(0))
    );
    assert_eq!(digest(&a), digest(&b));
    assert_eq!(
        git(b.path(), &["status", "--porcelain"]),
        "",
        "a fresh clone is in step with what it came from"
    );
    (a, b)
}

/// What both do apart: edits of one field, of different fields, edges, themes, documents, deletes.
fn apart(a: &Folder, b: &Folder) {
    a.json(&["edit", "1", "--title", "goal by a"]);
    a.json(&["edit", "2", "--description", "described by a"]);
    a.json(&["add", "decision", "decision of a"]);
    a.json(&["link", "2", "4", "-t", "chosen"]);
    a.json(&["themes", "create", "ours"]);
    a.json(&["tag", "add", "4", "ours"]);
    fs::write(a.file("a.md"), "a's bytes").expect("written");
    a.json(&["doc", "attach", "4", "a.md"]);
    a.json(&["delete", "3"]);
    sync(a);
    commit(a, "by a");
    a.json(&["status", "4", "active"]);
    sync(a);
    commit(a, "by a again");

    b.json(&["edit", "1", "--title", "goal by b"]);
    b.json(&["status", "2", "rejected"]);
    b.json(&["add", "action", "action of b"]);
    b.json(&["link", "2", "4", "-r", "b's reason"]);
    b.json(&["unlink", "1", "2"]);
    b.json(&["themes", "create", "ours", "--color", "#112233"]);
    b.json(&["edit", "3", "--title", "edited while deleted"]);
    fs::write(b.file("b.md"), "b's bytes").expect("written");
    b.json(&["doc", "attach", "1", "b.md"]);
    sync(b);
    commit(b, "by b");
}

/// Both hold everything of both.
fn together(a: &Folder, b: &Folder) {
    assert_eq!(digest(a), digest(b));
    for folder in [a, b] {
        let titles = titles(folder);
        assert!(
            titles.contains("decision of a") && titles.contains("action of b"),
            "{titles:?}"
        );
        assert!(titles.contains("goal by a") || titles.contains("goal by b"));
        assert!(
            !titles.contains("to be deleted") && !titles.contains("edited while deleted"),
            "{titles:?}"
        );
        let documents = folder.json(&["doc", "list"]);
        assert_eq!(documents["total"], 2);
        for document in documents["documents"].as_array().expect("documents") {
            let name = document["sha256"].as_str().expect("a hash");
            assert!(folder.file(".deciduous/documents").join(name).exists());
        }
        let option = folder.json(&["nodes"])["nodes"]
            .as_array()
            .expect("nodes")
            .iter()
            .find(|node| node["title"] == "shared option")
            .cloned()
            .expect("there");
        assert_eq!(option["status"], "rejected");
        assert_eq!(
            folder.json(&["events", "status", "--verify"])["verified"],
            true
        );
        assert!(folder.run(&["sync", "--check"]).status.success());
    }
    assert_eq!(
        fs::read(a.file(".deciduous/graph.json")).expect("read"),
        fs::read(b.file(".deciduous/graph.json")).expect("read")
    );
}

/// Lets both meet: `a` takes in `b`'s commits by `meet`, then `b` what came of it.
fn meeting(meet: impl Fn(&Path)) {
    let (a, b) = two();
    apart(&a, &b);
    git(
        a.path(),
        &[
            "fetch",
            "--quiet",
            b.path().to_str().expect("text"),
            "main:refs/heads/other",
        ],
    );
    meet(a.path());
    let report = sync(&a);
    assert_eq!(report["problems"], json!([]));
    assert!(report["conflicts_decided"].as_u64() > Some(0), "{report}");
    commit(&a, "synced");
    git(b.path(), &["fetch", "--quiet", "origin"]);
    git(b.path(), &["reset", "--quiet", "--hard", "origin/main"]);
    sync(&b);
    together(&a, &b);
    assert_eq!(
        git(b.path(), &["status", "--porcelain"]),
        "",
        "nothing is left to write"
    );
}

#[test]
fn clones_meet_through_a_merge() {
    meeting(|a| drop(git(a, &["merge", "--quiet", "other"])));
}

#[test]
fn clones_meet_through_a_rebase() {
    meeting(|a| drop(git(a, &["rebase", "--quiet", "other"])));
}

#[test]
fn clones_meet_through_a_squash() {
    meeting(|a| {
        git(a, &["merge", "--quiet", "--squash", "other"]);
        git(a, &["commit", "--quiet", "-m", "squashed"]);
    });
}

#[test]
fn clones_meet_through_cherry_picks() {
    meeting(|a| drop(git(a, &["cherry-pick", "main..other"])));
}

#[test]
fn a_half_merged_graph_file_is_taken_apart_and_written_anew() {
    meeting(|a| {
        // As where nobody told git that lines may stand side by side.
        fs::write(
            a.join(".git/info/attributes"),
            ".deciduous/graph.json merge\n",
        )
        .expect("written");
        assert!(!try_git(a, &["merge", "other"]).status.success());
        let text = fs::read_to_string(a.join(".deciduous/graph.json")).expect("read");
        assert!(text.contains("<<<<<<< ") && text.contains(">>>>>>> "));
    });
}

#[test]
fn a_fresh_clone_says_what_to_do_and_is_checked_without_a_store() {
    let (a, _) = two();
    let b = clone(&a);
    let output = b.run(&["nodes"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(err(&output).contains("deciduous sync"), "{}", err(&output));
    let before = git(b.path(), &["status", "--porcelain", "--ignored"]);
    assert!(b.run(&["sync", "--check"]).status.success());
    assert_eq!(
        git(b.path(), &["status", "--porcelain", "--ignored"]),
        before,
        "a check changes nothing"
    );
    assert_eq!(b.json(&["sync", "--dry-run"])["unread"], 1);
    assert!(!b.file(".deciduous/deciduous.db").exists());

    // Its first write begins with what the files hold, and so does its server.
    let c = clone(&a);
    let added = c.run(&["add", "goal", "the first one here"]);
    assert!(out(&added).contains("#4"), "{}", out(&added));
    assert!(err(&added).contains("took in 4 events from 1 segment file"));
    let d = clone(&a);
    let mut server = Server::start(&d);
    server.initialize("2025-06-18");
    server.call(1, "get_pulse", json!({}));
    let pulse = server.next();
    let counted = &pulse["result"]["structuredContent"]["total_nodes"];
    assert_eq!(counted, 3, "{pulse}");
    server.end();

    // What does not say the same is found, and named.
    let file = b.file(".deciduous/graph.json");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replace("shared goal", "another goal")).expect("written");
    let (report, said) = complains(&b, &["sync", "--check"]);
    assert!(
        said.contains("graph.json") && report["graph_file"] == "stale",
        "{said}"
    );
    // A sync takes it for what somebody wrote there.
    assert_eq!(sync(&b)["imported"]["changed"], 1);
    assert!(titles(&b).contains("another goal"));
    assert!(b.run(&["sync", "--check"]).status.success());
    b.json(&["add", "goal", "not written yet"]);
    let (report, said) = complains(&b, &["sync", "--check"]);
    assert_eq!(report["unwritten"], 1);
    assert!(said.contains("1 event"), "{said}");
    let status = b.json(&["events", "status"]);
    assert_eq!(
        (&status["sync"], &status["unwritten"], &status["unread"]),
        (&json!("git"), &json!(1), &json!(0))
    );
}

#[test]
fn files_that_are_gone_are_written_again_and_the_store_keeps_everything() {
    let (a, b) = two();
    for number in 0..3 {
        a.json(&["add", "goal", &format!("goal {number}")]);
        sync(&a);
        commit(&a, "more");
    }
    git(b.path(), &["pull", "--quiet"]);
    let status = b.json(&["events", "status"]);
    assert_eq!(
        (&status["unread"], &status["unwritten"]),
        (&json!(3), &json!(0))
    );
    assert!(out(&b.run(&["events", "status"])).contains("3 segment files not taken in"));
    sync(&b);
    let (before, all) = (digest(&a), names(&a));
    assert_eq!(all.len(), 4);
    // Both lose the same file, and write the same one again.
    for folder in [&a, &b] {
        let lost = segments(folder)
            .into_iter()
            .find(|path| fs::read_to_string(path).expect("read").contains("goal 1"))
            .expect("one");
        fs::remove_file(lost).expect("removed");
        assert_eq!(sync(folder)["events_written"], 1);
        assert_eq!(names(folder), all);
    }
    // All of them, and the folder.
    fs::remove_dir_all(a.file(".deciduous/ledger")).expect("removed");
    assert_eq!(sync(&a)["events_written"], 7);
    assert_eq!(digest(&a), before);
    git(a.path(), &["checkout", "--quiet", "."]);
    assert_eq!(sync(&a)["events_written"], 0);
    // Back to a time before.
    git(a.path(), &["clean", "-fdq"]);
    git(a.path(), &["reset", "--quiet", "--hard", "HEAD~2"]);
    let report = sync(&a);
    assert_eq!(
        (&report["events_written"], &report["imported"]["changed"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(digest(&a), before);
}

#[test]
fn a_branch_from_before_takes_nothing_away_and_meets_the_newer_one() {
    let (a, _) = two();
    git(a.path(), &["branch", "older"]);
    a.json(&["add", "goal", "on main"]);
    a.json(&["delete", "2"]);
    sync(&a);
    commit(&a, "on main");
    let before = digest(&a);
    git(a.path(), &["checkout", "--quiet", "older"]);
    assert_eq!(segments(&a).len(), 1);
    assert_eq!(digest(&a), before);
    let (report, said) = complains(&a, &["sync", "--check"]);
    assert!(
        report["unwritten"].as_u64() > Some(0) && said.contains("in no segment file"),
        "{said}"
    );
    let report = sync(&a);
    assert_eq!(report["imported"], json!({"added": 0, "changed": 0}));
    assert_eq!(digest(&a), before);
    commit(&a, "synced on the older branch");
    a.json(&["add", "goal", "on the older branch"]);
    sync(&a);
    commit(&a, "more on the older branch");
    git(a.path(), &["checkout", "--quiet", "main"]);
    git(a.path(), &["merge", "--quiet", "--no-edit", "older"]);
    let report = sync(&a);
    assert_eq!(
        (&report["events_written"], &report["problems"]),
        (&json!(0), &json!([]))
    );
    let b = clone(&a);
    sync(&b);
    assert_eq!(digest(&a), digest(&b));
    assert!(titles(&b).contains("on the older branch") && !titles(&b).contains("shared option"));
}

#[test]
fn each_kind_of_damage_is_named_and_the_rest_is_taken_in() {
    let (a, _) = two();
    a.json(&["add", "goal", "in the second file"]);
    a.json(&["add", "goal", "at its end"]);
    sync(&a);
    let second = segments(&a)
        .into_iter()
        .find(|path| {
            fs::read_to_string(path)
                .expect("read")
                .contains("second file")
        })
        .expect("one");
    let whole = fs::read(&second).expect("read");
    let text = String::from_utf8(whole.clone()).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let mut no_text = whole.clone();
    no_text.truncate(whole.len() - 30);
    no_text.extend_from_slice(b"\xff\xfe\n");
    let kinds: [(&str, Vec<u8>, &str, u64); 7] = [
        ("cut off", whole[..whole.len() - 30].to_vec(), "line 3", 1),
        ("empty", Vec::new(), "the file is empty", 0),
        (
            "conflict marks",
            format!(
                "{}\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n",
                lines[0], lines[1], lines[2]
            )
            .into_bytes(),
            "line 2",
            2,
        ),
        (
            "changed",
            text.replacen("at its end", "at its END", 1).into_bytes(),
            "line 3",
            1,
        ),
        (
            "newer",
            text.replacen("\"version\":1", "\"version\":7", 1)
                .into_bytes(),
            "version 7",
            0,
        ),
        ("no UTF-8", no_text, "line 3", 1),
        ("other content", b"{}\n".to_vec(), "line 1", 0),
    ];
    commit(&a, "whole");
    for (kind, bytes, place, taken) in kinds {
        let b = clone(&a);
        let file = b
            .file(".deciduous/ledger")
            .join(second.file_name().expect("a name"));
        fs::write(&file, &bytes).expect("damaged");
        fs::remove_file(b.file(".deciduous/graph.json")).expect("removed");
        complains(&b, &["sync", "--check"]);
        let (report, said) = complains(&b, &["sync"]);
        assert!(
            said.contains(place)
                && said.contains(&*second.file_name().expect("a name").to_string_lossy()),
            "{kind}: {said}"
        );
        assert_eq!(report["events_taken"], 4 + taken, "{kind}: {report}");
        assert_eq!(
            fs::read(&file).expect("read"),
            bytes,
            "{kind}: a file was changed"
        );
        // Only a graph without a hole is written out.
        let whole_again = taken == 2;
        assert_eq!(
            b.file(".deciduous/graph.json").exists(),
            whole_again,
            "{kind}"
        );
        complains(&b, &["sync"]);
        fs::write(&file, &whole).expect("mended");
        assert_eq!(sync(&b)["events_taken"], 2 - taken, "{kind}");
        assert_eq!(digest(&b), digest(&a), "{kind}");
    }
    // Here everything is known, so another file carries it.
    fs::write(&second, &whole[..whole.len() - 30]).expect("damaged");
    let (report, said) = complains(&a, &["sync"]);
    assert!(said.contains("all that it should hold"), "{said}");
    assert_eq!(report["events_written"], 2);
    assert_eq!(fs::read(&second).expect("read"), &whole[..whole.len() - 30]);
    assert_eq!(complains(&a, &["sync"]).0["events_written"], 0);
    fs::remove_file(&second).expect("removed");
    assert_eq!(sync(&a)["events_written"], 0);
    let b = clone(&a);
    fs::write(b.file(".deciduous/ledger/notes.txt"), "mine").expect("written");
    fs::create_dir(b.file(".deciduous/ledger/folder.jsonl")).expect("made");
    let strangers = json!([
        ".deciduous/ledger/folder.jsonl",
        ".deciduous/ledger/notes.txt"
    ]);
    assert_eq!(sync(&b)["strangers"], strangers);
    assert!(b.run(&["sync", "--check"]).status.success());
    // A segment under another name may hold what nobody has.
    let file = segments(&b)
        .into_iter()
        .find(|path| path.to_string_lossy().len() > 64)
        .expect("one");
    fs::rename(&file, b.file(".deciduous/ledger/renamed.jsonl")).expect("renamed");
    assert!(
        complains(&b, &["sync"])
            .1
            .contains("renamed.jsonl is unread")
    );
}

#[test]
fn other_line_ends_are_looked_through() {
    let (a, _) = two();
    let b = clone(&a);
    for path in segments(&b) {
        let text = fs::read_to_string(&path)
            .expect("read")
            .replace('\n', "\r\n");
        fs::write(&path, text).expect("written");
    }
    sync(&b);
    assert_eq!(digest(&a), digest(&b));
    assert_eq!(sync(&b)["events_written"], 0);
}

#[test]
fn a_file_before_which_others_are_missing_waits() {
    let (a, _) = two();
    a.json(&["add", "goal", "later"]);
    sync(&a);
    commit(&a, "more");
    let b = clone(&a);
    let first = segments(&b)
        .into_iter()
        .find(|path| {
            fs::read_to_string(path)
                .expect("read")
                .contains("shared goal")
        })
        .expect("one");
    let bytes = fs::read(&first).expect("read");
    fs::remove_file(&first).expect("removed");
    let graph = fs::read(b.file(".deciduous/graph.json")).expect("read");
    fs::remove_file(b.file(".deciduous/graph.json")).expect("removed");
    let (report, said) = complains(&b, &["sync"]);
    assert_eq!(report["problems"][0]["state"], "waiting");
    assert!(said.contains("events 1 to 4 are missing"), "{said}");
    fs::write(&first, bytes).expect("back");
    assert_eq!(sync(&b)["events_taken"], 5);
    assert_eq!(digest(&a), digest(&b));
    assert_eq!(
        fs::read(b.file(".deciduous/graph.json")).expect("read"),
        graph
    );
}

/// Copies a folder as `cp -r` does.
fn copied(from: &Folder) -> Folder {
    let to = Folder::empty();
    let from = format!("{}/.", from.path().display());
    let done = Command::new("cp")
        .args(["-r", &from])
        .arg(to.path())
        .status()
        .expect("cp starts");
    assert!(done.success());
    to
}

#[test]
#[cfg(unix)]
fn a_copied_project_goes_on_under_a_name_of_its_own() {
    let (a, b) = two();
    let copy = copied(&a);
    for (folder, title) in [(&a, "by the original"), (&copy, "by the copy")] {
        folder.json(&["add", "goal", title]);
        folder.json(&["edit", "2", "--title", title]);
        sync(folder);
        commit(folder, title);
    }
    for folder in [&a, &b] {
        let from = copy.path().to_str().expect("text");
        git(
            folder.path(),
            &["pull", "--quiet", "--no-rebase", "--no-edit", from, "main"],
        );
    }
    let report = sync(&a);
    assert_eq!(
        report["forks"].as_array().map(Vec::len),
        Some(1),
        "{report}"
    );
    assert!(report["renamed"].is_string());
    commit(&a, "both");
    a.json(&["add", "goal", "after that"]);
    sync(&a);
    commit(&a, "after");
    for folder in [&b, &copy] {
        sync(folder);
        commit(folder, "mine");
        git(
            folder.path(),
            &[
                "pull",
                "--quiet",
                "--no-rebase",
                "--no-edit",
                a.path().to_str().expect("text"),
                "main",
            ],
        );
        sync(folder);
        assert_eq!(sync(folder)["segments_read"], 0, "every file is known");
    }
    assert_eq!(digest(&a), digest(&b));
    assert_eq!(digest(&a), digest(&copy));
    for folder in [&a, &b, &copy] {
        let titles = titles(folder);
        assert!(
            ["by the original", "by the copy", "after that"]
                .iter()
                .all(|title| titles.contains(*title)),
            "{titles:?}"
        );
        assert_eq!(
            folder.json(&["events", "status", "--verify"])["verified"],
            true
        );
        assert_eq!(folder.json(&["events", "status"])["verified"], true);
    }
    // The way of the copy can be written again by the others.
    for path in segments(&b) {
        fs::remove_file(path).expect("removed");
    }
    sync(&b);
    let c = Folder::project();
    fs::create_dir_all(c.file(".deciduous/ledger")).expect("made");
    for path in segments(&b) {
        fs::copy(
            &path,
            c.file(".deciduous/ledger")
                .join(path.file_name().expect("a name")),
        )
        .expect("copied");
    }
    sync(&c);
    assert_eq!(digest(&c), digest(&a));
}

#[test]
fn syncs_at_once_and_writes_meanwhile_lose_nothing() {
    let a = repository();
    let mut children = Vec::new();
    for number in 0..6 {
        children.push(a.command(&["sync"]).spawn().expect("it starts"));
        children.push(
            a.command(&["add", "goal", &format!("goal {number}")])
                .spawn()
                .expect("it starts"),
        );
    }
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    sync(&a);
    assert_eq!(titles(&a).len(), 6);
    let b = Folder::project();
    fs::create_dir_all(b.file(".deciduous/ledger")).expect("made");
    for path in segments(&a) {
        fs::copy(
            &path,
            b.file(".deciduous/ledger")
                .join(path.file_name().expect("a name")),
        )
        .expect("copied");
    }
    assert_eq!(sync(&b)["events_taken"], 6);
    assert_eq!(digest(&a), digest(&b));
    let left = fs::read_dir(a.file(".deciduous")).expect("listed");
    assert!(
        left.map(|entry| entry.expect("listed").file_name())
            .all(|name| !name.to_string_lossy().starts_with(".new-"))
    );
}

#[test]
#[cfg(unix)]
fn a_sync_that_is_killed_leaves_whole_files_and_the_next_one_goes_on() {
    let (a, _) = two();
    for number in 0..12_u64 {
        a.json(&["add", "goal", &format!("goal {number}")]);
        let mut child = a.command(&["sync"]).spawn().expect("it starts");
        std::thread::sleep(std::time::Duration::from_millis(number * 3));
        // It may have ended already.
        let _ = child.kill();
        child.wait().expect("it ends");
        for path in segments(&a).iter().filter(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            name.ends_with(".jsonl")
        }) {
            assert!(fs::read(path).expect("read").ends_with(b"}\n"), "{path:?}");
        }
    }
    sync(&a);
    assert!(a.run(&["sync", "--check"]).status.success());
    commit(&a, "all");
    let b = clone(&a);
    assert_eq!(sync(&b)["problems"], json!([]));
    assert_eq!(digest(&a), digest(&b));
    assert_eq!(titles(&b).len(), 15);
}

#[test]
fn what_a_killed_process_left_is_cleared_away_when_it_is_old() {
    let (a, _) = two();
    let files = [".deciduous/.new-1-0", ".deciduous/ledger/.new-2-0"].map(|name| a.file(name));
    let young = a.file(".deciduous/ledger/.new-3-0");
    for path in files.iter().chain([&young]) {
        fs::write(path, "half").expect("written");
    }
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(7_200);
    for path in &files {
        let file = fs::File::options().write(true).open(path).expect("opened");
        file.set_modified(before).expect("aged");
    }
    assert_eq!(git(a.path(), &["status", "--porcelain"]), "");
    sync(&a);
    assert!(files.iter().all(|path| !path.exists()));
    assert!(young.exists(), "its writer may be at work");
}

#[test]
fn git_takes_what_is_everybodys_and_leaves_what_is_this_machines() {
    let (a, _) = two();
    fs::write(a.file("märz.md"), "Grüße").expect("written");
    a.json(&["doc", "attach", "1", "märz.md"]);
    a.json(&["add", "goal", "zufällig: 日本語 🌲"]);
    a.json(&["themes", "create", "größe"]);
    a.json(&["tag", "add", "4", "größe"]);
    sync(&a);
    commit(&a, "more");
    let there = git(a.path(), &["ls-files", ".deciduous"]);
    let is_there = |what: &str| there.lines().filter(|line| line.contains(what)).count();
    assert_eq!(is_there("/ledger/"), 2, "{there}");
    assert_eq!(is_there("/documents/"), 1, "{there}");
    assert_eq!(is_there("graph.json"), 1, "{there}");
    assert_eq!(is_there(".gitignore") + is_there(".gitattributes"), 2);
    assert_eq!(there.lines().count(), 6, "{there}");
    // Of a clone without history as much is there.
    let shallow = Folder::empty();
    let url = format!("file://{}", a.path().display());
    let flags = ["clone", "--quiet", "--depth", "1", &url, "."];
    git(shallow.path(), &flags);
    assert_eq!(sync(&shallow)["documents_missing"], json!([]));
    assert_eq!(digest(&a), digest(&shallow));
    assert!(titles(&shallow).contains("zufällig: 日本語 🌲"));
    assert_eq!(git(shallow.path(), &["status", "--porcelain"]), "");
    // Older programs had the whole folder left out.
    fs::write(a.file(".gitignore"), "# ours\n.deciduous/\n").expect("written");
    let report = sync(&a);
    assert_eq!(report["ignored_by"], ".gitignore:2:.deciduous/");
    assert!(out(&a.run(&["sync"])).contains(".gitignore:2:.deciduous/"));
    fs::write(a.file(".gitignore"), "*.jsonl\n!.deciduous/ledger/*\n").expect("written");
    assert_eq!(sync(&a)["ignored_by"], Value::Null);
}

#[test]
fn git_that_changes_line_ends_changes_nothing_here() {
    let (a, _) = two();
    a.json(&["add", "goal", "two lines"]);
    a.json(&["edit", "1", "--description", "one\ntwo\n"]);
    sync(&a);
    commit(&a, "more");
    let url = a.path().to_str().expect("text").to_owned();
    let crlf = ["-c", "core.autocrlf=true", "clone", "--quiet", &url, "."];
    let b = Folder::empty();
    git(b.path(), &crlf);
    assert!(!fs::read(&segments(&b)[0]).expect("read").contains(&b'\r'));
    // Where somebody took our attributes away.
    git(a.path(), &["rm", "--quiet", ".deciduous/.gitattributes"]);
    git(a.path(), &["commit", "--quiet", "-m", "no attributes"]);
    let c = Folder::empty();
    git(c.path(), &crlf);
    assert!(fs::read(&segments(&c)[0]).expect("read").contains(&b'\r'));
    assert!(
        fs::read(c.file(".deciduous/graph.json"))
            .expect("read")
            .contains(&b'\r')
    );
    for folder in [&b, &c] {
        let report = sync(folder);
        assert_eq!(
            (&report["problems"], &report["events_written"]),
            (&json!([]), &json!(0)),
            "{report}"
        );
        assert_eq!(digest(&a), digest(folder));
        assert_eq!(sync(folder)["segments_read"], 0, "every file is known");
    }
}

#[test]
fn a_graph_file_is_neither_read_nor_written_beside_a_ledger_with_a_hole() {
    let (a, _) = two();
    a.json(&["edit", "1", "--title", "the newer title"]);
    sync(&a);
    commit(&a, "newer");
    let newest = segments(&a)
        .into_iter()
        .find(|path| {
            fs::read_to_string(path)
                .expect("read")
                .contains("newer title")
        })
        .expect("one");
    // A clone whose newest segment is of a newer program, with a graph file from before.
    let b = clone(&a);
    let file = b
        .file(".deciduous/ledger")
        .join(newest.file_name().expect("a name"));
    let whole = fs::read(&file).expect("read");
    let text = String::from_utf8(whole.clone()).expect("text");
    fs::write(&file, text.replacen("\"version\":1", "\"version\":2", 1)).expect("written");
    git(
        b.path(),
        &[
            "checkout",
            "--quiet",
            "HEAD~1",
            "--",
            ".deciduous/graph.json",
        ],
    );
    let graph = fs::read(b.file(".deciduous/graph.json")).expect("read");
    let (report, said) = complains(&b, &["sync"]);
    assert_eq!(
        (&report["graph_file"], &report["imported"]["changed"]),
        (&json!("kept"), &json!(0))
    );
    assert!(
        said.contains("newer") && said.contains("version 2"),
        "{said}"
    );
    assert!(err(&b.run(&["sync"])).contains("use the newer program"));
    assert_eq!(
        fs::read(b.file(".deciduous/graph.json")).expect("read"),
        graph
    );
    fs::write(&file, whole).expect("mended");
    let report = sync(&b);
    assert_eq!(
        (
            &report["events_taken"],
            &report["imported"]["changed"],
            &report["events_written"]
        ),
        (&json!(1), &json!(0), &json!(0))
    );
    assert!(titles(&b).contains("the newer title"));
    assert_eq!(digest(&a), digest(&b));
}

#[test]
fn what_others_wrote_for_git_is_kept() {
    let folder = Folder::empty();
    fs::create_dir(folder.file(".deciduous")).expect("made");
    fs::write(folder.file(".deciduous/.gitignore"), "mine\n/cache/").expect("written");
    assert!(folder.run(&["init"]).status.success());
    let text = fs::read_to_string(folder.file(".deciduous/.gitignore")).expect("read");
    assert!(
        text.starts_with("mine\n/cache/\n")
            && text.contains("\n*.db-*\n")
            && text.matches("/cache/").count() == 1,
        "{text}"
    );
    sync(&folder);
    assert_eq!(
        fs::read_to_string(folder.file(".deciduous/.gitignore")).expect("read"),
        text
    );
    assert!(
        fs::read_to_string(folder.file(".deciduous/.gitattributes"))
            .expect("read")
            .contains("/graph.json -text merge=union")
    );
}

/// A file as the public tool writes it: pretty, without a mark of ours.
fn older(nodes: &[(u32, &str)]) -> String {
    let nodes: Vec<Value> = nodes
        .iter()
        .map(|(id, title)| {
            json!({"id": id, "change_id": format!("00000000-0000-4000-8000-{id:012}"), "node_type": "goal", "title": title, "description": null,
                "status": "pending", "created_at": "2025-12-05T17:09:17.953137-05:00", "updated_at": "2025-12-05T17:09:17.953137-05:00", "metadata_json": null})
        })
        .collect();
    serde_json::to_string_pretty(&json!({"nodes": nodes, "edges": []})).expect("JSON")
}

#[test]
fn a_graph_file_of_an_older_program_is_taken_in_once() {
    let a = repository();
    a.json(&["add", "goal", "here already"]);
    let file = a.file(".deciduous/graph.json");
    fs::write(&file, older(&[(1, "old one"), (2, "old two")])).expect("written");
    assert_eq!(sync(&a)["imported"], json!({"added": 2, "changed": 0}));
    assert_eq!(titles(&a).len(), 3);
    assert_eq!(sync(&a)["imported"]["added"], 0);
    let now = fs::read_to_string(&file).expect("read");
    assert!(now.starts_with("{\"nodes\":[\n") && now.contains("2025-12-05T17:09:17.953137-05:00"));
    // A colleague with the older program goes on.
    fs::write(
        &file,
        older(&[(1, "old one"), (2, "old two, changed"), (3, "old three")]),
    )
    .expect("written");
    assert_eq!(sync(&a)["imported"], json!({"added": 1, "changed": 1}));
    // Two of them, half merged.
    let (one, two) = (
        older(&[(1, "old one"), (4, "four")]),
        older(&[(1, "old one"), (5, "five")]),
    );
    fs::write(
        &file,
        format!("<<<<<<< HEAD\n{one}\n=======\n{two}\n>>>>>>> other\n"),
    )
    .expect("written");
    assert_eq!(sync(&a)["imported"]["added"], 2);
    assert_eq!(titles(&a).len(), 6);
    // Damage is never read as empty, and never written over.
    for (text, place) in [
        ("", "line 1"),
        ("{\"nodes\": [\n", "line"),
        ("<<<<<<< HEAD\n{}\n", "line"),
        ("{\"edges\": []}", "nodes"),
    ] {
        fs::write(&file, text).expect("damaged");
        a.json(&["add", "goal", &format!("while damaged {}", text.len())]);
        let (report, said) = complains(&a, &["sync"]);
        assert!(
            said.contains("graph.json") && said.contains(place),
            "{text}: {said}"
        );
        assert_eq!(
            (&report["graph_file"], &report["events_written"]),
            (&json!("kept"), &json!(1))
        );
        assert_eq!(fs::read_to_string(&file).expect("read"), text);
        complains(&a, &["sync", "--check"]);
    }
    fs::remove_file(&file).expect("removed");
    assert_eq!(sync(&a)["graph_file"], "written");
}

/// Files that published versions of the public tool wrote; those of the oldest have no identities.
#[test]
fn graph_files_of_published_versions_are_taken_in_the_same_by_both() {
    for version in ["0.1.0", "1.1.0"] {
        let old = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../tests/old-stores/{version}.json"));
        let told: Value = serde_json::from_slice(&fs::read(&old).expect("read")).expect("JSON");
        let a = repository();
        commit(&a, "begin");
        let b = clone(&a);
        for folder in [&a, &b] {
            fs::copy(&old, folder.file(".deciduous/graph.json")).expect("copied");
            let added = sync(folder)["imported"]["added"].as_u64().expect("a count");
            assert!(added >= 9, "{version}: {added}");
            commit(folder, "taken in");
        }
        let from = b.path().to_str().expect("text");
        git(
            a.path(),
            &["pull", "--quiet", "--no-rebase", "--no-edit", from, "main"],
        );
        let report = sync(&a);
        assert_eq!(
            (&report["problems"], &report["conflicts_decided"]),
            (&json!([]), &json!(0)),
            "{version}: {report}"
        );
        let counts = a.json(&["digest"]);
        for list in ["nodes", "edges"] {
            let all = told[list].as_array().map(Vec::len);
            assert_eq!(
                counts[list].as_u64(),
                all.map(|all| all as u64),
                "{version}"
            );
        }
        commit(&a, "both");
        git(
            b.path(),
            &["pull", "--quiet", a.path().to_str().expect("text"), "main"],
        );
        sync(&b);
        assert_eq!(digest(&a), digest(&b), "{version}");
    }
}

/// A `graph.json` of the public tool, from a real project.
#[test]
#[ignore = "needs DECIDUOUS_HISTORY"]
fn a_real_history_is_shared() {
    let history = std::env::var("DECIDUOUS_HISTORY").expect("DECIDUOUS_HISTORY names the file");
    let a = repository();
    fs::copy(&history, a.file(".deciduous/graph.json")).expect("copied");
    let told: Value = serde_json::from_slice(&fs::read(&history).expect("read")).expect("JSON");
    sync(&a);
    commit(&a, "taken in");
    let b = clone(&a);
    assert_eq!(sync(&b)["problems"], json!([]));
    assert_eq!(digest(&a), digest(&b));
    let counts = b.json(&["digest"]);
    assert_eq!(
        counts["nodes"],
        told["nodes"].as_array().map(Vec::len).unwrap_or_default()
    );
    assert_eq!(git(b.path(), &["status", "--porcelain"]), "");
}

#[test]
fn missing_documents_are_reported() {
    let (a, _) = two();
    fs::write(a.file("notes.md"), "notes").expect("written");
    a.json(&["doc", "attach", "1", "notes.md"]);
    assert_eq!(sync(&a)["documents_missing"], json!([]));
    fs::remove_dir_all(a.file(".deciduous/documents")).expect("removed");
    let report = sync(&a);
    assert_eq!(report["documents_missing"][0]["path"], "notes.md");
    assert!(out(&a.run(&["sync"])).contains("notes.md"));
}
