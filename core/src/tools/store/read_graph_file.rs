//! `read_graph_file`: the graphs that a `graph.json` holds, whatever git made of it.

use crate::answer::Answer;
use crate::cx::Cx;
use crate::exchange;
use crate::refuse::{Step, bad_argument, refusal, stop};
use crate::text::counted;
use crate::tool::tool;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

tool! {
    title: "Read graph file",
    about: "The graphs that the text of a `graph.json` holds, for import_graph: one, or both sides of a merge that git left half done. Damage is refused with its line.",
    effect: Read,
    cli: {
        command: &["segments", "sides"],
        summary: "Take a half-merged graph.json apart",
        positions: &["file"],
        file: &["file"],
        examples: &["deciduous segments sides file.json"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// An object with the file's `text`
    file: crate::args::Json,
}

#[derive(Deserialize)]
struct Given {
    text: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    /// Each as import_graph takes it
    #[cfg_attr(feature = "catalog", schemars(with = "Vec<std::collections::BTreeMap<String, serde_json::Value>>"))]
    graphs: Vec<Box<RawValue>>,
}

fn run(args: Args, _: &Cx) -> Step<Answer<Output>> {
    let Ok(given) = serde_json::from_str::<Given>(args.file.0.get()) else {
        return stop(bad_argument("file", "has no `text`", "give the file's text as it is"));
    };
    let sides = match exchange::sides(&given.text) {
        Ok(sides) => sides,
        Err(damage) => {
            let message = format!("line {}: {}", damage.line, damage.reason);
            return stop(refusal(422, message, "nothing was made of the file; take a whole one back from git"));
        }
    };
    let graphs: Vec<Box<RawValue>> = sides.into_iter().filter_map(|side| RawValue::from_string(side).ok()).collect();
    let lead = format!("{}.", counted(graphs.len(), "graph"));
    Ok(Answer::new(Output { graphs }).lead(lead))
}
