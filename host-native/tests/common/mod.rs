//! The real binary, in a folder of its own.
//!
//! Owns: starting it, a line-wise client of its server. Never: knowing what an answer should be.
#![allow(dead_code, reason = "each test file uses its own part")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Folder(TempDir);

impl Folder {
    /// An empty folder.
    pub fn empty() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    /// A folder with a project.
    pub fn project() -> Folder {
        let folder = Folder::empty();
        assert!(folder.run(&["init"]).status.success());
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deciduous"));
        command
            .args(words)
            .current_dir(self.path())
            .stdin(Stdio::null());
        for name in [
            "DECIDUOUS_DB_PATH",
            "DECIDUOUS_ACTOR",
            "NO_COLOR",
            "COLORTERM",
            "COLUMNS",
            "RUST_BACKTRACE",
        ] {
            command.env_remove(name);
        }
        command
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("it starts")
    }

    /// Runs with a text on standard input.
    pub fn fed(&self, words: &[&str], text: &str) -> Output {
        let mut child = self
            .command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let written = child
            .stdin
            .take()
            .expect("piped")
            .write_all(text.as_bytes());
        // A command that is refused before it reads closes its end, sooner or later than this.
        if let Err(error) = written {
            assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe, "{error}");
        }
        child.wait_with_output().expect("it ends")
    }

    /// The answer of a command that succeeds, as JSON.
    pub fn json(&self, words: &[&str]) -> Value {
        let output = self.run(&[&["--json"], words].concat());
        assert!(output.status.success(), "{words:?}: {}", err(&output));
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{words:?}: {error}: {}", out(&output)))
    }
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A client that writes lines and reads lines, and nothing more.
pub struct Server {
    pub child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Server {
    pub fn start(folder: &Folder) -> Server {
        Server::with(folder.command(&["mcp"]))
    }

    pub fn with(mut command: Command) -> Server {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            stdout
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Server {
            stdin: child.stdin.take(),
            child,
            lines,
        }
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("still open");
        stdin
            .write_all(bytes)
            .and_then(|()| stdin.flush())
            .expect("it reads");
    }

    pub fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    pub fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        self.send(
            &json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params }),
        );
    }

    pub fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        self.request(
            id,
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
    }

    /// The next line, which must be JSON: standard output is protocol and nothing else.
    pub fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    pub fn nothing_within(&self, wait: Duration) {
        if let Ok(line) = self.lines.recv_timeout(wait) {
            panic!("an answer that was not due: {line}");
        }
    }

    /// A handshake of the older era.
    pub fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test-client", "version": "1" });
        self.request(
            "init",
            "initialize",
            json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client }),
        );
        let answer = self.next();
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    /// Closes standard input and waits for the end; what was still answered, how it ended, how long it took.
    pub fn end(mut self) -> (Vec<Value>, ExitStatus, Duration) {
        drop(self.stdin.take());
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                break status;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "it goes on after its input ended"
            );
            thread::sleep(Duration::from_millis(2));
        };
        let took = start.elapsed();
        let rest = self
            .lines
            .iter()
            .map(|line| serde_json::from_str(&line).expect("JSON"))
            .collect();
        (rest, status, took)
    }
}

/// What a request of the newer era says of itself.
pub fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test-client", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
