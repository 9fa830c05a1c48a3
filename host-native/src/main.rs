//! The `deciduous` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    deciduous::cli::main()
}
