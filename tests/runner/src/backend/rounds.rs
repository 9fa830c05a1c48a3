//! One call from start to end over the tables in memory, with the core as a library or as a module.
//!
//! Owns: the rounds, and that changes are applied before anybody is told. Never: which host is meant.

use super::{Answer, Backend, Call, Facts};
use deciduous_boundary as boundary;
use deciduous_boundary::{Env, Fetch, Reply, Request, ViewMode, frame, unframe};
use deciduous_tables::Tables;
use serde_json::Value;
use std::collections::BTreeMap;

/// More rounds than a stingy host needs for the largest vector.
const MAX_ROUNDS: usize = 5_000;

/// Two functions over messages.
pub trait Core {
    /// # Errors
    /// Where the core broke.
    fn call(&mut self, message: &[u8]) -> Result<Vec<u8>, String>;
    /// # Errors
    /// Where the core broke.
    fn answer(&mut self, message: &[u8]) -> Result<Vec<u8>, String>;
}

/// Which fetches a host answers in a round.
pub trait Reader {
    /// Positions in `fetches`, in the order in which they are answered; at least one.
    fn choose(&self, fetches: &[Fetch]) -> Vec<usize>;
}

/// A core with a store and its clients.
pub struct Session {
    core: Box<dyn Core>,
    reader: Box<dyn Reader>,
    tables: Tables,
    facts: Facts,
    /// What each client keeps.
    kept: BTreeMap<String, BTreeMap<String, Value>>,
    /// Every message of the core so far, for a comparison of two cores.
    pub replies: Vec<Vec<u8>>,
}

impl Session {
    /// # Errors
    /// Where the schema contradicts itself.
    pub fn new(core: Box<dyn Core>, reader: Box<dyn Reader>, facts: Facts) -> Result<Self, String> {
        Ok(Session {
            core,
            reader,
            tables: Tables::new(&deciduous_core::schema()).map_err(|error| error.to_string())?,
            facts,
            kept: BTreeMap::new(),
            replies: Vec::new(),
        })
    }

    /// As the native host does: what lies outside is answered alone and first.
    fn learn(&self, fetches: &[Fetch]) -> Result<Vec<u8>, String> {
        let outside: Vec<usize> = (0..fetches.len())
            .filter(|&at| fetches[at].is_outside())
            .collect();
        let wanted: Vec<usize> = if outside.is_empty() {
            (0..fetches.len()).collect()
        } else {
            outside
        };
        let among: Vec<Fetch> = wanted.iter().map(|&at| fetches[at].clone()).collect();
        let mut attachment = Vec::new();
        let mut facts = boundary::Facts::default();
        for chosen in self.reader.choose(&among) {
            let fetch = &among[chosen];
            let answer = if fetch.is_outside() {
                self.facts.answer(fetch)?
            } else {
                self.tables
                    .answer(fetch, &mut attachment)
                    .map_err(|error| format!("{error}; asked: {fetch:?}"))?
            };
            let number = u32::try_from(wanted[chosen]).map_err(|error| error.to_string())?;
            facts.facts.push((number, answer));
        }
        Ok(frame(
            &serde_json::to_vec(&facts).map_err(|error| error.to_string())?,
            &attachment,
        ))
    }

    fn read(&mut self, message: Vec<u8>) -> Result<Reply, String> {
        let (json, _) =
            unframe(&message).ok_or("the core's message is shorter than its frame says")?;
        let reply = serde_json::from_slice(json)
            .map_err(|error| format!("the core's message is no reply: {error}"));
        self.replies.push(message);
        reply
    }
}

impl Backend for Session {
    fn call(&mut self, call: &Call<'_>) -> Result<Answer, String> {
        let request = Request {
            toolset: call.toolset.to_owned(),
            tool: call.tool.to_owned(),
            args: call.args.clone(),
            caller: call.caller.clone(),
            env: Env {
                now: call.now,
                entropy: call.entropy.clone(),
                workspace: call.workspace.map(str::to_owned),
                kept: self.kept.get(call.client).cloned().unwrap_or_default(),
                view: if call.view {
                    ViewMode::Terminal
                } else {
                    ViewMode::None
                },
            },
        };
        let message = frame(
            &serde_json::to_vec(&request).map_err(|error| error.to_string())?,
            &[],
        );
        let mut message = self.core.call(&message)?;
        for _ in 0..MAX_ROUNDS {
            match self.read(message)? {
                Reply::Need { fetches, .. } => {
                    let facts = self.learn(&fetches)?;
                    message = self.core.answer(&facts)?;
                }
                Reply::Done(done) => {
                    self.tables
                        .apply(&done.changes)
                        .map_err(|error| format!("the changes do not fit: {error}"))?;
                    let kept = self.kept.entry(call.client.to_owned()).or_default();
                    for (name, value) in done.keep {
                        if value.is_null() {
                            kept.remove(&name);
                        } else {
                            kept.insert(name, value);
                        }
                    }
                    return Ok(Answer::Done {
                        output: done.output,
                        text: done.text,
                        view: done.view,
                    });
                }
                Reply::Refused(refusal) => return Ok(Answer::Refused(*refusal)),
            }
        }
        Err(format!("no end after {MAX_ROUNDS} rounds"))
    }
}
