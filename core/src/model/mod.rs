//! The records of the graph and the words they use.

pub(crate) mod records;
pub(crate) mod reference;
pub(crate) mod schema;
pub mod vocabulary;

pub(crate) use records::*;
pub(crate) use vocabulary::{EdgeType, NodeType, Status};
