//! One write under way: counters, events, rows.

use crate::cx::{Cx, Record};
use crate::ledger::{EVENT_VERSION, Fields, Ids, Subject, chain, conflict, fold_event};
use crate::lookup;
use crate::model::{Conflict, Event, Folded, Lease, Node, Replica, Session, Workspace};
use crate::refuse::{Step, refusal, stop};
use crate::text::{distinct, tokens};
use deciduous_boundary::{ActorKind, Change, Millis};
use std::collections::BTreeMap;

/// The number of the one workspace of a project's own store.
pub(crate) const LOCAL: u32 = 1;
const LOCAL_NAME: &str = "local";
/// How long a write to a branch is shown as somebody's work there.
const LEASE: Millis = 5 * 60 * 1_000;

/// Whether a lease still stands. One that ends much later than any taken now could was taken under a clock that was wrong.
pub(crate) fn lease_stands(expires_at: Millis, now: Millis) -> bool {
    (now + 1..=now + 2 * LEASE).contains(&expires_at)
}

/// Opened by a write tool, which records events through it and ends with [`Tx::finish`].
pub(crate) struct Tx<'a, 'c> {
    pub(crate) cx: &'c Cx<'a>,
    pub(crate) home: Workspace,
    pub(crate) ids: Ids,
    /// The session that the write belongs to, when there is one.
    pub(crate) session: Option<Session>,
    /// The first event of this write, once it is recorded.
    write: Option<String>,
    /// The write that this one takes back, by its first event.
    pub(crate) undoes: Option<String>,
    pub(super) recorded: u32,
    /// Open conflicts by subject.
    pub(super) conflicts: BTreeMap<String, Vec<Conflict>>,
    leased: Option<String>,
}

impl<'a, 'c> Tx<'a, 'c> {
    /// Asks for the counters and the session, in one round.
    pub(crate) fn open(cx: &'c Cx<'a>) -> Step<Self> {
        let home = cx.row::<Workspace>(vec![LOCAL.into()]);
        let named = cx.common.borrow().session_id;
        let session = match named.or_else(|| cx.kept_session()) {
            Some(id) => cx.row::<Session>(vec![LOCAL.into(), id.into()]),
            None => Ok(None),
        };
        let (home, session) = (home?, session?);
        // One whose beginning was undone is not there.
        let session = session.filter(|session| session.deleted_at.is_none());
        if let (Some(id), None) = (named, &session) {
            return stop(lookup::unknown_session(id));
        }
        // Somebody else may have ended the session that this client began; only a named one is written to after that.
        let session = session.filter(|session| named.is_some() || session.ended_at.is_none());
        let mut ids = Ids::new(cx.env);
        let home = home.unwrap_or_else(|| new_home(cx, &mut ids));
        let conflicts = conflict::all_open(cx, &home)?;
        Ok(Tx {
            cx,
            home,
            ids,
            session,
            write: None,
            undoes: None,
            recorded: 0,
            conflicts,
            leased: None,
        })
    }

    /// The counters of a store that has none.
    pub(super) fn new_home(cx: &Cx) -> Workspace {
        new_home(cx, &mut Ids::new(cx.env))
    }

    /// Has the store write under a new name from now on: the numbers under the old one may be taken.
    pub(super) fn rename(cx: &Cx, home: &mut Workspace) {
        home.replica = Ids::new(cx.env).next();
        home.ordinal = 0;
        home.chain.clear();
    }

    /// Has the store go on under a new name; the events under the old one are another store's from now on.
    pub(crate) fn renew(&mut self) {
        let (id, ordinal) = (self.home.replica.clone(), self.home.ordinal);
        if ordinal == 0 {
            return;
        }
        let former = Replica {
            workspace: self.workspace(),
            id,
            ordinal,
            lamport: self.home.lamport,
            chain: self.home.chain.clone(),
            first: 1,
            seq: self.home.seq,
        };
        Tx::rename(self.cx, &mut self.home);
        self.put(&former);
        self.put(&self.home);
    }

    pub(crate) fn workspace(&self) -> u32 {
        self.home.workspace
    }

    /// The first event of this write, once there is one.
    pub(crate) fn write(&self) -> Option<String> {
        self.write.clone()
    }

    /// Records an event and applies it to `row`, which is then written too.
    pub(crate) fn record<R: Folded>(
        &mut self,
        row: &mut R,
        kind: &str,
        subject: &Subject,
        after: Option<String>,
        fields: Fields,
    ) -> Step<()> {
        if after.is_some() {
            self.close_conflicts(&subject.to_string(), &fields);
        }
        let home = &mut self.home;
        home.seq += 1;
        home.ordinal += 1;
        home.lamport += 1;
        let first = after.is_none();
        let mut event = Event {
            workspace: home.workspace,
            seq: home.seq,
            id: self.ids.next(),
            replica: home.replica.clone(),
            ordinal: home.ordinal,
            lamport: home.lamport,
            at: self.cx.now(),
            actor: self.cx.caller.name.clone(),
            actor_kind: actor_kind(self.cx.caller.kind).to_owned(),
            kind: kind.to_owned(),
            subject: subject.to_string(),
            fields: serde_json::to_string(&fields).unwrap_or_default(),
            after,
            tool: self.cx.tool.to_owned(),
            idempotency_key: self.cx.common.borrow().idempotency_key.clone(),
            session: self
                .session
                .as_ref()
                .map(|session| session.change_id.clone()),
            write: self.write.clone(),
            undoes: self.undoes.clone(),
            version: EVENT_VERSION,
            hash: String::new(),
        };
        event.hash = chain::hash(&home.chain, &event);
        home.chain.clone_from(&event.hash);
        fold_event(row, &event, &fields, first)
            .map_err(|why| refusal(500, why, "report this as a defect"))?;
        self.write.get_or_insert_with(|| event.id.clone());
        self.recorded += 1;
        self.put(&event);
        self.put(row);
        Ok(())
    }

    /// Writes a row as it is.
    pub(crate) fn put<R: Record>(&self, row: &R) {
        self.cx.change(Change::Put {
            table: R::TABLE.to_owned(),
            row: row.cells(),
        });
    }

    /// Brings the search index from what a node said before to what it says now.
    pub(crate) fn index(&self, before: Option<&Node>, after: &Node) {
        let removed = before.map_or_else(Vec::new, |node| distinct(texts(node)));
        let added = distinct(texts(after));
        if removed == added {
            return;
        }
        let length = length(after);
        self.cx.change(Change::Index {
            workspace: after.workspace,
            doc: after.id,
            removed,
            added,
            length,
        });
    }

    /// Marks the branch that is written to, so that others see who works there.
    pub(crate) fn on_branch(&mut self, branch: Option<&str>) {
        self.leased = branch.map(str::to_owned);
    }

    /// Writes the counters. Nothing is written when nothing happened.
    pub(crate) fn finish(self) {
        if self.recorded == 0 {
            return;
        }
        if let (Some(branch), "all" | "shared") = (&self.leased, self.cx.toolset) {
            self.put(&Lease {
                workspace: self.workspace(),
                branch: branch.clone(),
                client: self.cx.caller.name.clone(),
                expires_at: self.cx.now() + LEASE,
                seq: self.home.seq,
            });
        }
        self.put(&self.home);
    }
}

fn new_home(cx: &Cx, ids: &mut Ids) -> Workspace {
    Workspace {
        workspace: LOCAL,
        name: LOCAL_NAME.to_owned(),
        created_at: cx.now(),
        replica: ids.next(),
        next_node: 1,
        next_edge: 1,
        next_theme: 1,
        next_document: 1,
        next_session: 1,
        ..Workspace::default()
    }
}

/// What the search index holds of a node: its distinct terms, and how many there are with repetitions.
pub(crate) fn indexed(node: &Node) -> (Vec<String>, u32) {
    (distinct(texts(node)), length(node))
}

fn length(node: &Node) -> u32 {
    let terms = texts(node).into_iter().map(|text| tokens(text).len());
    u32::try_from(terms.sum::<usize>()).unwrap_or(u32::MAX)
}

/// What is searched of a node; nothing of one that is gone.
fn texts(node: &Node) -> Vec<&str> {
    if !node.is_live() {
        return Vec::new();
    }
    [
        Some(node.title.as_str()),
        node.description.as_deref(),
        node.prompt.as_deref(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn actor_kind(kind: ActorKind) -> &'static str {
    match kind {
        ActorKind::Person => "person",
        ActorKind::Agent => "agent",
        ActorKind::System => "system",
    }
}
