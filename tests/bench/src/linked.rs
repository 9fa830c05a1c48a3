//! The core in its engine against the same core linked into this program: the same messages to both, by turns, over
//! tables in memory. Only the core runs while the clock does.

use crate::Runs;
use crate::figures::{Figure, Figures, quantile};
use crate::store::made;
use crate::warm::{CASES, Case};
use deciduous::Alone;
use deciduous_boundary::{Actor, ActorKind};
use deciduous_core::Instance;
use deciduous_runner::backend::{All, Answer, Backend, Call, Core, Facts, Session};
use serde_json::value::{RawValue, to_raw_value};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Some millisecond of 2026.
const NOW: i64 = 1_790_000_000_000;

/// Both cores, and how long each has run since it was last asked.
struct Both {
    linked: Instance,
    engine: Alone,
    spent: Rc<Cell<(Duration, Duration)>>,
    turn: bool,
}

impl Both {
    fn tell(
        &mut self,
        linked: impl Fn(&mut Instance) -> Vec<u8>,
        engine: impl Fn(&mut Alone) -> Result<Vec<u8>, deciduous::Failure>,
    ) -> Result<Vec<u8>, String> {
        let (mut native, mut wasm) = (Duration::ZERO, Duration::ZERO);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        self.turn = !self.turn;
        // Whoever comes second finds the message in the cache.
        for first in [self.turn, !self.turn] {
            let started = Instant::now();
            if first {
                one = linked(&mut self.linked);
                native = started.elapsed();
            } else {
                other = engine(&mut self.engine).map_err(|failure| failure.message)?;
                wasm = started.elapsed();
            }
        }
        if one != other {
            return Err("the core in its engine answers otherwise than the linked one".to_owned());
        }
        let (a, b) = self.spent.get();
        self.spent.set((a + native, b + wasm));
        Ok(one)
    }
}

impl Core for Both {
    fn call(&mut self, message: &[u8]) -> Result<Vec<u8>, String> {
        self.tell(|core| core.call(message), |core| core.call(message))
    }

    fn answer(&mut self, message: &[u8]) -> Result<Vec<u8>, String> {
        self.tell(|core| core.answer(message), |core| core.answer(message))
    }
}

pub fn measure(nodes: u32, runs: Runs, figures: &mut Figures) -> Result<(), String> {
    let spent = Rc::new(Cell::default());
    let both = Both {
        linked: Instance::new(),
        engine: Alone::new().map_err(|failure| failure.message)?,
        spent: Rc::clone(&spent),
        turn: false,
    };
    let mut session = Session::new(Box::new(both), Box::new(All), Facts::default())?;
    let (graph, shape) = made(nodes);
    let args = to_raw_value(&serde_json::json!({ "graph": graph })).map_err(|e| e.to_string())?;
    call(&mut session, ("store", "import_graph"), args, 0)?;
    for case in &CASES {
        let Case { tool, args, .. } = case;
        let (mut native, mut wasm) = (Vec::new(), Vec::new());
        for at in 0..runs.warm {
            let args = RawValue::from_string(args(&shape, at)).map_err(|e| e.to_string())?;
            spent.set(<(Duration, Duration)>::default());
            call(&mut session, ("all", tool), args, at + 1)?;
            let (one, other) = spent.get();
            native.push(one);
            wasm.push(other);
        }
        let (native, wasm) = (quantile(&mut native, 0.5), quantile(&mut wasm, 0.5));
        let long = native >= 0.1;
        figures.push(
            Figure {
                p50: Some(wasm),
                ratio: Some(wasm / native),
                ..Figure::new(
                    nodes,
                    format!("the core's part of `{tool}`, against linked"),
                    if long { "≤ 1.5 ×" } else { "≤ 2 ×" },
                )
            }
            .within(None, None, Some(if long { 1.5 } else { 2.0 })),
        );
    }
    Ok(())
}

fn call(
    session: &mut Session,
    (toolset, tool): (&str, &str),
    args: Box<RawValue>,
    at: usize,
) -> Result<(), String> {
    let call = Call {
        toolset,
        tool,
        args,
        caller: Actor {
            name: "bench".to_owned(),
            kind: ActorKind::Agent,
        },
        client: "bench",
        workspace: None,
        view: false,
        now: NOW + at as i64,
        entropy: format!("{at:064x}"),
    };
    let answer = session.call(&call)?;
    // Kept for comparisons that are made elsewhere.
    session.replies.clear();
    match answer {
        Answer::Done { .. } => Ok(()),
        Answer::Refused(refusal) => Err(format!("{tool}: {}", refusal.message)),
    }
}
