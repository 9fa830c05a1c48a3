//! The decision graph as a pure function.
//!
//! Owns: every rule of the graph, its ledger, its ranking and its pictures. Never: a clock, dice, files, a network, a
//! database. What it needs to know it is told (see `deciduous_boundary`), and what it wants written it says.
//!
//! ```text
//! boundary message -> instance (restarts) -> tools/<toolset>/<tool>.rs -> cx (facts, wants) and ledger (events, rows)
//! ```
#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]

#[cfg(target_arch = "wasm32")]
mod abi;
mod answer;
mod args;
mod around;
mod ask;
mod branch;
mod capture;
#[cfg(feature = "catalog")]
pub mod catalog;
mod chain;
mod complete;
mod cx;
mod exchange;
mod graph;
mod history;
mod instance;
pub mod ledger;
mod lookup;
pub mod model;
mod page;
mod pulse;
mod refuse;
mod render;
mod rules;
mod search;
mod shapes;
pub mod text;
pub mod time;
mod timeline;
mod tool;
mod tools;

pub use instance::Instance;
pub use model::schema::schema;
