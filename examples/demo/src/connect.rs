//! How an agent is connected to the server.

use crate::say;
use serde_json::json;
use std::path::Path;

pub fn print(binary: &Path) {
    let program = binary.display().to_string();
    // As JSON writes a text: a path may hold what must be escaped.
    let quoted = json!(program);
    let server = format!(r#""deciduous": {{ "command": {quoted}, "args": ["mcp"] }}"#);
    say::line("Claude Code, in the folder of your project:");
    say::block(&format!("claude mcp add deciduous -- {program} mcp"));
    println!();
    say::line(
        "Or for everybody who works on it, `.mcp.json` (`deciduous init --mcp-json` writes it):",
    );
    say::block(&format!("{{\n  \"mcpServers\": {{\n    {server}\n  }}\n}}"));
    println!();
    say::line("Cursor, `.cursor/mcp.json`: the same. VS Code, `.vscode/mcp.json`:");
    let server = server.replacen("{ ", r#"{ "type": "stdio", "#, 1);
    say::block(&format!("{{\n  \"servers\": {{\n    {server}\n  }}\n}}"));
}
