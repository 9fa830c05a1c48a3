//! How an agent is connected to the server.

use crate::say;
use serde_json::json;
use std::path::Path;

pub fn print(binary: &Path) {
    let program = binary.display().to_string();
    let server = json!({"command": program, "args": ["mcp"]});
    say::line("Claude Code, in the folder of your project:");
    say::block(&format!("claude mcp add deciduous -- {program} mcp"));
    println!();
    say::line(
        "Or for everybody who works on it, `.mcp.json` beside the code (`deciduous init --mcp-json` writes it):",
    );
    say::block(&format!(
        "{:#}",
        json!({"mcpServers": {"deciduous": server}})
    ));
    println!();
    say::line("Cursor, `.cursor/mcp.json`: the same. VS Code, `.vscode/mcp.json`:");
    say::block(&format!(
        "{:#}",
        json!({"servers": {"deciduous": {"type": "stdio", "command": program, "args": ["mcp"]}}})
    ));
}
