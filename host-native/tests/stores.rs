//! Databases that are damaged, foreign, newer, locked, or lie where nothing may be written: each is served, or refused
//! within a second with a sentence that says what to do, and stays as it was.

#![cfg(unix)]

mod common;

use common::{Folder, Server, err, out};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Lines, Seek, SeekFrom, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A second on a machine that does other things too.
const SECOND: Duration = Duration::from_millis(2_500);
const READS: [&[&str]; 3] = [&["show", "1"], &["nodes"], &["search", "one"]];
const WRITE: &[&str] = &["add", "goal", "new"];

fn project() -> Folder {
    let folder = Folder::project();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("set");
    for title in ["one", "two", "three"] {
        folder.json(&["add", "goal", title]);
    }
    folder
}

fn database(folder: &Folder) -> PathBuf {
    folder.file(".deciduous/deciduous.db")
}

/// Every file and its bytes.
fn files(folder: &Folder) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.path().to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("listed").flatten() {
            let path = entry.path();
            match entry.file_type().expect("a type") {
                kind if kind.is_dir() => folders.push(path),
                kind if kind.is_file() => {
                    drop(files.insert(path.clone(), fs::read(path).expect("read")))
                }
                _ => drop(files.insert(path, Vec::new())),
            }
        }
    }
    files
}

/// Whether a second user can be had here.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    let setpriv = Command::new("setpriv").arg("--version").output();
    id.is_ok_and(|id| out(&id).trim() == "0") && setpriv.is_ok()
}

/// The command as a user who owns nothing.
fn as_other(folder: &Folder, words: &[&str]) -> Command {
    let own = folder.command(words);
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(own.get_program())
        .args(own.get_args())
        .current_dir(folder.path())
        .env_remove("DECIDUOUS_DB_PATH");
    command
}

fn timed(mut command: Command) -> Output {
    let started = Instant::now();
    let output = command.output().expect("it starts");
    assert!(started.elapsed() < SECOND, "{:?}", started.elapsed());
    output
}

/// One sentence, and what to do next.
fn is_refused(output: &Output, words: &str) {
    let text = err(output);
    assert_ne!(output.status.code(), Some(0), "{}", out(output));
    assert!(output.stdout.is_empty());
    assert!(
        text.starts_with("error: ") && text.contains("\nnext: ") && text.lines().count() == 2,
        "{text}"
    );
    assert!(text.contains(words), "`{words}` is not in: {text}");
    assert!(!text.contains("panicked"), "{text}");
}

/// Reads and writes are refused with these words, and not a byte changes.
fn is_left_alone(folder: &Folder, words: &str) {
    let before = files(folder);
    for command in READS.into_iter().chain([WRITE]) {
        is_refused(&timed(folder.command(command)), words);
        assert!(files(folder) == before, "{command:?} changed something");
    }
    let mut server = Server::start(folder);
    server.call(1, "show_node", json!({ "node_id": 1 }));
    server.call(
        2,
        "add_node",
        json!({ "node_type": "goal", "title": "new" }),
    );
    for _ in 0..2 {
        let answer = server.next();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let text = answer["result"]["content"][0]["text"].to_string();
        assert!(text.contains(words) && text.contains("Next:"), "{text}");
    }
    server.end();
    assert!(files(folder) == before, "the server changed something");
}

/// Reads are served, writes refused with these words, and not a byte changes.
fn is_only_read(folder: &Folder, words: &str, command: impl Fn(&[&str]) -> Command) {
    let before = files(folder);
    for read in READS {
        let output = timed(command(read));
        assert!(output.status.success(), "{read:?}: {}", err(&output));
        assert!(out(&output).contains("one"), "{}", out(&output));
    }
    is_refused(&timed(command(WRITE)), words);
    assert!(files(folder) == before, "something was changed");
}

fn patched(folder: &Folder, at: u64, bytes: &[u8]) {
    let mut file = File::options()
        .write(true)
        .open(database(folder))
        .expect("opened");
    file.seek(SeekFrom::Start(at)).expect("there");
    file.write_all(bytes).expect("written");
}

fn cut(folder: &Folder, length: u64) {
    let file = File::options().write(true).open(database(folder));
    file.and_then(|file| file.set_len(length)).expect("cut");
}

#[test]
fn a_damaged_database_is_left_alone() {
    let length = fs::metadata(database(&project())).expect("there").len();
    type Damage = fn(&Folder, u64);
    let damages: [(&str, Damage); 8] = [
        ("not a SQLite database", |folder, _| {
            patched(folder, 0, b"XXXX")
        }),
        ("not a SQLite database", |folder, _| {
            patched(folder, 16, &[0xff; 60])
        }),
        ("damaged", |folder, _| patched(folder, 100, &[0xee; 400])),
        ("damaged", |folder, length| {
            patched(folder, 4096, &vec![0xee; length as usize - 4096])
        }),
        ("damaged", |folder, length| cut(folder, length / 2)),
        ("damaged", |folder, length| cut(folder, length - 100)),
        ("damaged", |folder, _| cut(folder, 50)),
        ("is empty", |folder, _| cut(folder, 0)),
    ];
    for (words, damage) in damages {
        let folder = project();
        damage(&folder, length);
        is_left_alone(&folder, words);
    }
}

#[test]
fn a_damaged_page_is_served_around_or_refused_and_a_refused_call_changes_nothing() {
    let length = fs::metadata(database(&project())).expect("there").len();
    let mut refused = 0;
    for page in (1..length / 4096).step_by(5) {
        let folder = project();
        patched(&folder, page * 4096, &[0xee; 4096]);
        let before = fs::read(database(&folder)).expect("read");
        for command in READS.into_iter().chain([WRITE]) {
            let output = timed(folder.command(command));
            if !output.status.success() {
                is_refused(&output, "damaged");
                refused += 1;
                assert!(fs::read(database(&folder)).expect("read") == before);
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_database_of_another_program_or_version_is_left_alone() {
    let folder = project();
    let run = |folder: &Folder, sql: &str| {
        Connection::open(database(folder))
            .and_then(|connection| connection.execute_batch(sql))
            .expect("run");
    };
    run(&folder, "PRAGMA user_version=99");
    is_left_alone(&folder, "install the newer version");
    let foreign = Folder::project();
    fs::remove_file(database(&foreign)).ok();
    run(&foreign, "CREATE TABLE recipes(name)");
    is_left_alone(&foreign, "another program");
    // With a log that its own program has not taken in yet.
    run(&foreign, "PRAGMA journal_mode=WAL");
    killed(&foreign, "INSERT INTO recipes VALUES('soup')", "");
    assert!(foreign.file(".deciduous/deciduous.db-wal").exists());
    let before = fs::read(database(&foreign)).expect("read");
    for command in [READS[0], WRITE] {
        is_refused(&timed(foreign.command(command)), "another program");
        assert!(fs::read(database(&foreign)).expect("read") == before);
    }
    let text = Folder::project();
    fs::write(database(&text), "no database\n".repeat(500)).expect("written");
    is_left_alone(&text, "not a SQLite database");
}

#[test]
fn what_is_no_file_is_left_alone_and_a_link_is_followed() {
    let folder = project();
    fs::rename(database(&folder), folder.file("real.db")).expect("moved");
    symlink("../real.db", database(&folder)).expect("linked");
    assert_eq!(folder.json(&["show", "1"])["title"], "one");
    assert_eq!(folder.json(WRITE)["title"], "new");
    assert!(
        fs::symlink_metadata(database(&folder))
            .expect("there")
            .is_symlink()
    );
    fs::remove_file(database(&folder)).expect("removed");
    symlink("../none.db", database(&folder)).expect("linked");
    is_refused(&timed(folder.command(WRITE)), "leads nowhere");
    fs::remove_file(database(&folder)).expect("removed");
    fs::create_dir(database(&folder)).expect("made");
    is_left_alone(&folder, "is not a file");
    fs::remove_dir(database(&folder)).expect("removed");
    let pipe = Command::new("mkfifo").arg(database(&folder)).status();
    assert!(pipe.expect("made").success());
    is_left_alone(&folder, "is not a file");
}

/// A process that changes the database, says so, and is killed before it can tidy up.
fn killed(folder: &Folder, sql: &str, then: &str) {
    let test = "part_of_a_process_that_is_killed";
    let status = Command::new(std::env::current_exe().expect("this program"))
        .args([test, "--exact", "--test-threads=1"])
        .env("SQL", sql)
        .env("THEN", then)
        .env("DATABASE", database(folder))
        .output()
        .expect("started")
        .status;
    assert!(!status.success());
}

/// A process that does these things and then nothing, until it is dropped.
struct Holder(std::process::Child, Lines<BufReader<ChildStdout>>);

impl Holder {
    fn start(folder: &Folder, sql: &str) -> Holder {
        let test = "part_of_a_process_that_is_killed";
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args([test, "--exact", "--nocapture", "--test-threads=1"])
            .env("SQL", sql)
            .env("THEN", "WAIT")
            .env("DATABASE", database(folder))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert!(
            lines
                .by_ref()
                .map_while(Result::ok)
                .any(|line| line == "held")
        );
        Holder(child, lines)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.1.by_ref().for_each(drop);
        let _ = self.0.wait();
    }
}

#[test]
fn part_of_a_process_that_is_killed() {
    let Some(path) = std::env::var_os("DATABASE") else {
        return;
    };
    let text = |name: &str| std::env::var(name).unwrap_or_default();
    let connection = Connection::open(Path::new(&path)).expect("opened");
    connection.execute_batch(&text("SQL")).expect("run");
    if text("THEN") == "WAIT" {
        println!("\nheld");
        let _ = std::io::stdin().read_line(&mut String::new());
        return;
    }
    connection.execute_batch(&text("THEN")).expect("run");
    std::process::abort();
}

#[test]
fn another_user_reads() {
    if !is_root() {
        return;
    }
    let folder = project();
    is_only_read(&folder, "read-only", |words| as_other(&folder, words));
    // Beside a server that goes on writing.
    let mut server = Server::start(&folder);
    for number in 0..20 {
        server.call(
            number,
            "add_node",
            json!({ "node_type": "goal", "title": format!("more {number}") }),
        );
        assert_eq!(server.next()["result"]["isError"], false);
        let shown = timed(as_other(&folder, &["nodes"]));
        assert!(
            out(&shown).contains(&format!("more {number}")),
            "{}{}",
            out(&shown),
            err(&shown)
        );
    }
    server.end();
    // A server of the other user sees what the owner writes meanwhile.
    let mut reader = Server::with(as_other(&folder, &["mcp"]));
    for title in ["first", "second", "third"] {
        let id = folder.json(&["add", "goal", title])["id"].clone();
        reader.call(1, "show_node", json!({ "node_id": id }));
        let answer = reader.next();
        assert_eq!(
            answer["result"]["structuredContent"]["title"], title,
            "{answer}"
        );
        reader.call(2, "add_node", json!({ "node_type": "goal", "title": "x" }));
        let answer = reader.next();
        let text = answer["result"]["content"][0]["text"].to_string();
        assert!(text.contains("read-only"), "{text}");
    }
    fs::set_permissions(database(&folder), fs::Permissions::from_mode(0o600)).expect("set");
    is_refused(&timed(as_other(&folder, &["nodes"])), "ermission");
    fs::set_permissions(folder.file(".deciduous"), fs::Permissions::from_mode(0o700)).expect("set");
    is_refused(&timed(as_other(&folder, &["nodes"])), "ermission");
}

#[test]
fn what_was_left_by_a_killed_writer_is_never_read_half() {
    if !is_root() {
        return;
    }
    // A log that is whole is read, even where the memory beside it cannot be made.
    let folder = project();
    killed(
        &folder,
        "PRAGMA wal_autocheckpoint=0; UPDATE node SET title='one, later' WHERE title='one'",
        "",
    );
    for file in ["deciduous.db-wal", "deciduous.db-shm"] {
        assert!(folder.file(".deciduous").join(file).exists());
    }
    let shown = timed(as_other(&folder, &["nodes"]));
    assert!(out(&shown).contains("one, later"), "{}", err(&shown));
    fs::remove_file(folder.file(".deciduous/deciduous.db-shm")).expect("removed");
    let before = files(&folder);
    let shown = timed(as_other(&folder, &["nodes"]));
    assert!(out(&shown).contains("one, later"), "{}", err(&shown));
    assert!(files(&folder) == before);
    let log = folder.file(".deciduous/deciduous.db-wal");
    fs::set_permissions(&log, fs::Permissions::from_mode(0o600)).expect("set");
    is_refused(&timed(as_other(&folder, &["nodes"])), "deciduous.db-wal");
    assert_eq!(folder.json(&["show", "1"])["title"], "one, later");

    // A write that was broken off without a log is taken back by whoever may write, and by nobody else.
    let folder = project();
    let half = "PRAGMA cache_size=1; BEGIN; UPDATE node SET title='half'; UPDATE event SET at=at; UPDATE node SET title='half';";
    killed(&folder, "PRAGMA journal_mode=DELETE", half);
    let journal = folder.file(".deciduous/deciduous.db-journal");
    assert!(
        fs::metadata(&journal).is_ok_and(|meta| meta.len() > 0),
        "no journal was left"
    );
    let before = files(&folder);
    is_refused(
        &timed(as_other(&folder, &["nodes"])),
        "deciduous.db-journal",
    );
    is_refused(&timed(as_other(&folder, WRITE)), "read-only");
    assert!(files(&folder) == before);
    assert_eq!(folder.json(&["show", "1"])["title"], "one");
}

#[test]
fn a_read_only_file_system_is_read() {
    let folder = project();
    let place = folder.file(".deciduous");
    let mount = |words: &[&str]| {
        let status = Command::new("mount").args(words).arg(&place).output();
        status.is_ok_and(|output| output.status.success())
    };
    let text = place.to_str().expect("UTF-8");
    if !is_root() || !mount(&["--bind", text]) {
        return;
    }
    let _unmounted = Unmount(place.clone());
    assert!(mount(&["-o", "remount,ro,bind"]));
    is_only_read(&folder, "read-only", |words| folder.command(words));
    let mut server = Server::start(&folder);
    server.call(1, "show_node", json!({ "node_id": 1 }));
    assert_eq!(server.next()["result"]["structuredContent"]["title"], "one");
    server.call(
        2,
        "add_node",
        json!({ "node_type": "goal", "title": "new" }),
    );
    let answer = server.next();
    assert!(
        answer["result"]["content"][0]["text"]
            .to_string()
            .contains("read-only"),
        "{answer}"
    );
    server.call(3, "show_node", json!({ "node_id": 1 }));
    assert_eq!(server.next()["result"]["isError"], false);
    server.end();
}

struct Unmount(PathBuf);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_lock_that_is_held_is_refused_within_a_second_and_reads_go_on() {
    let folder = project();
    let holder = Holder::start(&folder, "BEGIN IMMEDIATE");
    for read in READS {
        assert!(timed(folder.command(read)).status.success());
    }
    let output = timed(folder.command(WRITE));
    is_refused(&output, "another process holds its lock");
    if cfg!(target_os = "linux") {
        assert!(
            err(&output).contains(&format!("process {}", holder.0.id())),
            "{}",
            err(&output)
        );
    }
    let mut server = Server::start(&folder);
    let started = Instant::now();
    server.call(
        1,
        "add_node",
        json!({ "node_type": "goal", "title": "new" }),
    );
    let answer = server.next();
    assert!(
        answer["result"]["content"][0]["text"]
            .to_string()
            .contains("lock"),
        "{answer}"
    );
    assert!(started.elapsed() < SECOND);
    drop(holder);
    server.call(
        2,
        "add_node",
        json!({ "node_type": "goal", "title": "new" }),
    );
    assert_eq!(server.next()["result"]["isError"], false);
    server.end();
    let all = "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE";
    let holder = Holder::start(&folder, all);
    for command in READS.into_iter().chain([WRITE]) {
        is_refused(
            &timed(folder.command(command)),
            "another process holds its lock",
        );
    }
    drop(holder);
    assert_eq!(folder.json(WRITE)["title"], "new");
}

#[test]
fn a_holder_that_works_is_waited_for() {
    let folder = project();
    let path = database(&folder);
    let holder = Connection::open(path).expect("opened");
    holder
        .execute_batch("PRAGMA cache_size=1; BEGIN IMMEDIATE; CREATE TEMP TABLE t(x)")
        .expect("locked");
    let started = Instant::now();
    let mut child = folder
        .command(WRITE)
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    // Longer than one that hangs is waited for.
    while started.elapsed() < Duration::from_millis(1_500) {
        holder
            .execute_batch("INSERT INTO t WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<20000) SELECT x FROM n")
            .expect("work");
    }
    assert!(child.try_wait().expect("waited").is_none(), "it gave up");
    holder.execute_batch("ROLLBACK").expect("released");
    assert!(child.wait().expect("ended").success());
}

/// A file system of its own with so many bytes; none where it cannot be had.
fn small_disk(place: &Path, bytes: u64) -> Option<Unmount> {
    fs::create_dir_all(place).expect("made");
    let size = format!("size={bytes}");
    let status = Command::new("mount")
        .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
        .arg(place)
        .output();
    status
        .is_ok_and(|output| output.status.success())
        .then(|| Unmount(place.to_path_buf()))
}

#[test]
fn a_full_disk_refuses_what_does_not_fit_and_loses_nothing() {
    let folder = Folder::empty();
    let place = folder.file(".deciduous");
    let Some(_disk) = small_disk(&place, 2 << 20) else {
        return;
    };
    assert!(folder.run(&["init"]).status.success());
    let mut server = Server::start(&folder);
    let mut kept = 0;
    // A document first: nothing of it stays where it does not fit.
    fs::write(folder.file("large.bin"), vec![7; 3 << 20]).expect("written");
    folder.json(&["add", "goal", "whole"]);
    kept += 1;
    let attached = folder.run(&["doc", "attach", "1", "large.bin"]);
    is_refused(&attached, "room");
    let left = fs::read_dir(place.join("documents")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "a part of the document stayed");
    // An import of more than fits: none of it.
    let nodes: Vec<Value> = (1..=4_000)
        .map(|id| json!({ "id": id, "change_id": format!("00000000-0000-4000-8000-{id:012}"), "node_type": "goal", "title": format!("imported {id}"), "description": "x".repeat(600), "status": "pending", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z", "metadata_json": null }))
        .collect();
    let graph = json!({ "nodes": nodes, "edges": [] }).to_string();
    fs::write(folder.file("graph.json"), graph).expect("written");
    is_refused(&folder.run(&["import", "graph.json"]), "full");
    assert_eq!(
        folder.json(&["nodes"])["nodes"].as_array().map(Vec::len),
        Some(kept)
    );
    // Calls until one does not fit, by the server and by commands.
    let text = "y".repeat(60_000);
    let mut refused = 0;
    for number in 0..60 {
        server.call(
            number,
            "add_node",
            json!({ "node_type": "goal", "title": format!("n{number}"), "description": text }),
        );
        let answer = server.next();
        if answer["result"]["isError"] == false {
            kept += 1;
            continue;
        }
        refused += 1;
        let text = answer["result"]["content"][0]["text"].to_string();
        assert!(text.contains("full") && text.contains("Next:"), "{text}");
        if refused == 3 {
            break;
        }
    }
    assert_eq!(refused, 3, "the disk is not full yet");
    let large = folder.file("large.txt");
    fs::write(&large, &text).expect("written");
    let output = folder.fed(&["add", "goal", "by command", "--prompt-stdin"], &text);
    is_refused(&output, "full");
    // What is there can be read, and holds what was answered.
    let listed = folder.json(&["nodes"]);
    assert_eq!(listed["nodes"].as_array().map(Vec::len), Some(kept));
    server.call("read", "show_node", json!({ "node_id": kept }));
    assert_eq!(server.next()["result"]["isError"], false);
    // With more room all goes on, in the same server.
    let more = Command::new("mount")
        .args(["-o", "remount,size=64m"])
        .arg(&place)
        .status();
    assert!(more.expect("mounted").success());
    server.call(
        "again",
        "add_node",
        json!({ "node_type": "goal", "title": "again", "description": text }),
    );
    let answer = server.next();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(folder.run(&["import", "graph.json"]).status.success());
    let check: String = Connection::open(database(&folder))
        .and_then(|store| store.query_row("PRAGMA integrity_check", [], |row| row.get(0)))
        .expect("checked");
    assert_eq!(check, "ok");
    assert_eq!(
        folder.json(&["events", "status", "--verify"])["verified"],
        true
    );
    server.end();
}
