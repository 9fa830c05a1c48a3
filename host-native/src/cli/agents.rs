//! The files that coding agents read: a section between markers, an entry among others.
//!
//! Owns: writing only what is ours. Never: changing a byte of what others wrote, or a file that cannot be understood.

use super::fields::Fields;
use super::output;
use crate::Failure;
use crate::catalog;
use std::path::Path;
use std::{fs, io};

const BEGIN: &str = "<!-- deciduous:begin -->";
const END: &str = "<!-- deciduous:end -->";

/// Writes or refreshes the section; whether the file changed.
///
/// # Errors
/// Where the file cannot be read or written, or only one marker stands in it.
pub fn section(file: &Path) -> Result<bool, Failure> {
    let old = read(file)?;
    let new = with_section(&old, &text()).ok_or_else(|| {
        Failure::new(
            format!(
                "`{}` holds one of the markers `{BEGIN}` and `{END}` without the other",
                file.display()
            ),
            "put the other back, or remove this one; the file was not changed",
        )
    })?;
    write(file, &old, &new)
}

fn text() -> String {
    // What an agent is told over MCP is what it is told here: one text, from the core.
    let instructions = catalog::spoken_toolsets()
        .next()
        .and_then(catalog::toolset)
        .map_or("", |toolset| toolset.instructions);
    format!(
        "{BEGIN}\n## Decisions (`deciduous`)\n\n{}\n\n\
         Over MCP: `deciduous mcp`. In a shell each tool is a command: `deciduous --help`, `deciduous tools`, `--json` for programs.\n{END}\n",
        instructions.trim()
    )
}

fn with_section(old: &str, section: &str) -> Option<String> {
    match (old.find(BEGIN), old.find(END)) {
        (None, None) if old.is_empty() => Some(section.to_owned()),
        (None, None) => Some(format!(
            "{}\n\n{section}",
            old.trim_end_matches(['\n', '\r'])
        )),
        (Some(begin), Some(end)) if begin < end => {
            let rest = &old[end + END.len()..];
            let rest = rest
                .strip_prefix("\r\n")
                .or(rest.strip_prefix('\n'))
                .unwrap_or(rest);
            Some(format!("{}{section}{rest}", &old[..begin]))
        }
        _ => None,
    }
}

/// Adds the server's entry to the file; whether the file changed. An entry that is there stays as it is.
///
/// # Errors
/// Where the file cannot be read or written, or is not what such a file is.
pub fn mcp_json(file: &Path) -> Result<bool, Failure> {
    let old = read(file)?;
    let new = with_server(&old).map_err(|error| {
        Failure::new(
            format!("`{}` cannot be understood: {error}", file.display()),
            "make it a JSON object whose `mcpServers` is an object; the file was not changed",
        )
    })?;
    write(file, &old, &new)
}

fn with_server(old: &str) -> serde_json::Result<String> {
    let mut whole = if old.trim().is_empty() {
        Fields::default()
    } else {
        Fields::parse(old)?
    };
    let mut servers = whole
        .get("mcpServers")
        .map(Fields::parse)
        .transpose()?
        .unwrap_or_default();
    if servers.get("deciduous").is_some() {
        return Ok(old.to_owned());
    }
    let entry = "{\n      \"command\": \"deciduous\",\n      \"args\": [\"mcp\"]\n    }";
    servers.set("deciduous", entry.to_owned())?;
    whole.set("mcpServers", pretty(&servers, 2))?;
    Ok(format!("{}\n", pretty(&whole, 0)))
}

/// The object with a field a line; the values as they were written.
fn pretty(fields: &Fields, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let lines: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{margin}  {}: {value}", serde_json::Value::from(name)))
        .collect();
    format!("{{\n{}\n{margin}}}", lines.join(",\n"))
}

fn read(file: &Path) -> Result<String, Failure> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Failure::new(
            format!("`{}` cannot be read: {error}", file.display()),
            "check that it is a text file that may be read",
        )),
    }
}

fn write(file: &Path, old: &str, new: &str) -> Result<bool, Failure> {
    if old == new {
        return Ok(false);
    }
    output::replace(file, new.as_bytes()).map(|()| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_added_and_refreshed_in_place() {
        let section = format!("{BEGIN}\nnew\n{END}\n");
        let added = with_section("# Mine\n", &section).expect("added");
        assert_eq!(added, format!("# Mine\n\n{section}"));
        assert_eq!(with_section(&added, &section).expect("same"), added);
        let old = format!("# Mine\n{BEGIN}\nold\n{END}\nafter\n");
        assert_eq!(
            with_section(&old, &section).expect("refreshed"),
            format!("# Mine\n{section}after\n")
        );
        assert_eq!(with_section(BEGIN, &section), None);
    }

    #[test]
    fn an_entry_is_added_and_the_others_kept() {
        let old = "{\"z\": 1, \"mcpServers\": {\"other\": {\"command\":  \"x\"}}}";
        let new = with_server(old).expect("added");
        assert!(
            new.contains("\"z\": 1")
                && new.contains("{\"command\":  \"x\"}")
                && new.contains("\"args\": [\"mcp\"]")
        );
        assert_eq!(with_server(&new).expect("same"), new);
        assert!(with_server("[]").is_err());
        assert!(with_server("").expect("made").starts_with('{'));
    }
}
