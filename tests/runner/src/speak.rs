//! MCP over standard input and output, from the client's side: as little of it as a vector or a bench needs.
//!
//! Owns: the process, its lines, a deadline for each answer. Never: what an answer means.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than the slowest call on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);
const PROTOCOL: &str = "2025-11-25";

/// A server that was started and greeted.
pub struct Server {
    child: Arc<Mutex<Child>>,
    process: u32,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Milliseconds since `begun` until which an answer is waited for; 0: none is.
    deadline: Arc<AtomicU64>,
    begun: Instant,
    sent: u64,
}

impl Server {
    /// Starts `binary` with `arguments` in `folder`; the client calls itself `client`.
    ///
    /// # Errors
    /// Where it does not start or does not answer.
    pub fn start(
        binary: &Path,
        arguments: &[&str],
        folder: &Path,
        client: &str,
    ) -> Result<Self, String> {
        let mut child = Command::new(binary)
            .args(arguments)
            .current_dir(folder)
            .env_remove("DECIDUOUS_DB_PATH")
            .env_remove("DECIDUOUS_ACTOR")
            .env_remove("GIT_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| format!("`{}` does not start: {error}", binary.display()))?;
        let input = child.stdin.take();
        let output = BufReader::with_capacity(1 << 16, child.stdout.take().ok_or("no output")?);
        let (process, begun) = (child.id(), Instant::now());
        let (child, deadline) = (Arc::new(Mutex::new(child)), Arc::new(AtomicU64::new(0)));
        watch(Arc::downgrade(&child), Arc::clone(&deadline), begun);
        let mut server = Server {
            child,
            process,
            input,
            output,
            deadline,
            begun,
            sent: 0,
        };
        let hello = json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": client, "version": "1"}});
        server.ask("initialize", &hello.to_string())?;
        server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(server)
    }

    #[must_use]
    pub fn process(&self) -> u32 {
        self.process
    }

    /// One request and its result as the server wrote it.
    ///
    /// # Errors
    /// Where the server ends, says nothing in time, or answers with a protocol error.
    pub fn ask(&mut self, method: &str, params: &str) -> Result<Value, String> {
        let line = self.exchange(method, params)?;
        let mut answer: Value =
            serde_json::from_str(&line).map_err(|error| format!("{error} in {line}"))?;
        if answer["id"] != json!(self.sent) {
            return Err(format!("request {} was answered by {line}", self.sent));
        }
        match answer.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(format!(
                "`{method}` is answered by an error: {}",
                answer["error"]
            )),
        }
    }

    /// The same with the answer's line unread.
    ///
    /// # Errors
    /// Where the server ends or says nothing in time.
    pub fn exchange(&mut self, method: &str, params: &str) -> Result<String, String> {
        self.sent += 1;
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":{},"method":"{method}","params":{params}}}"#,
            self.sent
        );
        self.send(&request)?;
        let until = self.begun.elapsed() + PATIENCE;
        let until = u64::try_from(until.as_millis()).unwrap_or(u64::MAX);
        self.deadline.store(until, Ordering::Relaxed);
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        self.deadline.store(0, Ordering::Relaxed);
        match read {
            Ok(0) => Err(format!(
                "the server ended, or was ended after {PATIENCE:?}, without an answer to `{method}`"
            )),
            Ok(_) => Ok(line),
            Err(error) => Err(format!("no answer to `{method}`: {error}")),
        }
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// As [`Server::ask`].
    pub fn tool(&mut self, name: &str, args: &RawValue) -> Result<Value, String> {
        self.ask("tools/call", &called(name, args.get()))
    }

    fn send(&mut self, line: &str) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("the server's input is closed")?;
        input
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| input.flush())
            .map_err(|error| format!("the server does not read: {error}"))
    }
}

impl Drop for Server {
    /// Closing the input is how a client ends its server.
    fn drop(&mut self) {
        self.input = None;
        for _ in 0..500 {
            if !matches!(lock(&self.child).try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        // It should have ended; what is left is not to stay behind.
        end(&mut lock(&self.child));
    }
}

fn lock(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end(child: &mut Child) {
    // Both fail only where it has ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

/// Ends a server that keeps its client waiting; reading in the client's own thread is what a bench can measure.
fn watch(child: Weak<Mutex<Child>>, deadline: Arc<AtomicU64>, begun: Instant) {
    thread::spawn(move || {
        while let Some(child) = child.upgrade() {
            let until = deadline.load(Ordering::Relaxed);
            if until > 0 && begun.elapsed() > Duration::from_millis(until) {
                return end(&mut lock(&child));
            }
            drop(child);
            thread::sleep(Duration::from_millis(250));
        }
    });
}

/// The parameters of a call, with the arguments byte for byte.
#[must_use]
pub fn called(name: &str, args: &str) -> String {
    format!(r#"{{"name":{},"arguments":{args}}}"#, json!(name))
}
