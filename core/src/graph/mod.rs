//! The graph without its texts: columns that stay in the instance between calls, and walks over them.

mod columns;
mod csr;
mod graph_traits;
mod links;
mod resident;
mod walk;

pub(crate) use links::EdgeCells;
pub(crate) use resident::{BranchCode, Graph, Resident};
pub(crate) use walk::{Direction, Visit, walk};
