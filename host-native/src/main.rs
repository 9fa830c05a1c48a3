//! The `deciduous` command.

use deciduous::{Access, Call, Failure, Host, Outcome, Project};
use deciduous_boundary::{Actor, ActorKind, ViewMode};
use serde_json::value::RawValue;
use std::process::ExitCode;

// Stands until the command line is there: `deciduous call TOOLSET TOOL JSON [--read]`.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(exit) => exit,
        Err(failure) => {
            eprintln!("error: {failure}\nnext: {}", failure.next);
            ExitCode::from(failure.exit)
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode, Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let usage =
        || Failure::new("usage: deciduous call TOOLSET TOOL JSON [--read]", "call it so").with_exit(Failure::USAGE);
    let (["call", toolset, tool, json], access) = (match words.as_slice() {
        [rest @ .., "--read"] => (rest, Access::Read),
        rest => (rest, Access::Write),
    }) else {
        return Err(usage());
    };
    let mut host = Host::open(&Project::find(None)?, access)?;
    let call = Call {
        toolset,
        tool,
        args: RawValue::from_string((*json).to_owned()).map_err(|_| usage())?,
        caller: Actor { name: "shell".into(), kind: ActorKind::Person },
        kept: std::collections::BTreeMap::new(),
        view: ViewMode::None,
        workspace: None,
    };
    match host.call(&call)? {
        Outcome::Done(done) => println!("{}\n{}", done.text, done.output),
        Outcome::Refused(refusal) => println!("{refusal:?}"),
    }
    Ok(ExitCode::SUCCESS)
}
