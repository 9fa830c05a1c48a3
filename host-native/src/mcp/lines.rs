//! The transport: one message a line, in and out.
//!
//! Owns: reading lines of any length and content without ending, writing, and ending when standard input does.
//! Never: what a message means. rmcp's own transport drops a line that is no JSON without a word, and gives answers in
//! flight five seconds at the end, whether they write or not.

use super::answers::Answers;
use super::message::{self, Read};
use super::worker::Busy;
use super::{CLOSING, GRACE};
use rmcp::model::{ClientNotification, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, ready};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout, timeout_at};

/// A longer line is refused, and never held in memory. As long as the longest body over HTTP.
const LONGEST: usize = 64 << 20;
/// A buffer that grew beyond this for one line is given back.
const KEPT: usize = 1 << 20;

pub struct Lines<R> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that is too long is being passed over.
    skipping: bool,
    /// Until when reads in flight are waited for; set when standard input has ended.
    ended: Option<Instant>,
    ready: VecDeque<RxJsonRpcMessage<RoleServer>>,
    to: UnboundedSender<Vec<u8>>,
    answers: Arc<Answers>,
    busy: Arc<Busy>,
}

impl<R: AsyncRead + Send + Unpin> Lines<R> {
    /// Must be called inside the runtime: writing is a task of its own.
    pub fn start(
        from: R,
        to: impl AsyncWrite + Send + Unpin + 'static,
        answers: Arc<Answers>,
        busy: Arc<Busy>,
    ) -> Self {
        let (sender, receiver) = unbounded_channel();
        tokio::spawn(write(to, receiver, answers.clone()));
        Lines {
            from: BufReader::with_capacity(64 << 10, from),
            line: Vec::new(),
            skipping: false,
            ended: None,
            ready: VecDeque::new(),
            to: sender,
            answers,
            busy,
        }
    }

    /// The next line, or none at the end. Dropped half-way it goes on where it was: bytes are taken from the reader
    /// only after they are in the line.
    async fn next(&mut self) -> Option<Read> {
        loop {
            let Ok(bytes) = self.from.fill_buf().await else {
                return None;
            };
            if bytes.is_empty() {
                // What was sent without a newline at the very end is a line too.
                let last = std::mem::take(&mut self.line);
                return (!last.is_empty() && !std::mem::take(&mut self.skipping))
                    .then(|| message::read(&last));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(bytes.len(), |end| end + 1);
            let fits = !self.skipping && self.line.len() + count <= LONGEST;
            if fits {
                self.line.extend_from_slice(&bytes[..count]);
            }
            self.from.consume(count);
            match (fits, end) {
                (true, Some(_)) => {
                    let read = message::read(&self.line);
                    if self.line.capacity() > KEPT {
                        self.line = Vec::new()
                    } else {
                        self.line.clear()
                    }
                    return Some(read);
                }
                (true, None) => {}
                (false, end) => {
                    let first = !self.skipping;
                    self.skipping = end.is_none();
                    self.line = Vec::new();
                    if first {
                        return Some(message::too_long(LONGEST));
                    }
                }
            }
        }
    }

    fn take(&mut self, read: Read) {
        match read {
            Read::Nothing => {}
            Read::Wrong(error) => self.write(self.answers.line(&error)),
            Read::Message(message) => self.accept(*message, None),
            Read::Batch(all) => {
                let due = all
                    .iter()
                    .filter(|read| {
                        matches!(read, Read::Wrong(_))
                            || matches!(read, Read::Message(message) if matches!(**message, JsonRpcMessage::Request(_)))
                    })
                    .count();
                let number = self.answers.batch(due);
                for read in all {
                    match read {
                        Read::Message(message) => self.accept(*message, Some(number)),
                        Read::Wrong(error) => self.deliver(number, &error),
                        Read::Batch(_) | Read::Nothing => {}
                    }
                }
            }
        }
    }

    fn accept(&mut self, message: RxJsonRpcMessage<RoleServer>, batch: Option<u64>) {
        match &message {
            JsonRpcMessage::Request(request) if !self.answers.open(&request.id, batch) => {
                if let Read::Wrong(error) = message::in_use(request.id.clone()) {
                    match batch {
                        Some(number) => self.deliver(number, &error),
                        // Written past the bookkeeping, which still waits for the first one's answer.
                        None => self.write(Some(line(&error))),
                    }
                }
                return;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    let line = self.answers.forget(id);
                    self.write(line);
                }
            }
            _ => {}
        }
        self.ready.push_back(message);
    }

    fn deliver(&self, batch: u64, error: &TxJsonRpcMessage<RoleServer>) {
        let mut json = line(error);
        json.pop();
        self.write(self.answers.deliver(batch, json));
    }

    fn write(&self, line: Option<Vec<u8>>) {
        if let Some(line) = line {
            self.answers.queue();
            // The writer ends only when nobody reads, and then nobody misses this.
            let _ = self.to.send(line);
        }
    }
}

fn line(message: &TxJsonRpcMessage<RoleServer>) -> Vec<u8> {
    let mut json = serde_json::to_vec(message).unwrap_or_default();
    json.push(b'\n');
    json
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Lines<R> {
    type Error = Infallible;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.write(self.answers.line(&item));
        ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let answers = self.answers.clone();
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if let Some(deadline) = self.ended {
                // rmcp goes on with answers while this waits, and ends when it gives nothing.
                if timeout_at(deadline, answers.idle()).await.is_err() {
                    self.busy.stop_reads();
                    answers.give_up();
                    while timeout(CLOSING, answers.idle()).await.is_err() && self.busy.writes() {}
                }
                return None;
            }
            let read = tokio::select! {
                read = self.next() => read,
                () = answers.broke() => None,
            };
            match read {
                Some(read) => self.take(read),
                None => self.ended = Some(Instant::now() + GRACE),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

async fn write(
    mut to: impl AsyncWrite + Unpin,
    mut lines: UnboundedReceiver<Vec<u8>>,
    answers: Arc<Answers>,
) {
    let mut some = Vec::new();
    while lines.recv_many(&mut some, 64).await > 0 {
        let count = some.len();
        let bytes = if count == 1 {
            some.pop().unwrap_or_default()
        } else {
            some.concat()
        };
        some.clear();
        if to.write_all(&bytes).await.is_err() || to.flush().await.is_err() {
            answers.break_off();
            return;
        }
        answers.out(count);
    }
}
