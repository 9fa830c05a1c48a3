//! A small graph in memory, and calls of tools on it.

use deciduous_boundary::{
    Actor, ActorKind, Env, Facts, Fetch, FileFact, Reply, Request, ViewMode, frame, unframe,
};
use deciduous_core::Instance;
use deciduous_tables::Tables;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::cell::RefCell;
use std::collections::BTreeMap;

pub struct Graph {
    pub instance: Instance,
    pub tables: Tables,
    calls: u64,
}

thread_local! {
    static FILLED: RefCell<Graph> = RefCell::new(Graph::filled());
}

impl Graph {
    #[must_use]
    pub fn empty() -> Graph {
        Graph {
            instance: Instance::new(),
            tables: Tables::new(&deciduous_core::schema()).expect("a sound schema"),
            calls: 0,
        }
    }

    /// A graph with a few rows in each table, made from the vectors' own calls.
    #[must_use]
    pub fn filled() -> Graph {
        let mut graph = Graph::empty();
        for call in crate::seeds::calls() {
            // Some of them are refused here: each was meant for a graph of its own.
            if call.toolset == "local" {
                graph.call(&call.toolset, &call.tool, &call.args, true);
            }
        }
        graph
    }

    /// Does something with the graph that every target shares; nothing is written to it.
    pub fn with<T>(run: impl FnOnce(&mut Graph) -> T) -> T {
        FILLED.with_borrow_mut(run)
    }

    pub fn request(&mut self, toolset: &str, tool: &str, args: &RawValue) -> Vec<u8> {
        self.calls += 1;
        let request = Request {
            toolset: toolset.to_owned(),
            tool: tool.to_owned(),
            args: args.to_owned(),
            caller: Actor {
                name: "fuzz".to_owned(),
                kind: ActorKind::Agent,
            },
            env: Env {
                now: 1_768_467_600_000 + self.calls.cast_signed() * 1_000,
                entropy: format!("{:064x}", self.calls),
                workspace: None,
                kept: BTreeMap::new(),
                view: ViewMode::Terminal,
            },
        };
        frame(&serde_json::to_vec(&request).expect("JSON"), &[])
    }

    /// The true answers to what was asked.
    pub fn answers(&self, fetches: &[Fetch]) -> (Vec<u8>, Vec<u8>) {
        let mut attachment = Vec::new();
        let facts = (0_u32..).zip(fetches).map(|(number, fetch)| {
            let fact = match fetch {
                Fetch::Branch {} => to_raw_value("main"),
                Fetch::Commit { .. } => to_raw_value(&Value::Null),
                Fetch::File { .. } => to_raw_value(&FileFact::NotFound {}),
                Fetch::Segments {} => to_raw_value(&["ab".repeat(32)]),
                Fetch::Rows { .. }
                | Fetch::Scan { .. }
                | Fetch::Count { .. }
                | Fetch::Columns { .. }
                | Fetch::Terms { .. } => Ok(self
                    .tables
                    .answer(fetch, &mut attachment)
                    .expect("a fetch of the schema's")),
            };
            (number, fact.expect("JSON"))
        });
        let facts = Facts {
            facts: facts.collect(),
        };
        (serde_json::to_vec(&facts).expect("JSON"), attachment)
    }

    /// A whole call; what it wants written is written when `keep` says so.
    pub fn call(&mut self, toolset: &str, tool: &str, args: &RawValue, keep: bool) -> Met {
        let request = self.request(toolset, tool, args);
        let mut reply = reply(&self.instance.call(&request));
        loop {
            match reply {
                Reply::Need { fetches, .. } => {
                    let (json, attachment) = self.answers(&fetches);
                    reply = self::reply(&self.instance.answer(&frame(&json, &attachment)));
                }
                Reply::Done(done) => {
                    if keep {
                        self.tables.apply(&done.changes).expect("changes that fit");
                    }
                    return Met::Done(done.output.get().to_owned());
                }
                Reply::Refused(refusal) => {
                    assert!(
                        (400..500).contains(&refusal.status) && !refusal.next.is_empty(),
                        "refused as no input should be: {refusal:?}"
                    );
                    assert!(
                        refusal.message.len() < 20_000,
                        "a refusal of {} bytes",
                        refusal.message.len()
                    );
                    return Met::Refused(refusal.status, refusal.message);
                }
            }
        }
    }
}

/// The core's reply, which must be one whatever it was told.
pub fn reply(bytes: &[u8]) -> Reply {
    let (json, _) = unframe(bytes).expect("a frame");
    serde_json::from_slice(json).expect("a reply")
}

/// How a call ended.
#[derive(Debug)]
pub enum Met {
    Done(String),
    Refused(u16, String),
}

impl Met {
    /// The kind of answer: two inputs of one kind went the same way, as far as can be seen from outside.
    #[must_use]
    pub fn kind(&self) -> String {
        match self {
            Met::Done(output) => format!("done {}", output.len().ilog2()),
            Met::Refused(status, message) => {
                let mut quoted = false;
                let kept = message.chars().filter(|c| {
                    if *c == '`' {
                        quoted = !quoted;
                    }
                    !quoted && !c.is_ascii_digit()
                });
                format!("{status} {}", kept.take(80).collect::<String>())
            }
        }
    }
}
