//! What is read from outside, fed with what nobody would send.
//!
//! Owns: the targets, a graph to call tools on, the seeds (the vectors' calls). Never: knowing what an answer should be, but
//! that it is one: done, or refused with a status below 500 and a next step.

mod graph;
pub mod mutate;
pub mod seeds;
mod targets;

pub use graph::Graph;
pub use targets::TARGETS;

/// One thing that is read from outside.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub name: &'static str,
    /// Panics where something broke; answers how the input was met, so that new ways can be told.
    pub run: fn(&[u8]) -> String,
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Runs the target of this name.
///
/// # Panics
/// Where there is none, or something broke.
pub fn run(name: &str, bytes: &[u8]) -> String {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("a target of this name").run)(bytes)
}
