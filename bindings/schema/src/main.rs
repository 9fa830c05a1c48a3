//! Writes the generated files: the catalogue and the tables, as the core's own types say them.
//!
//! ```text
//! deciduous-schema bindings/schema
//! ```
#![forbid(unsafe_code)]

fn main() {}
