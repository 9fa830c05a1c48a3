//! The records: one struct a table, its columns in their order. Times are [`Millis`]; `…_text` keeps the text of an
//! imported time that a rewrite would not give back, so that a history stays as it was.
//!
//! Of every record that the ledger folds, `last_event` is the newest event on it (several where a merge left concurrent
//! ones: their ids with spaces between, the one that decided last; none where the record was only heard of),
//! `deleted_at` a soft deletion, and `seq` the workspace's sequence at the last change.

use crate::cx::{Record, record, row};
use crate::ledger::Fields;
use deciduous_boundary::{Cell, Millis};

record! {
    /// A workspace with its counters. `replica` is this store's own name in the workspace's ledger; `lamport`,
    /// `ordinal` and `chain` continue its hash chain; `conflicts` counts the open rows of [`Conflict`].
    pub struct Workspace in "workspace" {
        workspace: u32,
        name: String,
        created_at: i64,
        replica: String,
        lamport: i64,
        ordinal: i64,
        chain: String,
        next_node: u32,
        next_edge: u32,
        next_theme: u32,
        next_document: u32,
        next_session: u32,
        conflicts: u32,
        seq: i64,
    }
}

record! {
    /// A strand of another store's events that are held here: its last ordinal, the clock there, and its chain's head.
    /// `id` is the replica's; a replica whose name two stores used has further strands, `REPLICA~FIRST-EVENT`, which
    /// leave an older one before the event `first`.
    pub struct Replica in "replica" {
        workspace: u32,
        id: String,
        ordinal: i64,
        lamport: i64,
        chain: String,
        first: i64,
        seq: i64,
    }
}

record! {
    /// What of a strand stands in a segment file of this name: its events `first` to `last`. A segment that begins
    /// before a fork has a row for each strand it runs through. Whether the file is there only a host knows.
    pub struct Segment in "segment" {
        workspace: u32,
        name: String,
        strand: String,
        first: i64,
        last: i64,
        seq: i64,
    }
}

record! {
    /// A ledger event; `core/src/ledger/FORMAT.md` describes it.
    pub struct Event in "event" {
        workspace: u32,
        seq: i64,
        id: String,
        replica: String,
        ordinal: i64,
        lamport: i64,
        at: i64,
        actor: String,
        actor_kind: String,
        kind: String,
        subject: String,
        /// JSON object: field to value.
        fields: String,
        /// The newest event on this subject that the writer knew; several with spaces between.
        after: Option<String>,
        tool: String,
        idempotency_key: Option<String>,
        session: Option<String>,
        /// Id of the first event of the write that this one belongs to; none for that first one itself.
        write: Option<String>,
        /// Id of the first event of the write that this one takes back.
        undoes: Option<String>,
        version: u32,
        hash: String,
    }
}

record! {
    /// A field to which replicas that did not know of each other gave different values, so that a merge decided.
    /// `open` is 1 until somebody who knew both writes the field again, then 0.
    pub struct Conflict in "conflict" {
        workspace: u32,
        subject: String,
        field: String,
        open: u32,
        /// Id of the event whose value stands.
        winner: String,
        /// JSON array: ids of the events whose values lost, greatest first.
        losers: String,
        found_at: i64,
        seq: i64,
    }
}

record! {
    /// A node. `id` is the local number (`#42`), `change_id` the identity.
    pub struct Node in "node" {
        workspace: u32,
        id: u32,
        change_id: String,
        node_type: String,
        title: String,
        description: Option<String>,
        status: String,
        confidence: Option<u32>,
        prompt: Option<String>,
        /// JSON array of paths.
        files: Option<String>,
        branch: Option<String>,
        commit: Option<String>,
        /// JSON object: what an import or `update_node` added beyond the columns.
        metadata: Option<String>,
        created_at: i64,
        created_text: Option<String>,
        updated_at: i64,
        updated_text: Option<String>,
        deleted_at: Option<i64>,
        last_event: Option<String>,
        seq: i64,
    }
}

record! {
    /// An edge, keyed by its ends and its type.
    pub struct Edge in "edge" {
        workspace: u32,
        from_id: u32,
        to_id: u32,
        edge_type: String,
        id: u32,
        rationale: Option<String>,
        weight: f64,
        created_at: i64,
        created_text: Option<String>,
        deleted_at: Option<i64>,
        last_event: Option<String>,
        seq: i64,
    }
}

record! {
    /// A theme; its name is its identity.
    pub struct Theme in "theme" {
        workspace: u32,
        name: String,
        id: u32,
        color: String,
        description: Option<String>,
        created_at: i64,
        deleted_at: Option<i64>,
        last_event: Option<String>,
        seq: i64,
    }
}

record! {
    /// A node's tag.
    pub struct NodeTheme in "node_theme" {
        workspace: u32,
        node_id: u32,
        theme: String,
        created_at: i64,
        deleted_at: Option<i64>,
        last_event: Option<String>,
        seq: i64,
    }
}

record! {
    /// A file attached to a node; its bytes are the blob `sha256`.
    pub struct Document in "document" {
        workspace: u32,
        id: u32,
        change_id: String,
        node_id: u32,
        name: String,
        path: String,
        sha256: String,
        size_bytes: i64,
        media_type: String,
        description: Option<String>,
        created_at: i64,
        deleted_at: Option<i64>,
        last_event: Option<String>,
        seq: i64,
    }
}

record! {
    /// A conversation and its root goal.
    pub struct Session in "session" {
        workspace: u32,
        id: u32,
        change_id: String,
        name: String,
        root_id: u32,
        summary: Option<String>,
        started_at: i64,
        ended_at: Option<i64>,
        deleted_at: Option<i64>,
        last_event: Option<String>,
        seq: i64,
    }
}

record! {
    /// A node written in a session.
    pub struct SessionNode in "session_node" {
        workspace: u32,
        session_id: u32,
        node_id: u32,
        created_at: i64,
        deleted_at: Option<i64>,
        last_event: Option<String>,
        seq: i64,
    }
}

record! {
    /// The first result of a write that carried an idempotency key.
    pub struct Receipt in "receipt" {
        workspace: u32,
        key: String,
        toolset: String,
        tool: String,
        digest: String,
        output: String,
        text: String,
        /// JSON object: what the client's host was to keep.
        kept: Option<String>,
        at: i64,
        seq: i64,
    }
}

record! {
    /// Who wrote to a branch lately.
    pub struct Lease in "lease" {
        workspace: u32,
        branch: String,
        client: String,
        expires_at: i64,
        seq: i64,
    }
}

row! {
    /// What a list shows of a node.
    #[derive(PartialEq)]
    pub struct NodeBrief in "node" {
        id: u32,
        change_id: String,
        node_type: String,
        title: String,
        status: String,
        confidence: Option<u32>,
        branch: Option<String>,
        created_at: i64,
        created_text: Option<String>,
        deleted_at: Option<i64>,
    }
}

row! {
    /// What a node is called, here and everywhere.
    pub struct NodeName in "node" {
        change_id: String,
    }
}

/// The key of a node's row.
pub(crate) fn node_key(workspace: u32, id: u32) -> Vec<Cell> {
    vec![workspace.into(), id.into()]
}

/// A record folded from the ledger: what an event does to it beyond setting its fields.
pub(crate) trait Folded: Record {
    /// Called after the fields are set; `first` on the record's first event.
    fn stamp(&mut self, at: Millis, fields: &Fields, first: bool);
    /// `heads`: the newest events' ids, with spaces between.
    fn set_event(&mut self, heads: &str, seq: i64);
    fn deleted_at(&self) -> Option<Millis>;
}

macro_rules! folded {
    ($($name:ident: $created:ident,)*) => {
        $(impl Folded for $name {
            fn stamp(&mut self, at: Millis, fields: &Fields, first: bool) {
                if first && !fields.contains_key(stringify!($created)) {
                    self.$created = at;
                }
                self.touched(at, fields);
            }
            fn set_event(&mut self, heads: &str, seq: i64) {
                self.last_event = Some(heads.to_owned());
                self.seq = seq;
            }
            fn deleted_at(&self) -> Option<Millis> {
                self.deleted()
            }
        })*
    };
}

folded! { Node: created_at, Edge: created_at, Theme: created_at, NodeTheme: created_at, Document: created_at, Session: started_at, SessionNode: created_at, }

/// Fields that follow from an event without being set by it.
trait Touched {
    fn touched(&mut self, _at: Millis, _fields: &Fields) {}
    fn deleted(&self) -> Option<Millis>;
}

impl Touched for Node {
    fn touched(&mut self, at: Millis, fields: &Fields) {
        if !fields.contains_key("updated_at") {
            self.updated_at = at;
            self.updated_text = None;
        }
    }
    fn deleted(&self) -> Option<Millis> {
        self.deleted_at
    }
}

macro_rules! deletable {
    ($($name:ident)*) => { $(impl Touched for $name { fn deleted(&self) -> Option<Millis> { self.deleted_at } })* };
}
deletable! { Edge Theme NodeTheme Document Session SessionNode }

impl Node {
    pub(crate) fn kind(&self) -> Option<super::NodeType> {
        super::NodeType::parse(&self.node_type)
    }

    /// The event that decided last what the node says.
    pub(crate) fn decided_by(&self) -> Option<&str> {
        self.last_event.as_deref()?.split(' ').next_back()
    }

    pub(crate) fn is_live(&self) -> bool {
        self.deleted_at.is_none() && !self.node_type.is_empty()
    }

    pub(crate) fn file_list(&self) -> Vec<String> {
        self.files
            .as_deref()
            .and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_default()
    }
}

impl Event {
    /// The write that the event belongs to: the id of that write's first event.
    pub(crate) fn of_write(&self) -> &str {
        self.write.as_deref().unwrap_or(&self.id)
    }
}
