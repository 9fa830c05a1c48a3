//! Runs the vectors on every host.
//!
//! Owns: the form of a vector, the backends that can run one, and the comparison. Never: what a tool should answer (that
//! stands in `tests/vectors`).
//!
//! ```text
//! tests/vectors/<toolset>/<tool>/<case>.json -> vector -> backend/<host>.rs -> check -> a diff, or nothing
//! ```
#![forbid(unsafe_code)]

pub mod backend;
pub mod catalogue;
pub mod check;
pub mod layout;
pub mod vector;

use std::path::{Path, PathBuf};

/// The root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}
