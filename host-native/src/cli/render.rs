//! Pictures, through the Graphviz that is installed.
//!
//! Owns: running the program `dot`. Never: what is drawn.

use crate::Failure;
use std::io::Write;
use std::process::{Command, Stdio};
use std::{io, thread};

/// The picture's bytes.
///
/// # Errors
/// Where Graphviz is missing or refuses the document.
pub fn graphviz(document: &str, format: &str) -> Result<Vec<u8>, Failure> {
    let started = Command::new("dot")
        .arg(format!("-T{format}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::new(
            "Graphviz is not installed: there is no program `dot`",
            "install it (`apt install graphviz`, `brew install graphviz`, https://graphviz.org/download), or leave the picture flag out",
        ),
        _ => Failure::new(format!("Graphviz cannot be started: {error}"), "check the program `dot`"),
    })?;
    let stdin = child.stdin.take();
    let output = thread::scope(|scope| {
        // Written beside reading, or both sides wait for each other once a pipe is full.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(document.as_bytes())));
        child.wait_with_output()
    });
    let output = output
        .map_err(|error| Failure::new(format!("Graphviz was interrupted: {error}"), "try again"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(
            format!(
                "Graphviz refused the document: {}",
                said.lines().next().unwrap_or("it did not say why")
            ),
            "leave the picture flag out to see the document",
        ));
    }
    Ok(output.stdout)
}
