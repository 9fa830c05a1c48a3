//! The `deciduous` command.
fn main() {}
