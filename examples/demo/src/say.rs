//! What the demo prints: headings, progress, indented output.
//!
//! Owns: colour, and none where nobody sees it. Never: content.

use std::io::{IsTerminal, stdout};

pub fn colour() -> bool {
    stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn paint(text: &str, code: &str) -> String {
    if colour() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

pub fn heading(text: &str) {
    println!("\n{}\n", paint(text, "1"));
}

pub fn line(text: &str) {
    println!("  {text}");
}

pub fn dim(text: &str) {
    println!("  {}", paint(text, "2"));
}

pub fn chapter(title: &str, nodes: usize, edges: usize) {
    println!(
        "  {} {title:<42}{}",
        paint("✓", "32"),
        paint(&format!("{nodes:>3} nodes, {edges:>3} edges"), "2")
    );
}

/// A command as one types it, then what it prints.
pub fn shell(command: &str, output: &str) {
    println!("  {} {}", paint("$", "2"), paint(command, "36"));
    println!();
    block(output);
}

/// Indented, without empty lines at its ends.
pub fn block(text: &str) {
    for line in text.trim_matches('\n').lines() {
        if line.is_empty() {
            println!();
        } else {
            println!("    {line}");
        }
    }
}

/// The first lines of a longer text.
pub fn excerpt(text: &str, lines: usize) {
    let first: Vec<&str> = text.lines().take(lines).collect();
    block(&first.join("\n"));
    let rest = text.lines().count().saturating_sub(lines);
    if rest > 0 {
        println!("    {}", paint(&format!("… {rest} more lines"), "2"));
    }
}
