//! One attached file, as the `doc` commands need it.
//!
//! Owns: finding it and reading its bytes, which must be those that were taken in. Never: what is done with them.

use super::super::complete;
use super::super::fields::Fields;
use super::super::output::{Globals, Stop};
use super::super::run::of_store;
use crate::{Failure, Project, documents};
use clap::{Arg, ArgMatches};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::PathBuf;

const TOOL: &str = "show_document";

pub struct Paper {
    pub id: u64,
    pub name: String,
    sha256: String,
    /// Where the bytes lie.
    place: PathBuf,
    output: Value,
}

/// The argument that names it.
pub fn number() -> Arg {
    Arg::new("document_id")
        .value_name("DOCUMENT_ID")
        .required(true)
        .add(complete::with("document"))
        .help("Number of the document")
}

/// The live document that the arguments name.
pub fn find(matches: &ArgMatches, globals: &Globals) -> Result<Paper, Stop> {
    let project = Project::find(globals.db.as_deref())?;
    let mut args = Fields::default();
    let id = matches
        .get_one::<String>("document_id")
        .map_or("", String::as_str);
    args.put("document_id", id);
    let output = of_store(&project, TOOL, &args)?;
    let text = |field: &str| output[field].as_str().unwrap_or_default().to_owned();
    let sha256 = text("sha256");
    Ok(Paper {
        id: output["id"].as_u64().unwrap_or_default(),
        name: text("name"),
        place: documents::path(&project.documents, &sha256),
        sha256,
        output,
    })
}

impl Paper {
    /// What is known of it, with the place of its bytes.
    pub fn told(&self) -> Value {
        let mut told = self.output.clone();
        told["blob"] = json!(self.place.to_string_lossy());
        told
    }

    pub fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let bytes = fs::read(&self.place).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::new(
                format!("the bytes of `{}` are not here", self.name),
                "they are kept beside the store in which the file was attached",
            )
            .with_exit(Failure::NOT_FOUND),
            _ => Failure::new(
                format!("the bytes of `{}` cannot be read: {error}", self.name),
                "check who may read them",
            ),
        })?;
        let digest = Sha256::digest(&bytes);
        let is = digest
            .iter()
            .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        if is != self.sha256 {
            return Err(Failure::new(
                format!(
                    "the bytes of `{}` were changed since it was attached",
                    self.name
                ),
                "attach the file again; the right bytes then take the place of these",
            ));
        }
        Ok(bytes)
    }
}
