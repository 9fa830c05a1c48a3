//! The rules of the graph: one place, used by every toolset.

pub(crate) mod edges;
pub(crate) mod origin;
pub(crate) mod orphans;
pub(crate) mod parents;
