//! One call from start to end: ask the core, answer what it wants to know, write what it says, then speak.
//!
//! Owns: the rounds, the transaction around them, the moment's time and entropy. Never: what a tool means.
//!
//! ```no_run
//! # use deciduous::{Access, Call, Host, Outcome, Project};
//! # fn show(call: &Call) -> Result<(), deciduous::Failure> {
//! let mut host = Host::open(&Project::find(None)?, Access::Read)?;
//! if let Outcome::Done(done) = host.call(call)? {
//!     println!("{}", done.text);
//! }
//! # Ok(()) }
//! ```

use crate::engine::{Core, Message, Told};
use crate::store::{Shape, Store, Transaction};
use crate::upgrade::{self, NotUpgraded, Upgrade};
use crate::{Failure, Project, facts, sync};
use deciduous_boundary::{Actor, Done, Env, Fetch, Refusal, Reply, Request, ViewMode};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Rounds after which a call that still wants to know something is ended.
const ROUNDS: u32 = 64;
/// How long a call may take in all.
const DEADLINE: Duration = Duration::from_secs(60);
/// Buffers longer than this are not kept for the next call.
const KEPT_BYTES: usize = 1 << 20;

static TABLES: &[u8] = include_bytes!(env!("DECIDUOUS_TABLES"));

/// One call of one tool. Time and entropy are added by the host.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub toolset: &'a str,
    pub tool: &'a str,
    /// The arguments as the client sent them: a JSON object.
    pub args: Box<RawValue>,
    pub caller: Actor,
    /// What earlier answers to this client asked to be kept; merging `Done::keep` into it is the caller's part.
    pub kept: BTreeMap<String, Value>,
    pub view: ViewMode,
    /// The workspace the client is pinned to.
    pub workspace: Option<String>,
}

/// How a call ended, when it ended as it should.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// What it wrote is on disk.
    Done(Box<Done>),
    /// Nothing was written.
    Refused(Box<Refusal>),
}

/// What a host may do to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The file is opened read-only, and must be there.
    Read,
    /// The tables are made where they are missing.
    Write,
}

/// One instance of the core and one store. Used by one thread at a time.
#[derive(Debug)]
pub struct Host {
    project: Project,
    access: Access,
    store: Store,
    /// None after a failure, until the next call.
    core: Option<Core>,
    json: Vec<u8>,
    attachment: Vec<u8>,
    /// Held from storing a document until the store knows of it.
    documents: Option<File>,
}

/// How the rounds of a call ended.
enum End {
    Outcome(Outcome),
    /// The call turned out to write after it had begun to read: it starts again, alone with the store.
    Again,
}

impl Host {
    /// # Errors
    /// Where the store is missing, damaged, made by a newer version, or no store at all.
    pub fn open(project: &Project, access: Access) -> Result<Host, Failure> {
        let shape = shape()?;
        let is_clone = sync::is_clone(project);
        let store = match Store::open(&project.database, access, shape.clone()) {
            Ok(store) => store,
            // It may be the store of an older program, to be taken over first.
            Err(failure) if failure.is_foreign => match upgrade::run(project, &shape, false)? {
                Upgrade::Done(upgraded) => {
                    eprintln!("note: {}", upgrade::told(&upgraded));
                    Store::open(&project.database, access, shape)?
                }
                Upgrade::Current => Store::open(&project.database, access, shape)?,
                Upgrade::Unknown => return Err(failure),
            },
            Err(failure) if is_clone => {
                return Err(Failure {
                    next: "run `deciduous sync`: it makes the database from the files in .deciduous/ledger".to_owned(),
                    ..failure
                });
            }
            Err(failure) => return Err(failure),
        };
        Ok(Self::of(project, access, store))
    }

    /// Opens the store for reading, and only if it is ours already.
    ///
    /// # Errors
    /// As [`Host::open`]; also where the store is an older program's, which stays so.
    pub fn open_as_it_is(project: &Project) -> Result<Host, Failure> {
        let store = Store::open(&project.database, Access::Read, shape()?)?;
        Ok(Self::of(project, Access::Read, store))
    }

    /// Takes the project's store over if it is an older program's.
    ///
    /// # Errors
    /// Where it cannot be, and is left as it was.
    pub fn upgrade(project: &Project, leave_dangling: bool) -> Result<Upgrade, NotUpgraded> {
        upgrade::run(project, &shape()?, leave_dangling)
    }

    /// A host whose store's transaction somebody else holds and ends.
    pub(crate) fn holding(project: &Project, store: Store) -> Host {
        Self::of(project, Access::Write, store)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    pub(crate) fn into_store(self) -> Store {
        self.store
    }

    fn of(project: &Project, access: Access, store: Store) -> Host {
        Host {
            project: project.clone(),
            access,
            store,
            core: None,
            json: Vec::new(),
            attachment: Vec::new(),
            documents: None,
        }
    }

    /// Carries out one call. Returned means committed.
    ///
    /// # Errors
    /// Where the store or the core failed; nothing was written then.
    pub fn call(&mut self, call: &Call<'_>) -> Result<Outcome, Failure> {
        let request = request(call)?;
        let mut least = Transaction::Read;
        loop {
            let mut core = match self.core.take() {
                Some(core) => core,
                None => Core::new()?,
            };
            let end = self.rounds(&mut core, &request, least);
            self.store.rollback();
            self.documents = None;
            self.tidy();
            // An instance in which a call broke off is not asked again.
            let end = end?;
            self.core = Some(core);
            match end {
                End::Outcome(outcome) => return Ok(outcome),
                End::Again => least = Transaction::Write,
            }
        }
    }

    /// Copies the whole database, as it is now, to a new file; answers its length in bytes.
    ///
    /// # Errors
    /// Where there is such a file already, or it cannot be written; nothing is left then.
    pub fn backup_to(&self, to: &std::path::Path) -> Result<u64, Failure> {
        self.store.backup_to(to)
    }

    fn rounds(
        &mut self,
        core: &mut Core,
        request: &[u8],
        least: Transaction,
    ) -> Result<End, Failure> {
        let started = Instant::now();
        let mut open: Option<Transaction> = None;
        let mut reply = take(core, |core| core.tell(Told::Request, request, &[]))?;
        for _ in 0..ROUNDS {
            let (fetches, write) = match reply {
                Reply::Need { fetches, write } => (fetches, write),
                Reply::Done(done) => return self.finish(done, open),
                Reply::Refused(refusal) => return Ok(End::Outcome(Outcome::Refused(refusal))),
            };
            if started.elapsed() > DEADLINE {
                return Err(Failure::new(
                    format!(
                        "the call took longer than {} seconds and was ended",
                        DEADLINE.as_secs()
                    ),
                    "ask for less at once; nothing was written",
                ));
            }
            let wanted = if write { Transaction::Write } else { least };
            let outside_alone = open.is_none() && fetches.iter().any(Fetch::is_outside);
            match open {
                None if outside_alone => {}
                None => {
                    self.begin(wanted)?;
                    open = Some(wanted);
                }
                Some(Transaction::Read) if wanted == Transaction::Write => return Ok(End::Again),
                Some(_) => {}
            }
            self.answer(&fetches, outside_alone)?;
            reply = take(core, |core| {
                core.tell(Told::Facts, &self.json, &self.attachment)
            })?;
        }
        Err(Failure::new(
            format!("the call wanted to know more after {ROUNDS} rounds and was ended"),
            "ask for less at once; nothing was written",
        ))
    }

    /// Writes the answers into the host's own buffers, those to rows straight from the store's memory.
    fn answer(&mut self, fetches: &[Fetch], outside_alone: bool) -> Result<(), Failure> {
        self.json.clear();
        self.attachment.clear();
        self.json.extend_from_slice(b"{\"facts\":[");
        let mut first = true;
        for (number, fetch) in fetches.iter().enumerate() {
            if outside_alone && !fetch.is_outside() {
                continue;
            }
            let comma = if std::mem::take(&mut first) { "" } else { "," };
            self.json
                .extend_from_slice(format!("{comma}[{number},").as_bytes());
            if fetch.is_outside() {
                facts::answer(&self.project, fetch, &mut self.json, &mut self.documents)?;
            } else {
                self.store
                    .answer(fetch, &mut self.json, &mut self.attachment)?;
            }
            self.json.push(b']');
        }
        self.json.extend_from_slice(b"]}");
        Ok(())
    }

    fn finish(&mut self, done: Box<Done>, open: Option<Transaction>) -> Result<End, Failure> {
        if !done.changes.is_empty() {
            match open {
                Some(Transaction::Read) => return Ok(End::Again),
                Some(Transaction::Write) => {}
                None => self.begin(Transaction::Write)?,
            }
            self.store.apply(&done.changes)?;
            self.store.commit()?;
        }
        Ok(End::Outcome(Outcome::Done(done)))
    }

    fn begin(&mut self, transaction: Transaction) -> Result<(), Failure> {
        if transaction == Transaction::Write && self.access == Access::Read {
            return Err(Failure::new(
                "the store was opened for reading, and this call writes",
                "report this: the command and its tool do not fit together",
            ));
        }
        self.store.begin(transaction)
    }

    fn tidy(&mut self) {
        for buffer in [&mut self.json, &mut self.attachment] {
            if buffer.capacity() > KEPT_BYTES {
                *buffer = Vec::new();
            }
        }
    }
}

/// Runs the core and takes its reply out of its memory.
fn take(
    core: &mut Core,
    run: impl FnOnce(&mut Core) -> Result<Message, Failure>,
) -> Result<Reply, Failure> {
    let message = run(core)?;
    let reply = serde_json::from_slice(core.json(&message)?).map_err(|error| {
        Failure::new(
            format!("the core answered no reply: {error}"),
            "report this",
        )
    })?;
    core.give_back(message)?;
    Ok(reply)
}

fn request(call: &Call<'_>) -> Result<Vec<u8>, Failure> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(
            format!("the system gives no random numbers: {error}"),
            "try again",
        )
    })?;
    let mut entropy = String::with_capacity(64);
    for byte in bytes {
        // Cannot fail: a String takes what is written.
        let _ = write!(entropy, "{byte:02x}");
    }
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let request = Request {
        toolset: call.toolset.to_owned(),
        tool: call.tool.to_owned(),
        args: call.args.clone(),
        caller: call.caller.clone(),
        env: Env {
            now: i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            entropy,
            workspace: call.workspace.clone(),
            kept: call.kept.clone(),
            view: call.view,
        },
    };
    serde_json::to_vec(&request).map_err(|error| {
        Failure::new(
            format!("the call is no JSON: {error}"),
            "check its arguments",
        )
    })
}

/// The tables of the core this program was built with.
pub(crate) fn shape() -> Result<Arc<Shape>, Failure> {
    static SHAPE: OnceLock<Result<Arc<Shape>, Failure>> = OnceLock::new();
    let make = || {
        let schema = serde_json::from_slice(TABLES).map_err(|error| {
            Failure::new(
                format!("the built-in tables cannot be read: {error}"),
                "install this program again",
            )
        })?;
        Ok(Arc::new(Shape::new(schema)?))
    };
    SHAPE.get_or_init(make).clone()
}
