//! What is still to be answered, and what is still to be written.
//!
//! Owns: the requests in flight, batches, the parts of an answer that are JSON already. Never: reading.

use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, TxJsonRpcMessage};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};

/// JSON made elsewhere that takes the place of an empty value in an answer.
#[derive(Debug)]
pub struct Part {
    /// What rmcp writes: the field with its empty value.
    pub empty: &'static str,
    /// The field's name and colon.
    pub name: &'static str,
    pub json: String,
}

/// Answers that leave together, as their requests came.
#[derive(Debug, Default)]
struct Batch {
    waiting: usize,
    ready: Vec<Vec<u8>>,
}

#[derive(Debug, Default)]
struct State {
    /// Requests not yet answered, and the batch they came in.
    open: HashMap<RequestId, Option<u64>>,
    parts: HashMap<RequestId, Part>,
    batches: HashMap<u64, Batch>,
    last_batch: u64,
}

#[derive(Debug, Default)]
pub struct Answers {
    state: Mutex<State>,
    /// Lines handed to the writer and not yet out.
    queued: AtomicUsize,
    broken: AtomicBool,
    changed: Notify,
    given_up: watch::Sender<bool>,
}

impl Answers {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here is left half-done by a panic elsewhere.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn put(&self, id: RequestId, part: Part) {
        self.state().parts.insert(id, part);
    }

    /// Takes note of a request; `false` where one with its id is still in flight.
    pub fn open(&self, id: &RequestId, batch: Option<u64>) -> bool {
        let mut state = self.state();
        if state.open.contains_key(id) {
            return false;
        }
        state.open.insert(id.clone(), batch);
        true
    }

    /// A new batch of so many answers; 0 is a batch of notifications only, which is not answered.
    pub fn batch(&self, waiting: usize) -> u64 {
        let mut state = self.state();
        state.last_batch += 1;
        let number = state.last_batch;
        if waiting > 0 {
            state.batches.insert(
                number,
                Batch {
                    waiting,
                    ready: Vec::new(),
                },
            );
        }
        number
    }

    /// The client gave the request up: no answer will come. Gives the lines that are ready because of it.
    pub fn forget(&self, id: &RequestId) -> Option<Vec<u8>> {
        let mut state = self.state();
        state.parts.remove(id);
        let batch = state.open.remove(id).flatten();
        let line = batch.and_then(|number| state.deliver(number, None));
        drop(state);
        self.changed.notify_one();
        line
    }

    /// The line of a message, once it is ready to leave: an answer that belongs to a batch waits for the others.
    pub fn line(&self, message: &TxJsonRpcMessage<RoleServer>) -> Option<Vec<u8>> {
        let mut json = serde_json::to_string(message).unwrap_or_default();
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let mut state = self.state();
        let Some(id) = id else {
            return Some(ended(json.into_bytes()));
        };
        if let Some(part) = state.parts.remove(id)
            && let Some(at) = json.find(part.empty)
        {
            // Inside texts the quotes are escaped, so what is found is the field.
            json.replace_range(
                at..at + part.empty.len(),
                &format!("{}{}", part.name, part.json),
            );
        }
        match state.open.remove(id).flatten() {
            Some(number) => state.deliver(number, Some(json.into_bytes())),
            None => Some(ended(json.into_bytes())),
        }
    }

    /// The same for an answer without an id inside a batch.
    pub fn deliver(&self, batch: u64, json: Vec<u8>) -> Option<Vec<u8>> {
        self.state().deliver(batch, Some(json))
    }

    pub fn queue(&self) {
        self.queued.fetch_add(1, Ordering::SeqCst);
    }

    pub fn out(&self, lines: usize) {
        self.queued.fetch_sub(lines, Ordering::SeqCst);
        self.changed.notify_one();
    }

    /// Nobody reads any more.
    pub fn break_off(&self) {
        self.broken.store(true, Ordering::SeqCst);
        self.changed.notify_one();
    }

    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::SeqCst)
    }

    /// Reads in flight are not waited for any more.
    pub fn give_up(&self) {
        self.given_up.send_replace(true);
    }

    pub async fn given_up(&self) {
        // The sender is part of `self`, so waiting cannot fail.
        let _ = self
            .given_up
            .subscribe()
            .wait_for(|given_up| *given_up)
            .await;
    }

    /// Until every request is answered and every answer out, or nobody reads.
    pub async fn idle(&self) {
        let busy = || !self.state().open.is_empty() || self.queued.load(Ordering::SeqCst) > 0;
        while !self.is_broken() && busy() {
            self.changed.notified().await;
        }
    }

    /// Until what was handed to the writer is out.
    pub async fn written(&self) {
        while !self.is_broken() && self.queued.load(Ordering::SeqCst) > 0 {
            self.changed.notified().await;
        }
    }

    /// Until nobody reads any more.
    pub async fn broke(&self) {
        while !self.is_broken() {
            self.changed.notified().await;
        }
    }
}

impl State {
    fn deliver(&mut self, number: u64, json: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let batch = self.batches.get_mut(&number)?;
        batch.waiting -= 1;
        batch.ready.extend(json);
        if batch.waiting > 0 {
            return None;
        }
        let ready = self.batches.remove(&number)?.ready;
        if ready.is_empty() {
            return None;
        }
        Some(ended([b"[".as_slice(), &ready.join(&b','), b"]"].concat()))
    }
}

fn ended(mut line: Vec<u8>) -> Vec<u8> {
    line.push(b'\n');
    line
}
