//! Parsed flags to the tool's JSON arguments.
//!
//! Owns: reading texts, files and standard input into JSON. Never: whether a value is a good one; the core says that.

use super::fields::Fields;
use super::output::Stop;
use crate::Failure;
use crate::catalog::{Arg, Kind, Tool};
use clap::ArgMatches;
use clap::parser::ValueSource;
use serde_json::Value;
use std::fs;
use std::io::{self, Read};

/// The ids of clap's arguments beside an argument's own name.
pub fn stdin_id(arg: &Arg) -> String {
    format!("{}-stdin", arg.name)
}

pub fn negate_id(arg: &Arg) -> String {
    format!("no-{}", arg.name)
}

pub fn read(tool: &Tool, matches: &ArgMatches) -> Result<Fields, Stop> {
    let mut fields = Fields::default();
    for arg in tool.args {
        if arg.stdin && matches.get_flag(&stdin_id(arg)) {
            let text = standard_input()?;
            fields.put(
                arg.name,
                text.strip_suffix('\n')
                    .map(|text| text.strip_suffix('\r').unwrap_or(text))
                    .unwrap_or(&text),
            );
        } else if arg.negate && matches.get_flag(&negate_id(arg)) {
            fields.put(arg.name, "");
        } else if given(matches, arg) {
            let texts: Vec<&str> = matches
                .get_many::<String>(arg.name)
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            if arg.file {
                let text = file(texts.last().copied().unwrap_or("-"))?;
                fields
                    .set(arg.name, text)
                    .map_err(|error| not_json(arg, &error))?;
            } else {
                fields.put(arg.name, value(arg, &texts));
            }
        }
    }
    Ok(fields)
}

/// Whether the person said it, here or in the environment; a negation beside it wins over the environment.
fn given(matches: &ArgMatches, arg: &Arg) -> bool {
    matches!(
        matches.value_source(arg.name),
        Some(ValueSource::CommandLine | ValueSource::EnvVariable)
    )
}

fn value(arg: &Arg, texts: &[&str]) -> Value {
    match (arg.kind, texts) {
        // One text that is an array already is taken as such.
        (Kind::Array, [text]) if text.trim_start().starts_with('[') => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::from(*text))
        }
        // Objects may be given as plain texts, which keep their commas.
        (Kind::Array, _) if arg.items == Kind::Object => {
            texts.iter().map(|text| scalar(arg.items, text)).collect()
        }
        (Kind::Array, _) => texts
            .iter()
            .flat_map(|text| {
                text.split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
            })
            .map(|part| scalar(arg.items, part))
            .collect(),
        (kind, texts) => scalar(kind, texts.last().copied().unwrap_or_default()),
    }
}

/// What does not parse goes on as a text: the core knows the better words for what is wrong with it.
fn scalar(kind: Kind, text: &str) -> Value {
    let parsed = match kind {
        Kind::Text | Kind::Array => None,
        Kind::Integer => text.parse::<i64>().ok().map(Value::from),
        Kind::Number => text
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .map(Value::from),
        Kind::Boolean => text.parse::<bool>().ok().map(Value::from),
        Kind::Object => serde_json::from_str(text).ok(),
    };
    parsed.unwrap_or_else(|| Value::from(text))
}

/// A file's text, or that of standard input for `-`.
pub fn file(path: &str) -> Result<String, Stop> {
    if path == "-" {
        return standard_input();
    }
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::new(
            format!("`{path}` cannot be read: {error}"),
            "name a text file that exists, or `-` for standard input",
        )
        .with_exit(if error.kind() == io::ErrorKind::NotFound {
            Failure::NOT_FOUND
        } else {
            Failure::FAILED
        })
    })?;
    // Editors on Windows put a byte order mark before the first character; it is no part of the text.
    Ok(text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text))
}

pub fn standard_input() -> Result<String, Stop> {
    let mut text = String::new();
    io::stdin()
        .lock()
        .read_to_string(&mut text)
        .map_err(|error| {
            Failure::new(
                format!("standard input cannot be read: {error}"),
                "send UTF-8 text to it",
            )
        })?;
    Ok(text)
}

fn not_json(arg: &Arg, error: &serde_json::Error) -> Stop {
    Failure::new(
        format!("the file for `{}` is not JSON: {error}", arg.flag),
        "name a file that holds one JSON value",
    )
    .with_exit(Failure::USAGE)
    .into()
}
