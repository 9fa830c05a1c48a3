//! Progress: one line for each thing that is begun, on standard error, with the time when it took long enough to matter.

use std::io::{IsTerminal, stderr};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// What is done or found.
pub fn line(text: &str) {
    eprintln!("{} {text}", paint("xtask", "36"));
}

/// Runs a step and says how long it took.
pub fn step<T>(text: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    line(&format!("{text} …"));
    let started = Instant::now();
    let done = run()?;
    line(&format!("{text}: {}", seconds(started.elapsed())));
    Ok(done)
}

/// Runs a command with its output where ours goes; fails when it does.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command
        .status()
        .with_context(|| format!("`{shown}` does not start"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a command and gives what it printed.
pub fn read(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command
        .output()
        .with_context(|| format!("`{shown}` does not start"))?;
    if !output.status.success() {
        bail!(
            "`{shown}` failed ({})\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed no UTF-8"))
}

/// A command as one would type it.
pub fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let mut text = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

/// The last line of a command that went well; nothing is said of one that took no time.
pub fn took(time: Duration) {
    if time > Duration::from_secs(2) {
        line(&format!("all: {}", seconds(time)));
    }
}

pub fn failed(error: &anyhow::Error) {
    eprintln!("{} {error:#}", paint("xtask failed:", "31"));
}

pub fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..120 => format!("{:.1} s", time.as_secs_f64()),
        long => format!("{} min {} s", long / 60, long % 60),
    }
}

/// Colour for people only: not in a file or a pipe.
pub fn paint(text: &str, code: &str) -> String {
    if stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}
