//! MCP over standard input and output, in both protocol eras.
//!
//! Owns: the protocol; the only place that names rmcp. Never: what a tool means, or anything but protocol on stdout.
//!
//! ```text
//! stdin -> lines (messages) -> rmcp's loop -> server (list, call) -> worker (the one thread that owns the store)
//!                                                stdout <- answers <-'
//! ```
//! The loop starts without a handshake and takes each request by what it says of itself: a client of the older era
//! begins with `initialize`, one of the newer names its version in each request, and a first message of any other
//! kind is answered too.

mod answers;
mod lines;
mod message;
mod server;
mod worker;

use crate::Failure;
use crate::catalog::Toolset;
use answers::Answers;
use rmcp::service::serve_directly;
use rmcp::transport::stdio_pipes;
use server::Server;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use worker::Worker;

/// How long reads in flight may go on after standard input has ended. Writes are waited for.
const GRACE: Duration = Duration::from_millis(500);
/// How long what is answered may take to be written, and the store to be closed, after that.
const CLOSING: Duration = Duration::from_millis(150);

/// Serves the toolset until standard input ends.
///
/// # Errors
/// Where the process cannot start what it needs.
pub fn serve(toolset: &'static Toolset, db: Option<PathBuf>) -> Result<(), Failure> {
    if let Err(failure) = crate::Project::find(db.as_deref()) {
        // Listing works without a project, and one that is made later is found then.
        eprintln!("deciduous mcp: {}; next: {}", failure.message, failure.next);
    }
    let cannot = |what: &str, error: std::io::Error| {
        Failure::new(
            format!("{what} cannot be started: {error}"),
            "check the machine's limits",
        )
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| cannot("the protocol loop", error))?;
    let worker = Worker::start(db).map_err(|error| cannot("the store's thread", error))?;
    let answers = Arc::new(Answers::default());
    runtime.block_on(async {
        let (reader, writer) = stdio_pipes();
        let lines = lines::Lines::start(reader, writer, answers.clone(), worker.busy());
        let server = Server {
            toolset,
            jobs: worker.jobs(),
            answers: answers.clone(),
        };
        let running = serve_directly(server, lines, None);
        // Dropping it would end the loop at once.
        let _ = running.waiting().await;
        let _ = tokio::time::timeout(CLOSING, answers.written()).await;
    });
    worker.finish(CLOSING);
    // A read of standard input that is still waited for in a thread would keep the runtime from ending.
    runtime.shutdown_background();
    Ok(())
}

/// What a line is taken for.
pub fn line_is_read(line: &[u8]) -> &'static str {
    match message::read(line) {
        message::Read::Message(_) => "message",
        message::Read::Batch(_) => "batch",
        message::Read::Wrong(_) => "wrong",
        message::Read::Nothing => "nothing",
    }
}
