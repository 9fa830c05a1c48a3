//! Whatever can run a vector. One small file each.
//!
//! Owns: what a backend is asked and how it answers. Never: comparing answers.

mod facts;
mod linked;
mod native;
mod rounds;
mod stingy;
#[cfg(feature = "hosts")]
mod wasmtime;

pub use facts::Facts;
pub use linked::{All, Linked};
pub use native::Native;
pub use rounds::{Core, Reader, Session};
pub use stingy::Stingy;
#[cfg(feature = "hosts")]
pub use wasmtime::{Twins, Wasm};

use deciduous_boundary::{Actor, Millis, Refusal, View};
use serde_json::value::RawValue;

/// One call as a vector makes it.
#[derive(Debug)]
pub struct Call<'a> {
    pub toolset: &'a str,
    pub tool: &'a str,
    pub args: Box<RawValue>,
    pub caller: Actor,
    pub client: &'a str,
    pub workspace: Option<&'a str>,
    pub view: bool,
    pub now: Millis,
    pub entropy: String,
}

/// What a client hears.
#[derive(Debug)]
pub enum Answer {
    Done {
        output: Box<RawValue>,
        text: String,
        view: Option<View>,
    },
    Refused(Refusal),
}

/// One host with one empty store.
pub trait Backend {
    /// Whether the host lets its clients call this toolset; a vector that needs another one is not for it.
    fn speaks(&self, toolset: &str) -> bool {
        let _ = toolset;
        true
    }

    /// # Errors
    /// Where the host broke; a refusal is an answer.
    fn call(&mut self, call: &Call<'_>) -> Result<Answer, String>;
}
