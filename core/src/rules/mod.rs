//! The rules of the graph: one place, used by every toolset.

pub(crate) mod choices;
pub(crate) mod edges;
pub(crate) mod health;
pub(crate) mod origin;
pub(crate) mod orphans;
pub(crate) mod parents;
pub(crate) mod succession;
pub(crate) mod themes;
