//! Runs the vectors on every host.
//!
//! Owns: the form of a vector, the backends that can run one, and the comparison; besides, what a bench needs too: graphs
//! of any size, and a client. Never: what a tool should answer (that stands in `tests/vectors`).
//!
//! ```text
//! tests/vectors/<toolset>/<tool>/<case>.json -> vector -> backend/<host>.rs -> check -> a diff, or nothing
//! ```
#![forbid(unsafe_code)]

pub mod built;
pub mod generate;
pub mod speak;

#[cfg(feature = "vectors")]
pub mod backend;
#[cfg(feature = "vectors")]
pub mod catalogue;
#[cfg(feature = "vectors")]
pub mod check;
#[cfg(feature = "vectors")]
pub mod layout;
#[cfg(feature = "vectors")]
pub mod names;
#[cfg(feature = "vectors")]
pub mod project;
#[cfg(feature = "vectors")]
pub mod vector;

use std::path::{Path, PathBuf};

/// The root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}
