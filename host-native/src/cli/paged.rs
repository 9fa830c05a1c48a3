//! A list as JSON, whatever its length: pages are put away in files without names as they come, so that memory does not
//! grow with the list; and nothing is written before all of them have come.
//!
//! Owns: joining pages. Never: which tools have them (the catalogue), where the answer goes.

use super::fields::Fields;
use super::output::Stop;
use crate::Failure;
use crate::catalog::Tool;
use deciduous_boundary::Done;
use serde_json::value::RawValue;
use std::io::{self, Read, Seek, Write};
use tempfile::SpooledTempFile;

/// Items of a page behind the first one: what is written to a file or a terminal need not suit an agent's context.
const FOLLOWED: u32 = 500;
/// What is put away in memory yet.
const IN_MEMORY: usize = 1 << 20;
const CURSOR: &str = "cursor";

/// An answer with all of its pages.
pub struct Paged {
    /// The answer's fields, in their order; of a list only where it stands.
    fields: Fields,
    lists: Vec<List>,
}

/// The items of all pages, with commas between.
struct List {
    name: &'static str,
    items: SpooledTempFile,
    any: bool,
}

/// All pages, of which the first has come.
pub fn all(
    tool: &Tool,
    mut args: Fields,
    first: &Done,
    mut ask: impl FnMut(&Fields) -> Result<Done, Stop>,
) -> Result<Paged, Stop> {
    let mut paged = Paged::new(tool, first)?;
    let mut cursor = next_page(tool, &mut args, first, None)?;
    while let Some(former) = cursor {
        let done = ask(&args)?;
        paged.add(&done)?;
        cursor = next_page(tool, &mut args, &done, Some(&former))?;
    }
    Ok(paged)
}

/// The arguments that ask for the page behind a cursor; none where there is no more.
pub fn next_page(
    tool: &Tool,
    args: &mut Fields,
    done: &Done,
    former: Option<&str>,
) -> Result<Option<String>, Failure> {
    let Some(cursor) = parsed(done)?.text(CURSOR) else {
        return Ok(None);
    };
    // A cursor that does not move would be asked for ever.
    if former == Some(cursor.as_str()) {
        return Err(broken("its cursor does not move"));
    }
    args.put(CURSOR, cursor.as_str());
    if tool.is_spoken() && tool.args.iter().any(|arg| arg.name == "limit") {
        args.put("limit", FOLLOWED);
    }
    Ok(Some(cursor))
}

impl Paged {
    /// The first page's answer; [`Paged::add`] the others.
    pub fn new(tool: &Tool, first: &Done) -> Result<Paged, Failure> {
        let list = |name: &&'static str| List {
            name,
            items: SpooledTempFile::new(IN_MEMORY),
            any: false,
        };
        let mut paged = Paged {
            fields: parsed(first)?,
            lists: tool.pages.iter().map(list).collect(),
        };
        paged.put_away(&parsed(first)?)?;
        paged.fields.remove(CURSOR);
        Ok(paged)
    }

    pub fn add(&mut self, page: &Done) -> Result<(), Failure> {
        let page = parsed(page)?;
        self.put_away(&page)?;
        // The last page says whether all is there, and what the pages before it could not know yet.
        for (name, value) in page.iter().filter(|(name, _)| *name != CURSOR) {
            if name == "truncated" || self.fields.get(name).is_none() {
                self.fields
                    .set(name, value.to_owned())
                    .map_err(|_| broken("its output is no JSON"))?;
            }
        }
        Ok(())
    }

    fn put_away(&mut self, page: &Fields) -> Result<(), Failure> {
        for list in &mut self.lists {
            let items = page.get(list.name).map_or("", |array| {
                let inside = array
                    .strip_prefix('[')
                    .and_then(|array| array.strip_suffix(']'));
                inside.unwrap_or_default().trim()
            });
            list.add(items).map_err(no_room)?;
            if page.get(list.name).is_some() {
                self.fields
                    .set(list.name, "[]".to_owned())
                    .map_err(|_| broken("its pages do not join"))?;
            }
        }
        Ok(())
    }

    /// Writes the answer as one JSON object and a line's end.
    pub fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut before = '{';
        for (name, value) in self.fields.iter() {
            write!(out, "{before}{}:", serde_json::to_string(name)?)?;
            before = ',';
            match self.lists.iter_mut().find(|list| list.name == name) {
                Some(list) => list.write(out)?,
                None => out.write_all(value.as_bytes())?,
            }
        }
        out.write_all(if before == '{' { b"{}\n" } else { b"}\n" })
    }
}

impl List {
    fn add(&mut self, items: &str) -> io::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        if self.any {
            self.items.write_all(b",")?;
        }
        self.any = true;
        self.items.write_all(items.as_bytes())
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.items.rewind()?;
        out.write_all(b"[")?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = self.items.read(&mut buffer)?;
            if read == 0 {
                return out.write_all(b"]");
            }
            out.write_all(&buffer[..read])?;
        }
    }
}

fn parsed(done: &Done) -> Result<Fields, Failure> {
    Fields::parse(RawValue::get(&done.output)).map_err(|_| broken("its output is no object"))
}

fn no_room(error: io::Error) -> Failure {
    Failure::new(
        format!("a long answer cannot be put away: {error}"),
        "make room in the folder for temporary files, or name another one with `TMPDIR`",
    )
}

fn broken(what: &str) -> Failure {
    Failure::new(
        format!("the core's answer cannot be used: {what}"),
        "report this with the command you ran",
    )
}
