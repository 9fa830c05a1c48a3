//! What a shell's completion asks: the command line so far in, what may follow out.
//!
//! Owns: calling the engine, asking the store for ids, themes and the like. Never: saying anything where it fails; a
//! person is in the middle of a line.
//!
//! The script of `deciduous completions bash` calls `DECIDUOUS_COMPLETE=bash deciduous -- deciduous show 4`.

use super::fields::Fields;
use super::run::caller;
use super::{help, output};
use crate::catalog;
use crate::{Call, Host, Outcome, Project};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate};
use deciduous_boundary::ViewMode;
use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The variable by which a completion script says that it asks, and for which shell.
pub const VARIABLE: &str = "DECIDUOUS_COMPLETE";
/// The tool that knows the candidates.
const TOOL: &str = "complete_words";

/// Answers the shell, where one asks.
pub fn answered() -> bool {
    if output::variable(VARIABLE).is_none() {
        return false;
    }
    let here = env::current_dir().ok();
    let asked = CompleteEnv::with_factory(help::tree)
        .var(VARIABLE)
        .bin("deciduous")
        .completer("deciduous");
    // Whatever went wrong, there is nothing to complete then.
    let _ = asked.try_complete(env::args_os(), here.as_deref());
    true
}

/// Completes with records of this kind.
pub fn with(kind: &'static str) -> ArgValueCompleter {
    ArgValueCompleter::new(move |typed: &OsStr| candidates(kind, typed))
}

/// Completes with names of tools.
pub fn with_tools() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let all = catalog::spoken_toolsets()
            .filter_map(catalog::toolset)
            .flat_map(|toolset| toolset.tools);
        all.map(|tool| CompletionCandidate::new(tool.name).help(Some(tool.summary.into())))
            .collect()
    })
}

fn candidates(kind: &str, typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else {
        return Vec::new();
    };
    // Of a list, what stands before the last comma is done.
    let (done, prefix) = typed
        .rfind(',')
        .map_or(("", typed), |comma| typed.split_at(comma + 1));
    let found = asked(kind, prefix).unwrap_or_default();
    let one = |candidate: &Value| {
        let value = candidate["value"].as_str()?;
        let help = candidate["help"].as_str().unwrap_or_default();
        Some(CompletionCandidate::new(format!("{done}{value}")).help(Some(help.to_owned().into())))
    };
    found.iter().filter_map(one).collect()
}

fn asked(kind: &str, prefix: &str) -> Option<Vec<Value>> {
    let project = Project::find(database(env::args_os()).as_deref()).ok()?;
    // Another program's store is not taken over because somebody pressed a key.
    let mut host = Host::open_as_it_is(&project).ok()?;
    let tool = catalog::tools().find(|tool| tool.name == TOOL)?;
    let mut args = Fields::default();
    args.put("kind", kind);
    args.put("prefix", prefix);
    let call = Call {
        toolset: tool.toolset,
        tool: tool.name,
        args: args.raw(),
        caller: caller(),
        kept: BTreeMap::new(),
        view: ViewMode::None,
        workspace: None,
    };
    let Ok(Outcome::Done(done)) = host.call(&call) else {
        return None;
    };
    let output: Value = serde_json::from_str(done.output.get()).ok()?;
    output["candidates"].as_array().cloned()
}

/// The database that the unfinished line names.
fn database(words: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let words: Vec<OsString> = words.skip_while(|word| word != "--").collect();
    let behind = words.iter().position(|word| word == "--db");
    let joined = words
        .iter()
        .find_map(|word| word.to_str()?.strip_prefix("--db="));
    behind
        .and_then(|place| words.get(place + 1))
        .map(Path::new)
        .or(joined.map(Path::new))
        .filter(|path| !path.as_os_str().is_empty())
        .map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::database;
    use std::path::Path;

    #[test]
    fn the_named_database_is_the_one_that_is_asked() {
        let of = |line: &str| database(line.split(' ').map(Into::into));
        assert_eq!(
            of("deciduous -- deciduous --db x.db show").as_deref(),
            Some(Path::new("x.db"))
        );
        assert_eq!(
            of("deciduous -- deciduous show --db=y.db").as_deref(),
            Some(Path::new("y.db"))
        );
        assert_eq!(of("deciduous -- deciduous show 4"), None);
        assert_eq!(of("deciduous -- deciduous show --db"), None);
    }
}
