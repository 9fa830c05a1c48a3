//! One instance: runs calls, restarts tools, keeps the columns between calls.
//!
//! A tool runs from the top with every fact so far. The same facts give the same reply, and what a stopped run wanted
//! to change is dropped with its context, so running again is safe.

use crate::cx::{Cx, FactStore, Memo};
use crate::graph::Resident;
use crate::refuse::{Stop, refusal};
use crate::tool::{Effect, Tool};
use crate::tools;
use deciduous_boundary::{Facts, Fetch, Refusal, Reply, Request, frame, unframe};
use std::cell::RefCell;

/// After so many rounds of questions a call is refused.
const MAX_ROUNDS: u32 = 64;
/// A host may answer one fetch a round, which takes more of them.
const MAX_STEPS: u32 = 4_096;

/// The core, from a host's side: two functions over messages.
#[derive(Debug, Default)]
pub struct Instance {
    resident: RefCell<Resident>,
    call: Option<Call>,
}

/// The call that is under way.
#[derive(Debug)]
struct Call {
    request: Request,
    facts: FactStore,
    memo: Memo,
    asked: Vec<Fetch>,
    rounds: u32,
    steps: u32,
}

impl Instance {
    #[must_use]
    pub fn new() -> Self {
        Instance::default()
    }

    /// Begins a call; one that was under way is forgotten.
    pub fn call(&mut self, message: &[u8]) -> Vec<u8> {
        self.call = None;
        let reply = match unframe(message).map(|(json, _)| serde_json::from_slice::<Request>(json))
        {
            Some(Ok(request)) => {
                let call = Call {
                    request,
                    facts: FactStore::default(),
                    memo: Memo::default(),
                    asked: Vec::new(),
                    rounds: 0,
                    steps: 0,
                };
                self.run(call)
            }
            Some(Err(error)) => malformed("request", &error.to_string()),
            None => malformed("request", "it is shorter than its frame says"),
        };
        write(&reply)
    }

    /// Goes on with the call that asked.
    pub fn answer(&mut self, message: &[u8]) -> Vec<u8> {
        let Some(mut call) = self.call.take() else {
            return write(&malformed("answer", "no call is under way"));
        };
        let Some((json, attachment)) = unframe(message) else {
            return write(&malformed("answer", "it is shorter than its frame says"));
        };
        let learned = serde_json::from_slice::<Facts>(json)
            .map_err(|error| error.to_string())
            .and_then(|facts| {
                if facts.facts.is_empty() {
                    return Err("it answers nothing".to_owned());
                }
                call.facts.learn(
                    &call.asked,
                    &facts,
                    attachment,
                    &mut self.resident.borrow_mut(),
                )
            });
        let reply = match learned {
            Ok(()) => self.run(call),
            Err(why) => malformed("answer", &why),
        };
        write(&reply)
    }

    fn run(&mut self, call: Call) -> Reply {
        let request = &call.request;
        let Some(tool) = tools::find(&request.toolset, &request.tool) else {
            return Reply::Refused(Box::new(tools::unknown(&request.toolset, &request.tool)));
        };
        let cx = Cx::new(
            (&request.toolset, &request.tool),
            &request.caller,
            &request.env,
            (&call.facts, &call.memo),
            &self.resident,
        );
        match (tool.run)(&cx, &request.args) {
            Ok(done) => Reply::Done(Box::new(done)),
            Err(Stop::Refuse(refusal)) => Reply::Refused(refusal),
            Err(Stop::Need) => {
                let wants = cx.wants.take();
                drop(cx);
                self.ask(call, tool, wants)
            }
        }
    }

    fn ask(&mut self, mut call: Call, tool: &Tool, wants: Vec<Fetch>) -> Reply {
        call.steps += 1;
        // What was asked before and is asked again was only not answered yet: no new round.
        if wants.iter().any(|want| !call.asked.contains(want)) {
            call.rounds += 1;
        }
        if call.rounds > MAX_ROUNDS || call.steps > MAX_STEPS || wants.is_empty() {
            return Reply::Refused(Box::new(refusal(
                500,
                format!(
                    "`{}` asked {} rounds of questions without an end",
                    call.request.tool, call.rounds
                ),
                "report this as a defect",
            )));
        }
        call.asked.clone_from(&wants);
        self.call = Some(call);
        Reply::Need {
            fetches: wants,
            write: tool.effect != Effect::Read,
        }
    }
}

fn malformed(what: &str, why: &str) -> Reply {
    let refused: Refusal = refusal(
        400,
        format!("the {what} is malformed: {why}"),
        "check the host against the boundary's types",
    );
    Reply::Refused(Box::new(refused))
}

fn write(reply: &Reply) -> Vec<u8> {
    frame(&serde_json::to_vec(reply).unwrap_or_default(), &[])
}
