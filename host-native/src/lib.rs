//! The native host: keeps tables, answers what the core asks, writes what the core says.
//!
//! Owns: the store, the facts of git and files, the command line, MCP over stdio. Never: a rule of the graph; what
//! answers is the wasm core. A library only so that tests and benches can reach inside; the product is the binary.

mod documents;
mod engine;
mod facts;
mod failure;
mod host;
mod os;
mod project;
mod store;

pub use failure::Failure;
pub use host::{Access, Call, Host, Outcome};
pub use project::Project;

/// The catalogue of the core this program was built with: every toolset, its tools and how they are written in a shell.
pub static CATALOG: &[u8] = include_bytes!(env!("DECIDUOUS_CATALOG"));
