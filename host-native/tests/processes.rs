//! Several processes on one store, and processes that die.
//!
//! A child is this test program itself, started again with `CHILD` in its environment.

use deciduous::{Access, Call, Host, Outcome, Project};
use deciduous_boundary::{Actor, ActorKind, Done, ViewMode};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn done(host: &mut Host, tool: &str, args: &Value) -> Box<Done> {
    let call = Call {
        toolset: "local",
        tool,
        args: to_raw_value(args).expect("JSON"),
        caller: Actor {
            name: "tester".into(),
            kind: ActorKind::Agent,
        },
        kept: BTreeMap::new(),
        view: ViewMode::None,
        workspace: None,
    };
    match host.call(&call).expect("no failure") {
        Outcome::Done(done) => done,
        Outcome::Refused(refusal) => panic!("refused: {refusal:?}"),
    }
}

fn add(host: &mut Host, title: &str) -> Value {
    let done = done(
        host,
        "add_node",
        &json!({ "node_type": "observation", "title": title, "branch": "" }),
    );
    serde_json::from_str(done.output.get()).expect("JSON")
}

fn child(test: &str, root: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env("CHILD", name)
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .expect("started")
}

/// The child's part, where this process is one.
fn as_child(part: impl FnOnce(&mut Host, &str)) -> bool {
    let Ok(name) = std::env::var("CHILD") else {
        return false;
    };
    let project = Project::find(None).expect("made by the parent");
    part(
        &mut Host::open(&project, Access::Write).expect("opened"),
        &name,
    );
    true
}

fn project() -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, _) = Project::init(folder.path()).expect("made");
    (folder, project)
}

/// Every title that is stored, with how often.
fn titles(project: &Project) -> BTreeMap<String, usize> {
    let store = rusqlite::Connection::open(&project.database).expect("opened");
    let mut statement = store.prepare("SELECT title FROM node").expect("SQL");
    let found = statement
        .query_map([], |row| row.get::<_, String>(0))
        .expect("rows");
    let mut titles = BTreeMap::new();
    for title in found {
        *titles.entry(title.expect("text")).or_default() += 1;
    }
    let check: String = store
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("checked");
    assert_eq!(check, "ok");
    titles
}

#[test]
fn two_processes_lose_none_of_each_others_writes() {
    if as_child(|host, name| (0..100).for_each(|at| drop(add(host, &format!("{name} {at}"))))) {
        return;
    }
    let (folder, project) = project();
    let test = "two_processes_lose_none_of_each_others_writes";
    // Neither finds a store: they race for making it, too.
    let children = ["a", "b"].map(|name| child(test, folder.path(), name));
    for mut child in children {
        assert!(child.wait().expect("ended").success());
    }
    let titles = titles(&project);
    assert_eq!(titles.len(), 200);
    assert!(titles.values().all(|count| *count == 1));
    let store = rusqlite::Connection::open(&project.database).expect("opened");
    let (events, last): (i64, i64) = store
        .query_row("SELECT count(*), max(seq) FROM event", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .expect("rows");
    assert_eq!(events, last, "the ledger has a gap");
}

#[test]
fn what_was_answered_outlives_a_kill() {
    let told = |host: &mut Host, name: &str| {
        for at in 0.. {
            let output = add(host, &format!("{name} {at}"));
            println!("answered\t{}", output["title"].as_str().expect("a title"));
            std::io::stdout().flush().expect("told");
        }
    };
    if as_child(told) {
        return;
    }
    let (folder, project) = project();
    let mut answered = Vec::new();
    for round in 0..5 {
        let mut child = child(
            "what_was_answered_outlives_a_kill",
            folder.path(),
            &format!("round {round}"),
        );
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let (started, before) = (Instant::now(), answered.len());
        for line in lines.map_while(Result::ok) {
            if let Some((_, title)) = line.split_once("answered\t") {
                answered.push(title.to_owned());
            }
            // What it had said before it died is still in the pipe, and read to the end.
            if answered.len() == before + 17 {
                child.kill().expect("killed");
            }
            assert!(started.elapsed() < Duration::from_secs(60), "too slow");
        }
        child.wait().expect("ended");
    }
    let titles = titles(&project);
    for title in &answered {
        assert_eq!(
            titles.get(title),
            Some(&1),
            "`{title}` was answered and is lost"
        );
    }
    assert!(answered.len() >= 5 * 17);
    // At most one write a round was in flight: on disk, and not yet answered.
    assert!(
        titles.len() <= answered.len() + 5,
        "{} rows for {} answers",
        titles.len(),
        answered.len()
    );
}

#[test]
fn a_reader_sees_a_writers_rows_at_once() {
    let (_folder, project) = project();
    let mut writer = Host::open(&project, Access::Write).expect("opened");
    let mut reader = Host::open(&project, Access::Read).expect("opened");
    for at in 1..=5 {
        let added = add(&mut writer, &format!("row {at}"));
        let shown = done(&mut reader, "show_node", &json!({ "node_id": added["id"] }));
        assert!(
            shown.output.get().contains(&format!("row {at}")),
            "{}",
            shown.output
        );
    }
}
