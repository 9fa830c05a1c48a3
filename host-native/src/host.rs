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

use crate::{Failure, Project};
use deciduous_boundary::{Actor, Done, Refusal, ViewMode};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

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
    _private: (),
}

impl Host {
    /// # Errors
    /// Where the store is missing, damaged, made by a newer version, or no store at all.
    pub fn open(project: &Project, access: Access) -> Result<Host, Failure> {
        let _ = (project, access);
        Ok(Host { _private: () })
    }

    /// Carries out one call. Returned means committed.
    ///
    /// # Errors
    /// Where the store or the core failed; nothing was written then.
    pub fn call(&mut self, call: &Call<'_>) -> Result<Outcome, Failure> {
        let _ = call;
        Err(Failure::new("no store yet", "wait for it"))
    }
}
