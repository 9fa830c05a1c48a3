//! The plain types that cross the boundary between the core and a host.
//!
//! Owns: the shapes of the messages and of the declared tables. Never: a rule, a graph word, I/O.
//! A host in another language needs nothing but JSON in these shapes (see `examples/minimal-host`).
//!
//! ```text
//! host                              core
//!  |--- call(Request) ------------->|
//!  |<-- Need { fetches } -----------|   reads what it was asked for
//!  |--- answer(Facts) ------------->|   the tool runs again from the top
//!  |<-- Done { output, changes } ---|   writes the changes in one transaction
//! ```
#![forbid(unsafe_code)]

mod cell;
mod fact;
mod fetch;
mod frame;
mod reply;
mod request;
mod schema;
mod view;

pub use cell::Cell;
pub use fact::{Attached, ColumnsFact, Facts, FileFact, PostingsFact};
pub use fetch::{ColumnKind, Fetch};
pub use frame::{frame, unframe};
pub use reply::{Change, Done, Refusal, Reply};
pub use request::{Actor, ActorKind, Env, Millis, Request, ViewMode};
pub use schema::{Column, ColumnType, Index, OlderStore, Schema, Table};
pub use view::{Block, Span, View};

/// The version of everything in this crate; a host refuses a core that answers another one.
pub const ABI_VERSION: u32 = 1;
