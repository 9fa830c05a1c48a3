//! Many processes at once, and processes that are killed in the middle: what was answered is there, whole, and once.
//!
//! `KILLS=300` makes the storm as long as `cargo xtask storm` does.

mod common;

use common::{Folder, Server, err, out};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Every title that is stored, with its description, and how often it is there.
fn stored(folder: &Folder) -> BTreeMap<String, (String, usize)> {
    let path = folder.file(".deciduous/deciduous.db");
    let store = rusqlite::Connection::open(path).expect("opened");
    let mut statement = store
        .prepare("SELECT title, coalesce(description, '') FROM node")
        .expect("SQL");
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("rows");
    let mut found: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for row in rows {
        let (title, description): (String, String) = row.expect("a row");
        found.entry(title).or_insert((description, 0)).1 += 1;
    }
    found
}

/// The file is sound, the ledger has no gap and its chain holds, and what looks after stores has nothing to say.
fn is_sound(folder: &Folder) {
    let path = folder.file(".deciduous/deciduous.db");
    let store = rusqlite::Connection::open(path).expect("opened");
    let check: String = store
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("checked");
    assert_eq!(check, "ok");
    let (events, last): (i64, i64) = store
        .query_row("SELECT count(*), max(seq) FROM event", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .expect("events");
    assert_eq!(events, last, "the ledger has a gap");
    drop(store);
    assert_eq!(
        folder.json(&["events", "status", "--verify"])["verified"],
        true
    );
    if out(&folder.run(&["--help"])).contains("\n  doctor ") {
        let doctor = folder.run(&["doctor"]);
        assert!(doctor.status.success(), "{}{}", out(&doctor), err(&doctor));
    }
    let left = std::fs::read_dir(folder.file(".deciduous")).expect("listed");
    let names = left
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let parts: Vec<String> = names.filter(|name| name.contains(".new-")).collect();
    // One that was killed while it made the store leaves its part; they are not many.
    assert!(parts.len() < 4, "{parts:?}");
}

fn text(title: &str) -> String {
    format!("what {title} holds, {}", title.repeat(40))
}

#[test]
fn eight_processes_and_four_servers_at_once_lose_nothing_and_none_fails() {
    let folder = Arc::new(Folder::project());
    let commands = (0..8).map(|process| {
        let folder = folder.clone();
        thread::spawn(move || {
            for number in 0..50 {
                let title = format!("command {process} {number}");
                let output =
                    folder.run(&["--json", "add", "observation", &title, "-d", &text(&title)]);
                assert!(output.status.success(), "{}", err(&output));
            }
        })
    });
    let servers = (0..4).map(|process| {
        let folder = folder.clone();
        thread::spawn(move || {
            let mut server = Server::start(&folder);
            for number in 0..50 {
                let title = format!("server {process} {number}");
                server.call(number, "add_node", json!({ "node_type": "observation", "title": title, "description": text(&title) }));
                let answer = server.next();
                assert_eq!(answer["result"]["isError"], false, "{answer}");
            }
            assert!(server.end().1.success());
        })
    });
    let all: Vec<_> = commands.chain(servers).collect();
    for thread in all {
        thread.join().expect("none failed");
    }
    let stored = stored(&folder);
    assert_eq!(stored.len(), 600);
    for (title, (description, count)) in &stored {
        assert_eq!((description, *count), (&text(title), 1), "{title}");
    }
    is_sound(&folder);
}

/// Numbers that differ from run to run; the seed is printed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// How many microseconds a command takes from its start to its answer on this machine, as busy as it is: kills fall
/// before, into and behind that.
fn usual_time(folder: &Folder) -> u64 {
    let time = |at: u32| {
        let title = format!("before {at}");
        let started = Instant::now();
        let output = folder.run(&["--json", "add", "goal", &title, "-d", &text(&title)]);
        assert!(output.status.success(), "{}", err(&output));
        u64::try_from(started.elapsed().as_micros()).expect("soon")
    };
    (0..3).map(time).max().unwrap_or(0).max(1_000)
}

#[test]
fn what_was_answered_outlives_a_storm_of_kills() {
    let kills: u64 = std::env::var("KILLS")
        .ok()
        .and_then(|kills| kills.parse().ok())
        .unwrap_or(30);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970");
    let seed = now.as_nanos() as u64 | 1;
    println!("seed {seed}");
    let mut dice = Dice(seed);
    let folder = Folder::project();
    let answered = Arc::new(Mutex::new(Vec::new()));
    let usual = usual_time(&folder);
    let started = Instant::now();
    for kill in 0..kills {
        if dice.below(3) == 0 {
            let commands = [0, 1].map(|at| {
                let title = format!("command {kill} {at}");
                let child = folder
                    .command(&["--json", "add", "goal", &title, "-d", &text(&title)])
                    .stdout(Stdio::piped())
                    .stderr(Stdio::null())
                    .spawn()
                    .expect("it starts");
                (title, child)
            });
            thread::sleep(Duration::from_micros(dice.below(2 * usual)));
            for (title, mut child) in commands {
                child.kill().expect("killed");
                let output = child.wait_with_output().expect("ended");
                // Answered is what came out, whatever became of the process then.
                if serde_json::from_slice::<Value>(&output.stdout).is_ok() {
                    answered.lock().expect("whole").push(title);
                }
            }
        } else {
            let mut servers: Vec<_> = (0..2)
                .map(|at| writer(&folder, &format!("server {kill} {at}"), &answered))
                .collect();
            thread::sleep(Duration::from_micros(usual / 2 + dice.below(2 * usual)));
            for (child, _) in &mut servers {
                child.kill().expect("killed");
            }
            for (mut child, reader) in servers {
                child.wait().expect("ended");
                reader.join().expect("read to the end");
            }
        }
    }
    let answered = answered.lock().expect("whole").clone();
    let stored = stored(&folder);
    for title in &answered {
        let (description, count) = stored
            .get(title)
            .unwrap_or_else(|| panic!("`{title}` was answered and is lost"));
        assert_eq!((description, *count), (&text(title), 1), "{title}");
    }
    for (title, (description, count)) in &stored {
        assert_eq!(
            (description, *count),
            (&text(title), 1),
            "{title} is not whole"
        );
    }
    println!(
        "{kills} kills in {:?}: {} answered, {} stored",
        started.elapsed(),
        answered.len(),
        stored.len()
    );
    // A storm that lets nothing be answered proves nothing.
    assert!(
        answered.len() as u64 >= kills / 10,
        "{} answers",
        answered.len()
    );
    is_sound(&folder);
    assert_eq!(folder.json(&["add", "goal", "after"])["title"], "after");
}

/// A server that is sent writes without a pause; its answers are read to the end.
fn writer(
    folder: &Folder,
    name: &str,
    answered: &Arc<Mutex<Vec<String>>>,
) -> (Child, thread::JoinHandle<()>) {
    let mut child = folder
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    let stdout = BufReader::new(child.stdout.take().expect("piped"));
    let owned = name.to_owned();
    thread::spawn(move || {
        for number in 0..400 {
            let title = format!("{owned} {number}");
            let params = json!({ "name": "add_node", "arguments": { "node_type": "action", "title": title, "description": text(&title) } });
            let line =
                json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params });
            if stdin.write_all(format!("{line}\n").as_bytes()).is_err() {
                return;
            }
        }
        thread::sleep(Duration::from_secs(5));
    });
    let answered = answered.clone();
    let reader = thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            // The last line may be cut off by the kill.
            let Ok(answer) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            let title = answer["result"]["structuredContent"]["title"].as_str();
            answered
                .lock()
                .expect("whole")
                .push(title.expect("a title").to_owned());
        }
    });
    (child, reader)
}
