//! The form of a vector: `tests/vectors/README.md` describes it.
//!
//! Owns: reading and writing the files, and what a step is told of time and entropy. Never: running one.

use crate::layout;
use deciduous_boundary::{Actor, ActorKind, FileFact, Millis};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// 2026-01-15T09:00:00Z: the time of the first call.
const BEGIN: Millis = 1_768_467_600_000;
const MINUTE: Millis = 60_000;

/// One file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// Why the case exists.
    pub about: String,
    /// Backend to the reason why the case cannot be run there. What it then does there is not looked at.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub except: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Outside::is_empty")]
    pub outside: Outside,
    pub steps: Vec<Step>,
}

/// What lies outside the store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Revision to full hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub commits: BTreeMap<String, String>,
    /// Path to what is there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Content>,
    /// Names of the ledger's segment files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<Vec<String>>,
}

impl Outside {
    fn is_empty(&self) -> bool {
        *self == Outside::default()
    }
}

/// What stands under a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    Text(String),
    /// A host's answer as it is, for what is no readable file: `{"outside": {}}`.
    Fact(FileFact),
}

/// One call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub tool: String,
    /// None: the folder's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolset: Option<String>,
    /// As a client would send them, byte for byte.
    pub args: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Actor>,
    /// Whose kept values go along; none: the one client of the other steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The workspace the client is pinned to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The call is made so many times, with `{n}` in the arguments replaced by 1, 2 …; the last is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// What a terminal would show is compared too, where the backend can draw.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub view: bool,
    /// Must be done; the answer is not compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub setup: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Box<RawValue>>,
}

impl Step {
    #[must_use]
    pub fn caller(&self) -> Actor {
        self.caller.clone().unwrap_or_else(|| Actor {
            name: "tester".to_owned(),
            kind: ActorKind::Agent,
        })
    }

    /// The arguments of the step's `n`-th call.
    #[must_use]
    pub fn args(&self, n: u32) -> Box<RawValue> {
        if self.times.is_none() {
            return self.args.clone();
        }
        let text = self.args.get().replace("{n}", &n.to_string());
        RawValue::from_string(text).unwrap_or_else(|_| self.args.clone())
    }
}

/// The time that the call number `call` of a vector is told.
#[must_use]
pub fn now(call: u32) -> Millis {
    BEGIN + MINUTE * Millis::from(call)
}

/// The entropy that the call number `call` of a vector is told.
#[must_use]
pub fn entropy(call: u32) -> String {
    let digest = Sha256::digest(format!("deciduous vector step {call}"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A vector and where it is from.
#[derive(Debug)]
pub struct Case {
    pub path: PathBuf,
    /// `local/add_node/first`.
    pub name: String,
    /// The toolset of the folder.
    pub toolset: String,
    pub vector: Vector,
}

impl Case {
    /// Writes the vector back. The same vector gives the same bytes.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn save(&self) -> Result<(), String> {
        let json = serde_json::to_string(&self.vector).map_err(|error| error.to_string())?;
        let text = layout::pretty(&json);
        if fs::read(&self.path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        fs::write(&self.path, text).map_err(|error| format!("`{}`: {error}", self.path.display()))
    }
}

/// A file's name, and the vector in it or why there is none.
pub type Read = (String, Result<Case, String>);

/// Every vector below `folder` in the order of their names; a file that is none is an error beside its name.
///
/// # Errors
/// Where the folder cannot be read.
pub fn load(folder: &Path) -> Result<Vec<Read>, String> {
    let mut paths = Vec::new();
    collect(folder, &mut paths).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    paths.sort();
    Ok(paths.into_iter().map(|path| read(folder, path)).collect())
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            paths.push(path);
        }
    }
    Ok(())
}

/// The vector at `path`, beside its name.
pub fn read(folder: &Path, path: PathBuf) -> Read {
    let inside = path
        .strip_prefix(folder)
        .unwrap_or(&path)
        .with_extension("");
    let parts: Vec<_> = inside
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let name = parts.join("/");
    let vector = fs::read_to_string(&path)
        .map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_str::<Vector>(&text).map_err(|error| error.to_string()));
    let case = match (vector, parts.as_slice()) {
        (Err(error), _) => Err(format!("`{}` is no vector: {error}", path.display())),
        (Ok(vector), [toolset, _, _]) => Ok(Case {
            path,
            name: name.clone(),
            toolset: toolset.clone(),
            vector,
        }),
        (Ok(_), _) => Err(format!(
            "`{name}` does not lie at <toolset>/<tool>/<case>.json"
        )),
    };
    (name, case)
}
