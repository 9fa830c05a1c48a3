//! The binary that people run, over MCP, with SQLite in a project of its own. Beside it the linked core: the real clock
//! and real ids differ, so the answers are compared with these numbered by their order of appearance.

use super::linked::{All, Linked};
use super::rounds::Session;
use super::{Answer, Backend, Call, Facts};
use crate::built;
use crate::catalogue::list;
use crate::layout;
use crate::names::Names;
use crate::project;
use crate::speak::Server;
use deciduous_boundary::{ActorKind, Refusal};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// A project with its servers, one for each client.
pub struct Native {
    binary: PathBuf,
    folder: TempDir,
    servers: BTreeMap<String, Server>,
    linked: Session,
    told: Names,
    real: Names,
}

impl Native {
    /// # Errors
    /// Where the binary is not built, or the project cannot be made.
    pub fn new(facts: Facts) -> Result<Self, String> {
        let binary = built::binary()?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (mut told, mut real) = (Names::default(), Names::default());
        for (hash, made) in project::make(folder.path(), &facts.0, &binary)? {
            told.know(&hash);
            real.know(&made);
        }
        let linked = Session::new(Box::new(Linked::default()), Box::new(All), facts)?;
        Ok(Native {
            binary,
            folder,
            servers: BTreeMap::new(),
            linked,
            told,
            real,
        })
    }

    fn server(&mut self, call: &Call<'_>) -> Result<&mut Server, String> {
        if call.caller.kind != ActorKind::Agent {
            return Err("whoever speaks MCP is an agent; say so in `except`".to_owned());
        }
        let key = format!("{} {} {}", call.client, call.toolset, call.caller.name);
        if !self.servers.contains_key(&key) {
            let arguments = ["mcp", "--toolset", call.toolset];
            let server = Server::start(
                &self.binary,
                &arguments,
                self.folder.path(),
                &call.caller.name,
            )?;
            self.servers.insert(key.clone(), server);
        }
        self.servers
            .get_mut(&key)
            .ok_or_else(|| "the server is gone".to_owned())
    }
}

impl Backend for Native {
    fn speaks(&self, toolset: &str) -> bool {
        toolset != "store"
    }

    fn call(&mut self, call: &Call<'_>) -> Result<Answer, String> {
        // No two calls in one millisecond: their order would be another one.
        thread::sleep(Duration::from_millis(2));
        let args = self.told.translate(call.args.get(), &self.real);
        // A message is one line.
        let args =
            RawValue::from_string(layout::compact(&args)).map_err(|error| error.to_string())?;
        let heard = self.server(call)?.tool(call.tool, &args)?;
        let answer = self.linked.call(call)?;
        let told = self.told.plain(&spoken(&answer));
        let real = self.real.plain(&shown(&heard)?);
        if told == real {
            return Ok(answer);
        }
        let diff = TextDiff::from_lines(&told, &real);
        let diff = diff
            .unified_diff()
            .context_radius(3)
            .header("linked", "native")
            .to_string();
        Err(format!("the binary answers otherwise:\n{diff}"))
    }
}

/// What MCP makes of an answer: the lead, then the JSON line by line.
fn spoken(answer: &Answer) -> String {
    match answer {
        Answer::Done { output, text, .. } => lines(false, text, output.get()),
        Answer::Refused(Refusal {
            status,
            message,
            next,
            errors,
        }) => {
            let mut json = format!(r#"{{"statusCode":{status},"message":{}"#, json!(message));
            if !errors.is_empty() {
                json.push_str(&format!(r#","errors":{}"#, json!(errors)));
            }
            json.push('}');
            lines(true, &format!("Refused: {message}. Next: {next}."), &json)
        }
    }
}

fn lines(refused: bool, lead: &str, json: &str) -> String {
    let kind = if refused { "refused" } else { "done" };
    format!("{kind}\n{lead}\n{}", layout::broken(json))
}

/// The same of what was heard.
fn shown(heard: &Value) -> Result<String, String> {
    let texts: Vec<&str> = list(&heard["content"])
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    let [lead, json] = texts.as_slice() else {
        return Err(format!("an answer is two texts, not these: {heard}"));
    };
    let refused = heard["isError"] == json!(true);
    let structured = &heard["structuredContent"];
    let same = serde_json::from_str::<Value>(json).is_ok_and(|json| json == *structured);
    match (refused, structured) {
        (true, Value::Null) => {}
        (true, _) => {
            return Err("a refusal has structured content, which hides its text".to_owned());
        }
        (false, _) if !same => {
            return Err(format!(
                "the structured content is not the text's JSON: {structured}"
            ));
        }
        (false, _) => {}
    }
    Ok(lines(refused, lead, json))
}
