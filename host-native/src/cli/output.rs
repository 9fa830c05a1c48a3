//! What leaves the process: data on standard output, notes and refusals on standard error, one exit code.
//!
//! Owns: streams, exit codes, the global flags. Never: how an answer looks (`view`).

use super::paint::{Paint, When};
use super::text::shown;
use crate::Failure;
use crate::catalog::as_commands;
use clap::ArgMatches;
use deciduous_boundary::Refusal;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, process};

/// Flags that every command takes.
#[derive(Debug, Default)]
pub struct Globals {
    pub json: bool,
    pub db: Option<PathBuf>,
    pub colour: When,
}

impl Globals {
    pub fn of(matches: &ArgMatches) -> Result<Self, Stop> {
        Ok(Globals {
            json: matches.get_flag("json"),
            db: matches.get_one::<PathBuf>("db").cloned(),
            colour: matches
                .get_one::<String>("color")
                .map_or(When::Auto, |text| When::of(text)),
        })
    }
}

/// Why a command ends without its answer.
#[derive(Debug)]
pub enum Stop {
    Failed(Failure),
    Refused(Refusal),
    /// Called in a wrong way: a text that says so and shows the right one.
    Usage(String),
    /// All is said, and the exit code tells the rest.
    Said(u8),
    /// All is said, or nobody reads any more.
    Quiet,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(failure)
    }
}

/// Writes data, all of it or up to where the reader has gone away.
pub fn data(text: &str) -> Result<(), Stop> {
    bytes(text.as_bytes())
}

pub fn bytes(bytes: &[u8]) -> Result<(), Stop> {
    stream(&mut |out| out.write_all(bytes))
}

/// What writes itself.
type Writing<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// As [`bytes`], of data that is not all in memory.
pub fn stream(write: Writing) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Stop::Quiet),
        Err(error) => Err(Failure::new(
            format!("the answer cannot be written: {error}"),
            "check where standard output goes",
        )
        .into()),
    }
}

/// A line for the person, beside the data.
pub fn note(text: &str) {
    // Nobody to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "{}", shown(text, true));
}

/// Writes a file whole or not at all, and says so.
pub fn file(path: &Path, write: Writing) -> Result<(), Stop> {
    let length = put(path, write)?;
    note(&format!("wrote {} ({length} bytes)", path.display()));
    Ok(())
}

/// Whether there is a folder for the file to lie in.
pub fn has_folder(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => Err(Failure::new(
            format!(
                "`{}` cannot be written: there is no folder `{}`",
                path.display(),
                folder.display()
            ),
            "make the folder first, or name a file elsewhere; nothing was written",
        )),
        _ => Ok(()),
    }
}

/// Puts the bytes in the place of the file's.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    put(path, &mut |out| out.write_all(bytes)).map(|_| ())
}

/// Writes beside the file first, so that a reader never sees half of it and a crash keeps the old one. Answers how many
/// bytes there are.
fn put(path: &Path, write: Writing) -> Result<u64, Failure> {
    // A link is followed: it is the file behind it that is meant.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    has_folder(path)?;
    let unwritable = |error: io::Error| {
        Failure::new(
            format!("`{}` cannot be written: {error}", path.display()),
            "check that its folder exists and may be written",
        )
    };
    // A device or a pipe is written to; a file in its place would take it away from everybody.
    if fs::metadata(&target).is_ok_and(|old| !old.is_file() && !old.is_dir()) {
        let into = fs::OpenOptions::new().write(true).open(&target);
        return into
            .and_then(|into| counted(into, write))
            .map(|(_, length)| length)
            .map_err(unwritable);
    }
    let name = target
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let beside = target.with_file_name(format!(".{name}.{}.tmp", process::id()));
    let written = write_new(&beside, write, &target)
        .and_then(|length| fs::rename(&beside, &target).map(|()| length));
    written.map_err(|error| {
        // What is left of a failed attempt is of no use; the error that matters is the first one.
        let _ = fs::remove_file(&beside);
        unwritable(error)
    })
}

fn write_new(beside: &Path, write: Writing, target: &Path) -> io::Result<u64> {
    let (file, length) = counted(fs::File::create(beside)?, write)?;
    if let Ok(old) = fs::metadata(target) {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    Ok(length)
}

/// Writes into a file; answers it with how many bytes those were.
fn counted(file: fs::File, write: Writing) -> io::Result<(fs::File, u64)> {
    struct Counted(io::BufWriter<fs::File>, u64);
    impl Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let written = self.0.write(bytes)?;
            self.1 += written as u64;
            Ok(written)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
    let mut out = Counted(io::BufWriter::new(file), 0);
    write(&mut out)?;
    let file = out.0.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok((file, out.1))
}

/// The shape of a refusal for a program, here and over MCP.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Refused<'a> {
    status_code: u16,
    message: &'a str,
    next: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    errors: &'a BTreeMap<String, String>,
}

/// Says why on standard error and gives the exit code.
pub fn report(stop: Stop, globals: &Globals) -> ExitCode {
    let refusal = match stop {
        Stop::Quiet => return ExitCode::SUCCESS,
        Stop::Said(exit) => return ExitCode::from(exit),
        Stop::Usage(text) if !globals.json => {
            let _ = io::stderr().write_all(text.as_bytes());
            return ExitCode::from(Failure::USAGE);
        }
        Stop::Usage(text) => {
            let message = text
                .lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ")
                .to_owned();
            Refusal {
                status: 400,
                message,
                next: "add `--help` to see how the command is called".to_owned(),
                errors: BTreeMap::new(),
            }
        }
        Stop::Failed(failure) => {
            say(
                globals,
                status_of(failure.exit),
                &failure.message,
                &failure.next,
                &BTreeMap::new(),
            );
            return ExitCode::from(failure.exit);
        }
        Stop::Refused(refusal) => refusal,
    };
    say(
        globals,
        refusal.status,
        &refusal.message,
        &as_commands(&refusal.next),
        &refusal.errors,
    );
    ExitCode::from(exit_of(refusal.status))
}

fn say(
    globals: &Globals,
    status_code: u16,
    message: &str,
    next: &str,
    errors: &BTreeMap<String, String>,
) {
    let mut text = String::new();
    if globals.json {
        let refused = Refused {
            status_code,
            message,
            next,
            errors,
        };
        text.push_str(&serde_json::to_string(&refused).unwrap_or_default());
        text.push('\n');
    } else {
        let paint = Paint::of(globals.colour, io::stderr().is_terminal());
        text.push_str(&format!(
            "{} {}\n",
            paint.run("error:", "bad"),
            shown(message, false)
        ));
        for (field, reason) in errors {
            text.push_str(&format!(
                "  {}: {}\n",
                shown(field, false),
                shown(reason, false)
            ));
        }
        if !next.is_empty() {
            text.push_str(&format!(
                "{} {}\n",
                paint.run("next:", "strong"),
                shown(next, false)
            ));
        }
    }
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Exit code of a refusal: 2 usage, 3 not found, 4 refused by a rule, 5 conflict.
fn exit_of(status: u16) -> u8 {
    match status {
        400 => 2,
        404 | 410 => 3,
        409 => 5,
        403 | 413 | 422 => 4,
        _ => 1,
    }
}

fn status_of(exit: u8) -> u16 {
    match exit {
        2 => 400,
        3 => 404,
        4 => 422,
        5 => 409,
        _ => 500,
    }
}

/// The value of an environment variable that says something.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
