//! A tool's answer as it leaves: JSON, a document, a drawing for a person; to standard output or to a file.
//!
//! Owns: which of these it is. Never: how it is drawn (`view`), or asking for it.

use super::fields::Fields;
use super::output::{self, Globals, Stop};
use super::paged::Paged;
use super::paint::{Paint, When};
use super::text::shown;
use super::{render, view};
use crate::Failure;
use crate::catalog::{Tool, as_commands};
use clap::ArgMatches;
use deciduous_boundary::Done;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// The document that is the whole output.
const WHOLE: &str = "*";

/// Whether the answer may go to a file: it is long, or made to be kept.
pub fn takes_file(tool: &Tool) -> bool {
    (tool.document.is_some() || !tool.pages.is_empty())
        && tool
            .args
            .iter()
            .all(|arg| arg.flag != "output" && arg.short != Some('o'))
}

/// The file that is named for the answer; standard output where there is none.
fn file_of<'m>(tool: &Tool, matches: &'m ArgMatches) -> Option<&'m PathBuf> {
    if !takes_file(tool) {
        return None;
    }
    let named = matches.get_one::<PathBuf>("output-file");
    named.filter(|path| path.as_os_str() != "-")
}

/// A list as JSON.
pub fn paged(tool: &Tool, paged: &mut Paged, matches: &ArgMatches) -> Result<(), Stop> {
    match file_of(tool, matches) {
        Some(path) => output::file(path, &mut |out| paged.write(out)),
        None if io::stdout().is_terminal() => {
            let mut bytes = Vec::new();
            // A `Vec` takes all there is.
            let _ = paged.write(&mut bytes);
            output::data(&shown(&String::from_utf8_lossy(&bytes), true))
        }
        None => output::stream(&mut |out| paged.write(out)),
    }
}

pub fn answer(
    tool: &Tool,
    done: &Done,
    matches: &ArgMatches,
    globals: &Globals,
) -> Result<(), Stop> {
    let to = file_of(tool, matches);
    let terminal = io::stdout().is_terminal() && to.is_none();
    let bytes = match ["png", "svg"]
        .into_iter()
        .find(|format| tool.render && matches.get_flag(format))
    {
        Some("png") if terminal => {
            let failure = Failure::new("a picture is no text for a terminal", "add `-o FILE`");
            return Err(failure.with_exit(Failure::USAGE).into());
        }
        Some(format) => render::graphviz(&document(tool, done).unwrap_or_default(), format)?,
        None if globals.json => format!("{}\n", done.output).into_bytes(),
        None => {
            // Colour that is asked for is meant for eyes, not for a file.
            let colour = if to.is_some() {
                When::Never
            } else {
                globals.colour
            };
            drawn(tool, done, &Paint::of(colour, terminal)).into_bytes()
        }
    };
    match to {
        Some(path) => output::file(path, &mut |out| out.write_all(&bytes)),
        None => output::bytes(&bytes),
    }
}

fn drawn(tool: &Tool, done: &Done, paint: &Paint) -> String {
    let mut text = String::new();
    if let Some(document) = document(tool, done) {
        view::document(&mut text, &document, paint);
    } else if let Some(view) = &done.view {
        text = view::draw(view, paint);
    } else {
        let (lead, next) = done
            .text
            .split_at(done.text.rfind("Next: ").unwrap_or(done.text.len()));
        text = format!(
            "{}\n",
            shown(format!("{lead}{}", as_commands(next)).trim_end(), true)
        );
    }
    text
}

/// The output's document: the field named by the catalogue, or all of it. A long list that nobody drew is one too.
fn document(tool: &Tool, done: &Done) -> Option<String> {
    let whole = || Some(done.output.get().to_owned());
    let Some(field) = tool.document else {
        return if done.view.is_none() && !tool.pages.is_empty() {
            whole()
        } else {
            None
        };
    };
    if field == WHOLE {
        return whole();
    }
    let fields = Fields::parse(done.output.get()).ok()?;
    fields
        .text(field)
        .or_else(|| fields.get(field).map(str::to_owned))
}
