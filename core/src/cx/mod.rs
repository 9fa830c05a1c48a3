//! The context of one run of a tool: what it may ask and what it knows.
//!
//! A question returns its answer, or records the want and stops the run (`?`). Several questions asked before the
//! first `?` travel in one round:
//!
//! ```text
//! let node = cx.rows::<Node>(..);      // both are recorded
//! let edges = cx.scan::<Edge>(..);
//! let (node, edges) = (node?, edges?); // one stop, one round
//! ```

mod facts;
mod memo;
mod row;
mod scan;

pub(crate) use facts::{FactStore, Postings, slice};
pub(crate) use memo::Memo;
pub(crate) use row::{Field, Record, Row, record, row};
pub(crate) use scan::Scan;

use crate::graph::{Graph, Resident};
use crate::refuse::{Step, Stop};
use crate::time;
use deciduous_boundary::{Actor, Cell, Change, Env, Fetch, FileFact, Millis, ViewMode};
use serde_json::Value;
use std::any::Any;
use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The key under which a host keeps a client's session.
const SESSION: &str = "session";

/// What a run has asked for.
#[derive(Debug, Default)]
pub(crate) struct Wants(RefCell<Vec<Fetch>>);

impl Wants {
    /// Records the want; always stops.
    pub(crate) fn add<T>(&self, fetch: Fetch) -> Step<T> {
        let mut wants = self.0.borrow_mut();
        if !wants.contains(&fetch) {
            wants.push(fetch);
        }
        Err(Stop::Need)
    }

    pub(crate) fn take(&self) -> Vec<Fetch> {
        self.0.take()
    }
}

/// Arguments that every write takes, whatever the tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Common {
    pub idempotency_key: Option<String>,
    pub session_id: Option<u32>,
}

/// One run's context.
pub(crate) struct Cx<'a> {
    pub toolset: &'a str,
    pub tool: &'a str,
    pub caller: &'a Actor,
    pub env: &'a Env,
    pub common: RefCell<Common>,
    pub(crate) wants: Wants,
    facts: &'a FactStore,
    memo: &'a Memo,
    resident: &'a RefCell<Resident>,
    changes: RefCell<Vec<Change>>,
    keep: RefCell<BTreeMap<String, Value>>,
}

impl<'a> Cx<'a> {
    pub(crate) fn new(
        (toolset, tool): (&'a str, &'a str),
        caller: &'a Actor,
        env: &'a Env,
        (facts, memo): (&'a FactStore, &'a Memo),
        resident: &'a RefCell<Resident>,
    ) -> Self {
        Cx {
            toolset,
            tool,
            caller,
            env,
            common: RefCell::default(),
            wants: Wants::default(),
            facts,
            memo,
            resident,
            changes: RefCell::default(),
            keep: RefCell::default(),
        }
    }

    /// Within the years that a time can be written in: a clock may be wrong by any amount.
    pub(crate) fn now(&self) -> Millis {
        self.env.now.clamp(0, time::LAST)
    }

    /// The session that this client is in, as an earlier call of it had the host keep.
    pub(crate) fn kept_session(&self) -> Option<u32> {
        let id = self.env.kept.get(SESSION)?.as_u64()?;
        u32::try_from(id).ok()
    }

    /// Has the client be in this session from now on; none: in no session.
    pub(crate) fn keep_session(&self, id: Option<u32>) {
        self.keep(SESSION, id.into());
    }

    pub(crate) fn wants_view(&self) -> bool {
        self.env.view != ViewMode::None
    }

    /// Does the dear part of a call once, not once a run. `make` may only depend on the call's arguments and facts,
    /// and `name` tells it from the call's other ones:
    ///
    /// ```text
    /// let found = cx.once("found", || Ok(search(&*cx.graph(LOCAL)?)))?;   // a pass over the whole graph
    /// let rows = cx.rows::<Node>(&keys(&found))?;                         // stops, and runs the tool again
    /// ```
    pub(crate) fn once<T: Any + Send + Sync>(
        &self,
        name: &'static str,
        make: impl FnOnce() -> Step<T>,
    ) -> Step<Arc<T>> {
        self.memo.once(name, make)
    }

    /// Rows by primary key, in the order of `keys`.
    pub(crate) fn rows<R: Row>(&self, keys: &[Vec<Cell>]) -> Step<Vec<Option<R>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        self.facts.rows(&self.wants, keys)
    }

    /// One row by primary key.
    pub(crate) fn row<R: Row>(&self, key: Vec<Cell>) -> Step<Option<R>> {
        Ok(self.rows(&[key])?.pop().flatten())
    }

    /// Rows below each prefix of an index; see [`Scan`].
    pub(crate) fn scan<R: Row>(&self, scan: Scan) -> Step<Vec<Vec<R>>> {
        if scan.prefixes.is_empty() {
            return Ok(Vec::new());
        }
        self.facts.scan(&self.wants, scan.fetch::<R>())
    }

    /// Rows below one prefix.
    pub(crate) fn scan_one<R: Row>(&self, scan: Scan) -> Step<Vec<R>> {
        Ok(self.scan(scan)?.pop().unwrap_or_default())
    }

    pub(crate) fn count<R: Row>(&self, index: &str, prefix: Vec<Cell>) -> Step<u32> {
        self.facts.count(&self.wants, R::TABLE, index, prefix)
    }

    pub(crate) fn postings(
        &self,
        workspace: u32,
        terms: Vec<String>,
        limit: u32,
    ) -> Step<Postings> {
        self.facts.postings(&self.wants, workspace, terms, limit)
    }

    /// The whole graph of a workspace, without its texts.
    pub(crate) fn graph(&self, workspace: u32) -> Step<Ref<'_, Graph>> {
        let missing = Graph::TABLES
            .iter()
            .filter(|table| !self.facts.has_columns(workspace, table));
        let fetches = missing
            .map(|table| self.resident.borrow().fetch(workspace, table))
            .collect::<Vec<_>>();
        for fetch in fetches.iter().cloned() {
            let _: Step<()> = self.wants.add(fetch);
        }
        if !fetches.is_empty() {
            return Err(Stop::Need);
        }
        // Not while somebody holds the graph already, which is settled then.
        if !self.resident.borrow().is_settled(workspace) {
            self.resident.borrow_mut().settle(workspace);
        }
        Ref::filter_map(self.resident.borrow(), |resident| resident.graph(workspace))
            .map_err(|_| Stop::Need)
    }

    /// The checked-out branch, when there is one.
    pub(crate) fn branch(&self) -> Step<Option<String>> {
        self.facts.outside(&self.wants, Fetch::Branch {})
    }

    /// The full hash of a revision.
    pub(crate) fn commit(&self, rev: &str) -> Step<Option<String>> {
        self.facts.outside(
            &self.wants,
            Fetch::Commit {
                rev: rev.to_owned(),
            },
        )
    }

    /// Names of the segment files that lie beside the store; none where nobody keeps any.
    pub(crate) fn segments(&self) -> Step<Option<Vec<String>>> {
        self.facts.outside(&self.wants, Fetch::Segments {})
    }

    pub(crate) fn file(&self, path: &str) -> Step<FileFact> {
        self.facts.outside(
            &self.wants,
            Fetch::File {
                path: path.to_owned(),
            },
        )
    }

    /// Says what to write.
    pub(crate) fn change(&self, change: Change) {
        self.changes.borrow_mut().push(change);
    }

    /// Has the host tell `value` back at this client's later calls.
    pub(crate) fn keep(&self, key: &str, value: Value) {
        self.keep.borrow_mut().insert(key.to_owned(), value);
    }

    pub(crate) fn take_effects(&self) -> (Vec<Change>, BTreeMap<String, Value>) {
        (self.changes.take(), self.keep.take())
    }
}
