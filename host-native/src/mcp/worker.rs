//! The one thread that owns the store: calls go in one behind the other, so the protocol loop never waits for a disk.
//!
//! Owns: opening the store, what the core asks to be kept, one process's order of calls. Never: protocol.

use crate::catalog::Tool;
use crate::{Access, Call, Failure, Host, Outcome, Project, os, sync};
use deciduous_boundary::{Actor, Refusal, ViewMode};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// One call, and where its answer goes.
pub struct Job {
    pub tool: &'static Tool,
    pub args: Box<RawValue>,
    pub caller: Actor,
    /// Whether the client no longer wants it; a call that has begun is finished all the same.
    pub cancelled: Box<dyn Fn() -> bool + Send>,
    pub answer: oneshot::Sender<Answer>,
}

/// What a client is told.
#[derive(Debug)]
pub enum Answer {
    Done { text: String, output: Box<RawValue> },
    Refused(Box<Refusal>),
    Failed(Failure),
}

/// What is known of the thread from outside.
#[derive(Debug, Default)]
pub struct Busy {
    /// Writes that were taken and not yet answered.
    writes: AtomicUsize,
    /// Reads are not begun any more.
    stopping: AtomicBool,
}

impl Busy {
    pub fn writes(&self) -> bool {
        self.writes.load(Ordering::SeqCst) > 0
    }

    pub fn stop_reads(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }
}

#[derive(Clone)]
pub struct Jobs {
    to: Sender<Job>,
    busy: Arc<Busy>,
}

impl Jobs {
    /// Hands the call over; none comes back when the thread is gone.
    pub fn send(&self, job: Job) {
        if job.tool.writes {
            self.busy.writes.fetch_add(1, Ordering::SeqCst);
        }
        // A thread that is gone drops the answer's sender, which the caller sees.
        let _ = self.to.send(job);
    }
}

pub struct Worker {
    jobs: Option<Jobs>,
    busy: Arc<Busy>,
    thread: JoinHandle<()>,
}

impl Worker {
    pub fn start(db: Option<PathBuf>) -> io::Result<Worker> {
        let (to, from) = channel();
        let busy = Arc::new(Busy::default());
        let own = busy.clone();
        // A deep walk in the core needs more than the default of 2 MiB on some platforms.
        let thread = thread::Builder::new()
            .name("store".to_owned())
            .stack_size(8 << 20)
            .spawn(move || run(&from, &own, db))?;
        Ok(Worker {
            jobs: Some(Jobs {
                to,
                busy: busy.clone(),
            }),
            busy,
            thread,
        })
    }

    pub fn jobs(&self) -> Jobs {
        self.jobs
            .clone()
            .expect("it is taken by `finish` only, which ends the worker")
    }

    pub fn busy(&self) -> Arc<Busy> {
        self.busy.clone()
    }

    /// Waits until every write is done and the store is closed; a read that takes longer than `patience` is left behind.
    pub fn finish(mut self, patience: Duration) {
        self.busy.stop_reads();
        self.jobs = None;
        let mut end = Instant::now() + patience;
        while !self.thread.is_finished() && Instant::now() < end {
            if self.busy.writes() {
                end = Instant::now() + patience;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The open store, and which file it is.
struct Open {
    host: Host,
    database: PathBuf,
    identity: Option<(u64, u64)>,
    access: Access,
}

fn run(jobs: &Receiver<Job>, busy: &Busy, db: Option<PathBuf>) {
    let mut open: Option<Open> = None;
    let mut kept: BTreeMap<String, Value> = BTreeMap::new();
    for job in jobs {
        let unwanted =
            (job.cancelled)() || (!job.tool.writes && busy.stopping.load(Ordering::SeqCst));
        if !unwanted {
            let writes = job.tool.writes;
            // What panicked may have left the instance half-way; the store rolls back by itself, so both begin anew.
            let called = catch_unwind(AssertUnwindSafe(|| {
                call(&mut open, db.as_deref(), &job, &mut kept)
            }));
            let answer = called.unwrap_or_else(|_| {
                open = None;
                Answer::Failed(Failure::new(
                    "the call broke off inside the server; nothing was written",
                    "try another way, and report this call",
                ))
            });
            let _ = job.answer.send(answer);
            if writes {
                busy.writes.fetch_sub(1, Ordering::SeqCst);
            }
        } else if job.tool.writes {
            busy.writes.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn call(
    open: &mut Option<Open>,
    db: Option<&Path>,
    job: &Job,
    kept: &mut BTreeMap<String, Value>,
) -> Answer {
    // A store that was moved away or replaced under the server must not swallow what is written to it; and one that could
    // only be read may be written by now.
    if open.as_ref().is_some_and(|open| {
        os::identity(&open.database) != open.identity
            || (job.tool.writes && open.access == Access::Read)
    }) {
        *open = None;
    }
    let opened = match open {
        Some(opened) => opened,
        None => match start(db, job.tool.writes) {
            Ok(started) => open.insert(started),
            Err(failure) if failure.exit == Failure::NOT_FOUND => {
                return Answer::Refused(Box::new(Refusal {
                    status: 404,
                    message: "no project here".to_owned(),
                    next: "run `deciduous init` in the project's folder; the next call finds it"
                        .to_owned(),
                    errors: BTreeMap::new(),
                }));
            }
            Err(failure) => return Answer::Failed(failure),
        },
    };
    let asked = Call {
        toolset: job.tool.toolset,
        tool: job.tool.name,
        args: job.args.clone(),
        caller: job.caller.clone(),
        kept: kept.clone(),
        view: ViewMode::None,
        workspace: None,
    };
    match opened.host.call(&asked) {
        Ok(Outcome::Done(done)) => {
            for (key, value) in done.keep {
                if value.is_null() {
                    kept.remove(&key);
                } else {
                    kept.insert(key, value);
                }
            }
            Answer::Done {
                text: done.text,
                output: done.output,
            }
        }
        Ok(Outcome::Refused(refusal)) => Answer::Refused(refusal),
        Err(failure) => {
            // Whatever went wrong with this connection, the next call begins with a new one.
            *open = None;
            Answer::Failed(failure)
        }
    }
}

fn start(db: Option<&Path>, writes: bool) -> Result<Open, Failure> {
    let project = Project::find(db)?;
    // A clone's server must not begin with an empty graph.
    let begun = sync::begin(&project);
    let opened = begun.and_then(|_| Host::open(&project, Access::Write));
    let (host, access) = match opened {
        Ok(host) => (host, Access::Write),
        // Where the disk may only be read, reads are still answered.
        Err(failure) if writes => return Err(failure),
        Err(failure) => {
            let host = Host::open(&project, Access::Read).map_err(|_| failure)?;
            (host, Access::Read)
        }
    };
    let identity = os::identity(&project.database);
    Ok(Open {
        host,
        database: project.database,
        identity,
        access,
    })
}
