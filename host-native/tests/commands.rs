//! Every command that users know, with its flags, on the real binary: what it was for has happened.

mod common;

use common::{Folder, err, out};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// A project in a git repository with one commit, on the branch `feat/search`.
fn repository() -> (Folder, String) {
    let folder = Folder::empty();
    let git = |words: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(words)
            .current_dir(folder.path())
            .output()
            .expect("git is there");
        assert!(output.status.success(), "{words:?}: {}", err(&output));
        out(&output).trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["checkout", "-q", "-b", "feat/search"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    let head = git(&["rev-parse", "HEAD"]);
    assert!(folder.run(&["init"]).status.success());
    (folder, head)
}

/// A small graph: a goal with two options, a decision, an action, an outcome, and an observation of its own.
fn graph() -> Folder {
    let folder = Folder::project();
    for words in [
        ["add", "goal", "Find things", "-b", "main"].as_slice(),
        &["add", "option", "Postings", "-b", "main"],
        &["add", "option", "Grep", "-b", "main"],
        &["add", "decision", "How to search", "-b", "main", "-c", "80"],
        &[
            "add",
            "action",
            "Index titles",
            "-b",
            "feat/search",
            "-f",
            "src/index.rs",
        ],
        &["add", "outcome", "Answers in 40 ms", "-b", "feat/search"],
        &["add", "observation", "Titles are short"],
        &["link", "1", "2"],
        &["link", "1", "3"],
        &["link", "2", "4", "-t", "chosen", "-r", "fast"],
        &["link", "3", "4", "-t", "rejected", "-r", "slow"],
        &["link", "4", "5"],
        &["link", "5", "6"],
        &["status", "6", "completed"],
    ] {
        folder.json(words);
    }
    folder
}

fn ids(list: &Value) -> Vec<u64> {
    let all = list.as_array().expect("a list").iter();
    all.map(|one| one["id"].as_u64().expect("an id")).collect()
}

fn fails(folder: &Folder, words: &[&str], exit: i32, said: &str) {
    let output = folder.run(words);
    assert_eq!(
        output.status.code(),
        Some(exit),
        "{words:?}: {}",
        err(&output)
    );
    assert!(output.stdout.is_empty(), "{words:?}: {}", out(&output));
    assert!(err(&output).contains(said), "{words:?}: {}", err(&output));
}

#[test]
fn add_takes_every_flag() {
    let (folder, head) = repository();
    let added = folder.json(&[
        "add",
        "goal",
        "Find things",
        "-d",
        "in titles",
        "-c",
        "90",
        "-p",
        "make it findable",
        "-f",
        "src/a.rs,src/b.rs",
        "--commit",
        "HEAD",
        "--date",
        "2024-03-01",
    ]);
    assert_eq!(added["id"], 1);
    let shown = folder.json(&["show", "1"]);
    for (field, value) in [
        ("node_type", json!("goal")),
        ("title", json!("Find things")),
        ("description", json!("in titles")),
        ("confidence", json!(90)),
        ("prompt", json!("make it findable")),
        ("files", json!(["src/a.rs", "src/b.rs"])),
        ("commit", json!(head)),
        ("branch", json!("feat/search")),
        ("status", json!("pending")),
    ] {
        assert_eq!(shown[field], value, "{field}");
    }
    let created = shown["created_at"].as_str().expect("a time");
    assert!(created.starts_with("2024-03-01T00:00:00"), "{created}");

    folder.json(&["add", "action", "x", "-b", "elsewhere"]);
    assert_eq!(folder.json(&["show", "2"])["branch"], "elsewhere");
    folder.json(&["add", "action", "y", "--no-branch"]);
    assert_eq!(folder.json(&["show", "3"]).get("branch"), None);
    let fed = folder.fed(&["add", "goal", "z", "--prompt-stdin"], "two\nlines\n");
    assert!(fed.status.success(), "{}", err(&fed));
    assert_eq!(folder.json(&["show", "4"])["prompt"], "two\nlines");
    // The same key is the same write.
    let again = ["add", "goal", "once", "--idempotency-key", "k"];
    assert_eq!(folder.json(&again)["id"], 5);
    assert_eq!(folder.json(&again)["id"], 5);

    fails(
        &folder,
        &["add", "goal", "x", "--date", "2999-01-01"],
        2,
        "date",
    );
    fails(&folder, &["add", "goal", "x", "--date", "soon"], 2, "date");
    fails(&folder, &["add", "goal", "x", "-c", "101"], 2, "confidence");
    fails(&folder, &["add", "wish", "x"], 2, "wish");
    fails(&folder, &["add", "goal"], 2, "TITLE");
    fails(
        &folder,
        &["add", "goal", "x", "-b", "y", "--no-branch"],
        2,
        "--no-branch",
    );
}

#[test]
fn nodes_and_edges_are_changed_and_taken_away() {
    let folder = graph();
    let edge = folder.json(&["link", "7", "5", "-r", "it helps", "-t", "enables"]);
    assert_eq!(edge["edge_type"], "enables");
    let edges = folder.json(&["edges", "--node", "7"]);
    assert_eq!(edges["edges"][0]["rationale"], "it helps");
    assert_eq!(folder.json(&["edges"])["total"], 7);
    folder.json(&["unlink", "7", "5", "-t", "enables"]);
    assert_eq!(folder.json(&["edges"])["total"], 6);
    fails(&folder, &["unlink", "7", "5"], 3, "");
    fails(&folder, &["link", "1", "1"], 4, "");
    fails(&folder, &["link", "2", "1"], 4, "");
    fails(&folder, &["link", "1", "99"], 3, "99");

    assert_eq!(folder.json(&["status", "1", "active"])["status"], "active");
    assert_eq!(folder.json(&["show", "1"])["status"], "active");
    fails(&folder, &["status", "1", "done-ish"], 2, "done-ish");
    folder.json(&["prompt", "1", "why it is"]);
    assert_eq!(folder.json(&["show", "1"])["prompt"], "why it is");
    let fed = folder.fed(&["prompt", "1", "--prompt-stdin"], "fed\n");
    assert!(fed.status.success(), "{}", err(&fed));
    assert_eq!(folder.json(&["show", "1"])["prompt"], "fed");

    folder.json(&[
        "edit",
        "3",
        "-t",
        "Scan",
        "-d",
        "all files",
        "-c",
        "20",
        "-f",
        "a.rs",
        "-s",
        "rejected",
        "--branch",
        "main",
        "--metadata-merge",
        "{\"owner\":\"kim\"}",
    ]);
    let edited = folder.json(&["show", "3"]);
    assert_eq!(edited["title"], "Scan");
    assert_eq!(edited["description"], "all files");
    assert_eq!(edited["confidence"], 20);
    assert_eq!(edited["files"], json!(["a.rs"]));
    assert_eq!(edited["status"], "rejected");
    assert_eq!(edited["metadata"]["owner"], "kim");

    let preview = folder.json(&["delete", "4", "--dry-run"]);
    assert_eq!(
        (&preview["dry_run"], &preview["total_edges"]),
        (&json!(true), &json!(3))
    );
    assert_eq!(folder.json(&["show", "4"])["id"], 4);
    assert_eq!(folder.json(&["delete", "4"])["deleted"], true);
    fails(&folder, &["show", "4"], 3, "deleted");
    assert_eq!(folder.json(&["edges"])["total"], 3);
}

#[test]
fn what_is_there_is_listed_found_and_walked() {
    let folder = graph();
    folder.json(&["themes", "create", "speed"]);
    folder.json(&["tag", "add", "5", "speed"]);
    for (flags, found) in [
        (["-t", "option"].as_slice(), [3, 2].as_slice()),
        (&["-b", "feat/search"], &[6, 5]),
        (&["--status", "completed"], &[6]),
        (&["--theme", "speed"], &[5]),
        (&["-b", "main", "-t", "goal"], &[1]),
    ] {
        let nodes = folder.json(&[["nodes"].as_slice(), flags].concat());
        let set = |ids: &[u64]| ids.iter().copied().collect::<BTreeSet<u64>>();
        assert_eq!(set(&ids(&nodes["nodes"])), set(found), "{flags:?}");
    }
    fails(&folder, &["nodes", "--theme", "sped"], 3, "speed");
    fails(&folder, &["nodes", "--status", "sleepy"], 2, "sleepy");

    assert_eq!(
        folder.json(&["show", "#4"])["incoming"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    let graph = folder.json(&["graph"]);
    assert_eq!(
        (&graph["total_nodes"], &graph["total_edges"]),
        (&json!(7), &json!(6))
    );
    assert_eq!(ids(&folder.json(&["search", "index"])["nodes"]), [5]);
    assert_eq!(
        ids(&folder.json(&["search", "titles", "-t", "observation"])["nodes"]),
        [7]
    );
    assert_eq!(
        ids(&folder.json(&["search", "titles", "-b", "feat/search", "-n", "1"])["nodes"]),
        [5]
    );

    let down = folder.json(&["trace", "1", "--direction", "outgoing", "--depth", "1"]);
    assert_eq!(ids(&down["nodes"]), [1, 2, 3]);
    assert_eq!(
        ids(&folder.json(&["trace", "4", "-d", "1"])["nodes"]).len(),
        4
    );
    assert_eq!(
        ids(&folder.json(&["ancestors", "6", "-d", "1"])["nodes"]).last(),
        Some(&5)
    );
    assert_eq!(
        ids(&folder.json(&["descendants", "5"])["nodes"]).last(),
        Some(&6)
    );
    let context = folder.json(&["context", "4"]);
    assert_eq!(ids(&context["parents"]), [2, 3]);
    assert_eq!(ids(&context["children"]), [5]);

    let newest = folder.json(&["archaeology", "timeline", "-n", "2"]);
    assert_eq!(ids(&newest["nodes"]), [7, 6]);
    assert_eq!(
        ids(&folder.json(&["archaeology", "timeline", "-t", "goal"])["nodes"]),
        [1]
    );
    assert_eq!(
        ids(&folder.json(&["archaeology", "timeline", "-b", "feat/search"])["nodes"]),
        [6, 5]
    );
    let later = folder.json(&["archaeology", "timeline", "--since", "2999-01-01"]);
    assert_eq!(later["total"], 0);
    fails(
        &folder,
        &["archaeology", "timeline", "--since", "soon"],
        2,
        "soon",
    );

    let pulse = folder.json(&["pulse"]);
    assert_eq!(pulse["total_nodes"], 7);
    assert_ne!(pulse["recent"], json!([]));
    let summary = folder.json(&["pulse", "--summary"]);
    assert_eq!(summary["total_nodes"], 7);
    assert_eq!(summary["recent"], json!([]));
    assert_eq!(
        folder.json(&["pulse", "-b", "feat/search"])["total_nodes"],
        2
    );
    let orphans = folder.json(&["orphans"]);
    assert_eq!(ids(&orphans["orphans"]), [7]);
    let branch = folder.json(&["branch", "main"]);
    assert_eq!(branch["decisions_total"], 1);
    let told = out(&folder.run(&["branch", "feat/search"]));
    assert!(told.contains("2 nodes, 1 edge"), "{told}");
    fails(&folder, &["branch", "no-such"], 3, "");
    let asked = folder.json(&["ask", "how to search", "--context", "-n", "5"]);
    assert_ne!(asked["results"], json!([]));
    let activity = folder.json(&["activity"]);
    assert_ne!(activity["branches"], json!([]));
}

#[test]
fn sessions_begin_end_and_go_on() {
    let folder = Folder::project();
    let started = folder.json(&[
        "session",
        "start",
        "auth",
        "Refactor auth",
        "-p",
        "make it OAuth",
    ]);
    assert_eq!(started["session_id"], 1);
    assert_eq!(folder.json(&["show", "1"])["prompt"], "make it OAuth");
    folder.json(&["add", "option", "A", "--session-id", "1"]);
    let by_variable = folder
        .command(&["add", "option", "B"])
        .env("DECIDUOUS_SESSION", "1")
        .output()
        .expect("it runs");
    assert!(by_variable.status.success(), "{}", err(&by_variable));
    folder.json(&["add", "option", "outside"]);
    let shown = folder.json(&["session", "show", "1"]);
    assert_eq!(ids(&shown["nodes"]), [1, 2, 3]);
    let ended = folder.json(&["session", "end", "1", "-s", "OAuth works"]);
    assert_eq!(ended["summary"], "OAuth works");
    assert_eq!(folder.json(&["session", "list", "--active"])["total"], 0);
    assert_eq!(folder.json(&["session", "list"])["total"], 1);
    assert_eq!(folder.json(&["session", "resume", "1"])["active"], true);
    assert_eq!(folder.json(&["session", "list", "--active"])["total"], 1);
    fails(&folder, &["session", "resume", "9"], 3, "9");
    fails(&folder, &["session", "show"], 2, "open are 1");
}

#[test]
fn themes_are_made_given_listed_and_deleted() {
    let folder = graph();
    let made = folder.json(&[
        "themes", "create", "speed", "-c", "#0b7285", "-d", "how fast",
    ]);
    assert_eq!(
        (&made["color"], &made["description"]),
        (&json!("#0b7285"), &json!("how fast"))
    );
    assert_eq!(folder.json(&["themes", "list"])["total"], 1);
    folder.json(&["tag", "add", "1", "speed"]);
    folder.json(&["tag", "add", "6", "speed"]);
    assert_eq!(folder.json(&["show", "1"])["themes"], json!(["speed"]));
    assert_eq!(folder.json(&["tag", "list"])["total"], 2);
    assert_eq!(
        folder.json(&["tag", "list", "6"])["tags"][0]["theme"],
        "speed"
    );
    folder.json(&["tag", "remove", "6", "speed"]);
    assert_eq!(folder.json(&["tag", "list", "6"])["total"], 0);
    fails(&folder, &["tag", "add", "1", "sped"], 3, "speed");
    let kept = folder.json(&["themes", "create", "No Good"]);
    assert_eq!(kept["name"], "no-good");
    folder.json(&["themes", "delete", "no-good"]);
    fails(&folder, &["themes", "create", "!"], 2, "name");
    assert_eq!(
        folder.json(&["themes", "delete", "speed", "--dry-run"])["untagged"],
        json!([1])
    );
    assert_eq!(folder.json(&["themes", "list"])["total"], 1);
    assert_eq!(folder.json(&["themes", "delete", "speed"])["deleted"], true);
    assert_eq!(folder.json(&["themes", "list"])["total"], 0);
    assert_eq!(folder.json(&["show", "1"])["themes"], json!([]));
    fails(&folder, &["themes", "delete", "speed"], 3, "");
}

#[test]
fn files_are_attached_shown_described_and_detached() {
    let folder = graph();
    let name = "mesures é 漢字.txt";
    fs::write(folder.file(name), "40 ms\n").expect("written");
    let attached = folder.json(&["doc", "attach", "6", name, "-d", "the measures"]);
    assert_eq!(
        (&attached["id"], &attached["name"]),
        (&json!(1), &json!(name))
    );
    let listed = folder.json(&["doc", "list", "6"]);
    assert_eq!(listed["documents"][0]["description"], "the measures");
    assert_eq!(folder.json(&["doc", "list"])["total"], 1);
    assert_eq!(folder.json(&["doc", "list", "1"])["total"], 0);
    assert_eq!(out(&folder.run(&["doc", "show", "1"])), "40 ms\n");
    let written = folder.run(&["doc", "show", "1", "-o", "copié.txt"]);
    assert!(
        written.status.success() && written.stdout.is_empty(),
        "{}",
        err(&written)
    );
    assert_eq!(
        fs::read(folder.file("copié.txt")).expect("there"),
        b"40 ms\n"
    );
    let told = folder.json(&["doc", "show", "1"]);
    let blob = fs::read(told["blob"].as_str().expect("a path")).expect("there");
    assert_eq!(blob, b"40 ms\n");
    assert_eq!(folder.json(&["doc", "info", "1"])["sha256"], told["sha256"]);
    folder.json(&["doc", "describe", "1", "before and after"]);
    assert_eq!(
        folder.json(&["doc", "info", "1"])["description"],
        "before and after"
    );
    fails(&folder, &["doc", "open", "1"], 2, "doc show 1 -o");

    assert_eq!(folder.json(&["doc", "blobs"])["total"], 1);
    assert_eq!(folder.json(&["doc", "gc"])["removed"], json!([]));
    folder.json(&["doc", "detach", "1"]);
    assert_eq!(folder.json(&["doc", "list"])["total"], 0);
    let would = folder.json(&["doc", "gc", "--dry-run"]);
    assert_eq!(would["removed"][0]["sha256"], told["sha256"]);
    assert_eq!(would["bytes"], 6);
    folder.json(&["doc", "gc"]);
    assert!(!fs::exists(told["blob"].as_str().expect("a path")).expect("asked"));
    fails(&folder, &["doc", "show", "1"], 3, "detached");
    fails(&folder, &["doc", "detach", "1"], 3, "detached");
    fails(&folder, &["doc", "show", "9"], 3, "9");
    fails(
        &folder,
        &["doc", "attach", "6", "missing.txt"],
        3,
        "missing.txt",
    );
    fails(&folder, &["doc", "attach", "6", "/etc/hostname"], 4, "");
}

/// What is kept for one database is not thrown away because another one beside it does not know it.
#[test]
fn bytes_are_collected_only_where_one_database_uses_them() {
    let folder = graph();
    fs::write(folder.file("a.txt"), "a").expect("written");
    folder.json(&["doc", "attach", "6", "a.txt"]);
    let other = folder.file(".deciduous/other.db");
    let other = other.to_str().expect("UTF-8");
    folder.json(&["--db", other, "add", "goal", "x"]);
    fails(&folder, &["--db", other, "doc", "gc"], 4, "beside");
    assert_eq!(out(&folder.run(&["doc", "show", "1"])), "a");
    // What an upgrade left is a copy of this one.
    let copy = folder.file(".deciduous/deciduous.before-upgrade.db");
    fs::rename(other, copy).expect("moved");
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{other}{ending}"));
    }
    assert_eq!(folder.json(&["doc", "gc"])["kept"], 1);
}

/// A document is only what was attached: bytes that were changed since are refused.
#[test]
fn bytes_that_were_changed_are_not_passed_off() {
    let folder = graph();
    fs::write(folder.file("a.txt"), "a").expect("written");
    folder.json(&["doc", "attach", "6", "a.txt"]);
    let blob = folder.json(&["doc", "show", "1"])["blob"].clone();
    let blob = blob.as_str().expect("a path");
    fs::remove_file(blob).expect("removed");
    fails(&folder, &["doc", "show", "1"], 3, "not here");
    fs::write(blob, "b").expect("written");
    fails(
        &folder,
        &["doc", "show", "1", "-o", "out.txt"],
        1,
        "changed",
    );
    assert!(!folder.file("out.txt").exists());
}

#[test]
fn pictures_and_writeups_take_every_flag() {
    let folder = graph();
    let dot = out(&folder.run(&["dot", "-t", "Mine", "--rankdir", "LR", "-n", "1-2,4"]));
    assert!(dot.contains("Mine") && dot.contains("rankdir=LR"), "{dot}");
    let drawn = folder.json(&["dot", "-n", "1-2,4"]);
    assert_eq!(
        (&drawn["node_count"], &drawn["edge_count"]),
        (&json!(3), &json!(2))
    );
    assert_eq!(folder.json(&["dot", "-r", "4"])["node_count"], 3);
    fails(&folder, &["dot", "--rankdir", "UP"], 2, "UP");
    fails(&folder, &["dot", "-n", "9-1"], 2, "9-1");

    let written = folder.run(&["writeup", "-t", "Search by title", "-r", "1", "-o", "pr.md"]);
    assert!(
        written.status.success() && written.stdout.is_empty(),
        "{}",
        err(&written)
    );
    let whole = fs::read_to_string(folder.file("pr.md")).expect("written");
    assert!(whole.starts_with("# Search by title\n"), "{whole}");
    assert!(
        whole.contains("```dot") && whole.contains("Test plan"),
        "{whole}"
    );
    // It is written over, and nothing of the longer one is left.
    let bare = [
        "writeup",
        "-r",
        "1",
        "--no-dot",
        "--no-test-plan",
        "-o",
        "pr.md",
    ];
    assert!(folder.run(&bare).status.success());
    let bare = fs::read_to_string(folder.file("pr.md")).expect("written");
    assert!(
        !bare.contains("```dot") && !bare.contains("Test plan"),
        "{bare}"
    );
    assert!(
        !whole.contains("\n\n\n") && !bare.contains("\n\n\n"),
        "{whole}"
    );
    assert_eq!(folder.json(&["writeup", "-n", "1-4"])["node_count"], 4);
}

#[test]
fn a_change_of_course_is_one_write() {
    let folder = graph();
    let before = folder.json(&["digest"]);
    let pivot = [
        "archaeology",
        "pivot",
        "4",
        "Postings cost memory",
        "Bloom filters",
    ];
    let flags = [
        "-c",
        "85",
        "-r",
        "it grew",
        "-d",
        "one a file",
        "-b",
        "main",
        "--date",
        "2024-03-01",
    ];
    let tried = folder.json(&[pivot.as_slice(), &flags, &["--dry-run"]].concat());
    assert_eq!(tried["dry_run"], true);
    assert_eq!(folder.json(&["digest"]), before);
    let done = folder.json(&[pivot.as_slice(), &flags].concat());
    let decision = done["decision"]["id"].as_u64().expect("an id").to_string();
    let shown = folder.json(&["show", &decision]);
    assert_eq!(
        (&shown["confidence"], &shown["description"]),
        (&json!(85), &json!("one a file"))
    );
    assert_eq!(shown["branch"], "main");
    assert!(
        shown["created_at"]
            .as_str()
            .is_some_and(|at| at.starts_with("2024-03-01"))
    );
    assert_eq!(folder.json(&["show", "4"])["status"], "superseded");
    fails(&folder, &pivot, 5, "superseded already");

    let tried = folder.json(&["archaeology", "supersede", "2", "--cascade", "--dry-run"]);
    assert_ne!(tried["superseded"], json!([]));
    assert_eq!(folder.json(&["show", "2"])["status"], "pending");
    folder.json(&["archaeology", "supersede", "2", "3", "-r", "grep is enough"]);
    assert_eq!(folder.json(&["show", "2"])["status"], "superseded");
    let out_of = folder.json(&["show", "2"])["outgoing"].to_string();
    assert!(
        out_of.contains("supersedes") && out_of.contains("grep is enough"),
        "{out_of}"
    );
    fails(&folder, &["archaeology", "supersede", "99"], 3, "99");
}

#[test]
fn what_happened_is_captured_and_told() {
    let folder = graph();
    let seen = folder.json(&[
        "log",
        "observation",
        "Tokens leak",
        "-d",
        "into the log",
        "-r",
        "1",
        "-t",
        "safety",
        "-b",
        "main",
    ]);
    assert_eq!(seen["tags"], json!(["safety"]));
    let decided = folder.json(&[
        "log",
        "decision",
        "How to keep sessions",
        "Cookies",
        "--rejected",
        "Tokens",
        "-r",
        "no scripts",
        "-p",
        "1",
        "-c",
        "70",
    ]);
    assert_eq!(decided["rejected"].as_array().map(Vec::len), Some(1));
    let turn = folder.json(&[
        "log",
        "turn",
        "We settled the cache",
        "--goal",
        "Fast reads",
        "--option",
        "Redis",
        "--option",
        "In memory, now",
        "--decision",
        "Which cache",
        "--chosen",
        "In memory, now",
        "--outcome",
        "Done",
    ]);
    assert!(
        turn["nodes"].to_string().contains("In memory, now"),
        "{turn}"
    );
    let closed = folder.json(&[
        "close",
        "Search works",
        "-p",
        "5",
        "-g",
        "1",
        "--lesson",
        "Index early",
        "--follow-up",
        "Rank by age",
    ]);
    assert_eq!(closed["lessons"].as_array().map(Vec::len), Some(1));
    assert_eq!(folder.json(&["show", "1"])["status"], "completed");

    let log = folder.json(&["log", "-n", "5"]);
    assert_eq!(log["events"].as_array().map(Vec::len), Some(5));
    let of_one = folder.json(&["log", "6"]);
    assert!(
        of_one["events"].to_string().contains("completed"),
        "{of_one}"
    );
    let by = folder
        .command(&["add", "goal", "Mine"])
        .env("DECIDUOUS_ACTOR", "kim")
        .output()
        .expect("it runs");
    assert!(by.status.success());
    assert_eq!(folder.json(&["log", "--actor", "kim"])["count"], 1);
    assert_eq!(folder.json(&["log", "--since", "2999-01-01"])["count"], 0);
    fails(&folder, &["log", "--since", "soon"], 2, "soon");
    fails(&folder, &["log", "99"], 3, "99");
    let events = folder.json(&["events", "status", "--verify"]);
    assert_eq!(
        (&events["verified"], &events["breaks"]),
        (&json!(true), &json!([]))
    );
}

#[test]
fn a_backup_is_a_database_of_its_own() {
    let folder = graph();
    let usual = folder.json(&["backup"]);
    let usual = usual["path"].as_str().expect("a path").to_owned();
    assert!(usual.contains("backups"), "{usual}");
    assert_eq!(folder.json(&["--db", &usual, "nodes"])["total"], 7);
    assert_ne!(folder.json(&["backup"])["path"], json!(usual));

    folder.json(&["backup", "-o", "copy.db"]);
    folder.json(&["add", "goal", "Later"]);
    assert_eq!(folder.json(&["--db", "copy.db", "nodes"])["total"], 7);
    // A copy is written over by a newer one; what is no copy is not.
    assert_eq!(folder.json(&["backup", "-o", "copy.db"])["replaced"], true);
    assert_eq!(folder.json(&["--db", "copy.db", "nodes"])["total"], 8);
    fs::write(folder.file("notes.md"), "mine").expect("written");
    fails(&folder, &["backup", "-o", "notes.md"], 4, "notes.md");
    assert_eq!(fs::read(folder.file("notes.md")).expect("there"), b"mine");
    fails(
        &folder,
        &["backup", "-o", ".deciduous/deciduous.db"],
        4,
        "itself",
    );
    fails(
        &folder,
        &["backup", "-o", "no/such/copy.db"],
        1,
        "no/such/copy.db",
    );
    assert_eq!(folder.json(&["nodes"])["total"], 8);
    let left: Vec<_> = fs::read_dir(folder.path())
        .expect("read")
        .flatten()
        .collect();
    let names: BTreeSet<String> = left
        .iter()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        names,
        [".deciduous", "copy.db", "notes.md"]
            .map(str::to_owned)
            .into()
    );
}

#[test]
fn a_graph_goes_out_as_a_whole_or_a_branch() {
    let folder = graph();
    let whole = folder.run(&["export", "-o", "graph.json"]);
    assert!(
        whole.status.success() && whole.stdout.is_empty(),
        "{}",
        err(&whole)
    );
    let other = Folder::project();
    let path = folder.file("graph.json");
    let path = path.to_str().expect("UTF-8");
    let tried = other.json(&["import", path, "--dry-run"]);
    assert_eq!(tried["dry_run"], true);
    assert_eq!(other.json(&["nodes"])["total"], 0);
    assert_eq!(other.json(&["import", path])["dropped"], 0);
    assert_eq!(other.json(&["nodes"])["total"], 7);
    assert_eq!(other.json(&["edges"])["total"], 6);
    let part = folder.json(&["export", "--branch", "feat/search"]);
    assert_eq!(ids(&part["nodes"]), [5, 6]);
}

#[test]
fn a_tool_is_called_by_its_name() {
    let folder = graph();
    let called = folder.json(&["call", "show_node", "{\"node_id\": 1}"]);
    assert_eq!(called["title"], "Find things");
    assert_eq!(folder.json(&["tools", "show_node"])["name"], "show_node");
    fails(&folder, &["call", "show_nod"], 3, "show_node");
    fails(
        &folder,
        &["call", "show_node", "{\"node\": 1}"],
        2,
        "node_id",
    );
}
