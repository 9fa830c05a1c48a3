//! The native host: keeps tables, answers what the core asks, writes what the core says.
//!
//! Owns: the store, the facts of git and files, the command line, MCP over stdio. Never: a rule of the graph; what
//! answers is the wasm core. A library only so that tests and benches can reach inside; the product is the binary.

pub mod catalog;
pub mod cli;
mod doctor;
mod documents;
mod engine;
mod facts;
mod failure;
mod host;
mod mcp;
mod os;
mod project;
mod store;
mod sync;
mod upgrade;

#[doc(hidden)]
pub use engine::Alone;
pub use failure::Failure;
pub use host::{Access, Call, Host, Outcome};
pub use project::Project;

/// Reads a line as the server does, for the fuzz targets; answers what it was taken for.
#[doc(hidden)]
#[must_use]
pub fn line_is_read(line: &[u8]) -> &'static str {
    mcp::line_is_read(line)
}
