//! The catalogue as the binary holds it: tables made at build time from `bindings/schema/catalog.json`.
//!
//! Owns: the shapes of these tables and looking things up in them. Never: a tool's name or meaning.
//!
//! ```
//! let local = deciduous::catalog::toolset("local").expect("it is in the catalogue");
//! assert!(local.spoken().count() >= 1);
//! ```

use strsim::damerau_levenshtein;

/// Tools that are listed and spoken together.
#[derive(Debug)]
pub struct Toolset {
    pub name: &'static str,
    /// What an agent is told at the start; empty: the toolset is for the host's own commands and never spoken.
    pub instructions: &'static str,
    /// Names of toolsets whose tools are listed before its own.
    pub includes: &'static [&'static str],
    pub tools: &'static [Tool],
}

#[derive(Debug)]
pub struct Tool {
    /// Where it is declared: (toolset, name) is its key.
    pub toolset: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub writes: bool,
    /// Its entry of `tools/list`, as JSON.
    pub spoken: &'static str,
    /// The words after `deciduous`.
    pub command: &'static [&'static str],
    pub summary: &'static str,
    pub examples: &'static [&'static str],
    /// The output's field that is a document of its own.
    pub document: Option<&'static str>,
    /// Whether the document is one that Graphviz can draw.
    pub render: bool,
    /// The output's arrays that go on behind `cursor`.
    pub pages: &'static [&'static str],
    pub args: &'static [Arg],
}

#[derive(Debug)]
pub struct Arg {
    pub name: &'static str,
    /// Its long flag, without the dashes.
    pub flag: &'static str,
    pub short: Option<char>,
    pub position: Option<usize>,
    pub required: bool,
    pub kind: Kind,
    /// Of an array: the kind of one item.
    pub items: Kind,
    pub help: &'static str,
    pub default: &'static str,
    pub choices: &'static [&'static str],
    /// `--NAME-stdin` reads it from standard input.
    pub stdin: bool,
    /// `--no-NAME` sends an empty text.
    pub negate: bool,
    /// The value is the path of a file whose JSON is sent.
    pub file: bool,
    /// What a shell completes it with.
    pub complete: Option<&'static str>,
    /// The environment variable that gives it where no flag does.
    pub env: Option<&'static str>,
}

/// How the text of a flag becomes JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
}

/// How a run of text looks.
#[derive(Debug)]
pub struct Tone {
    pub name: &'static str,
    pub glyph: &'static str,
    /// Red, green, blue on a light ground.
    pub light: Option<(u8, u8, u8)>,
    pub dark: Option<(u8, u8, u8)>,
    pub bold: bool,
    pub faint: bool,
    pub strike: bool,
}

include!(concat!(env!("OUT_DIR"), "/catalog.rs"));

impl Toolset {
    /// Every tool spoken with this toolset, in the order listed.
    pub fn spoken(&'static self) -> impl Iterator<Item = &'static Tool> {
        let included = self
            .includes
            .iter()
            .filter_map(|name| toolset(name))
            .flat_map(|toolset| toolset.tools);
        included.chain(self.tools)
    }

    #[must_use]
    pub fn tool(&'static self, name: &str) -> Option<&'static Tool> {
        self.spoken().find(|tool| tool.name == name)
    }
}

impl Tool {
    /// Whether agents see it.
    #[must_use]
    pub fn is_spoken(&self) -> bool {
        toolset(self.toolset).is_some_and(|toolset| !toolset.instructions.is_empty())
    }
}

#[must_use]
pub fn toolset(name: &str) -> Option<&'static Toolset> {
    TOOLSETS.iter().find(|toolset| toolset.name == name)
}

/// Names of the toolsets that are spoken to clients.
pub fn spoken_toolsets() -> impl Iterator<Item = &'static str> {
    TOOLSETS
        .iter()
        .filter(|toolset| !toolset.instructions.is_empty())
        .map(|toolset| toolset.name)
}

/// Every tool of every toolset.
pub fn tools() -> impl Iterator<Item = &'static Tool> {
    TOOLSETS.iter().flat_map(|toolset| toolset.tools)
}

#[must_use]
pub fn tone(name: &str) -> Option<&'static Tone> {
    TONES.iter().find(|tone| tone.name == name)
}

/// The text with each tool's name replaced by its command: what an agent calls by name, a person types.
#[must_use]
pub fn as_commands(text: &str) -> String {
    let is_name = |character: char| character.is_ascii_lowercase() || character == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let length = rest[start..]
            .find(|character| !is_name(character))
            .unwrap_or(rest.len() - start);
        let (before, word) = (&rest[..start], &rest[start..start + length]);
        out.push_str(before);
        match tools().find(|tool| tool.name == word && word.contains('_')) {
            Some(tool) if before.ends_with('`') => {
                out.push_str(&format!("deciduous {}", tool.command.join(" ")))
            }
            Some(tool) => out.push_str(&format!("`deciduous {}`", tool.command.join(" "))),
            None => out.push_str(word),
        }
        rest = &rest[start + length..];
    }
    out.push_str(rest);
    out
}

/// The word a person most likely meant, if any is near enough.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    known
        .map(|candidate| (damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= limit || (word.len() > 2 && candidate.starts_with(word))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_become_commands() {
        let tool = tools()
            .find(|tool| tool.name.contains('_'))
            .expect("one has two words");
        let command = format!("deciduous {}", tool.command.join(" "));
        assert_eq!(
            as_commands(&format!("try {}, or `{}`", tool.name, tool.name)),
            format!("try `{command}`, or `{command}`")
        );
        assert_eq!(as_commands("é no_such_tool #1"), "é no_such_tool #1");
    }

    #[test]
    fn the_nearest_word_is_near() {
        assert_eq!(nearest("shwo", ["show", "add"].into_iter()), Some("show"));
        assert_eq!(nearest("tra", ["trace", "add"].into_iter()), Some("trace"));
        assert_eq!(nearest("zebra", ["show", "add"].into_iter()), None);
    }
}
