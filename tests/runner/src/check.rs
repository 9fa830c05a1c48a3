//! Runs a vector on a backend and says what differs.
//!
//! Owns: what must hold for every answer, and the comparison with what a vector expects. Never: how a host is called.

use crate::backend::{Answer, Backend, Call};
use crate::catalogue::Catalogue;
use crate::layout;
use crate::vector::{Case, Step, entropy, now};
use deciduous_boundary::{Block, Refusal, Span, View};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use similar::TextDiff;

/// What a vector keeps of an answer.
#[derive(Serialize)]
struct Expected<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'a Refusal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<Vec<String>>,
}

/// Runs every step; with `update`, what is answered becomes what is expected.
///
/// # Errors
/// With everything that is wrong with the first step where something is.
pub fn run(
    case: &mut Case,
    backend: &mut dyn Backend,
    catalogue: &Catalogue,
    update: bool,
) -> Result<(), String> {
    let mut made = 0;
    let toolset = case.toolset.clone();
    for at in 0..case.vector.steps.len() {
        let step = &mut case.vector.steps[at];
        let described = format!("step {} (`{}`)", at + 1, step.tool);
        let answer = make(step, &toolset, backend, &mut made)
            .map_err(|error| format!("{described}: {error}"))?;
        let set = step.toolset.as_ref().unwrap_or(&toolset);
        let mut faults = faults(set, &step.tool, &answer, catalogue);
        if step.setup {
            if let Answer::Refused(refusal) = &answer {
                faults.push(format!(
                    "a step of the setup is refused: {}",
                    refusal.message
                ));
            }
        } else {
            let found = expected(&answer)?;
            if update {
                step.expect = Some(found);
            } else {
                faults.extend(difference(step.expect.as_deref(), &found));
            }
        }
        if !faults.is_empty() {
            return Err(format!("{described}: {}", faults.join("\n")));
        }
    }
    Ok(())
}

fn make(
    step: &Step,
    toolset: &str,
    backend: &mut dyn Backend,
    made: &mut u32,
) -> Result<Answer, String> {
    let mut answer = Err("a step must be called at least once".to_owned());
    for n in 1..=step.times.unwrap_or(1) {
        let call = Call {
            toolset: step.toolset.as_deref().unwrap_or(toolset),
            tool: &step.tool,
            args: step.args(n),
            caller: step.caller(),
            client: step.client.as_deref().unwrap_or_default(),
            workspace: step.workspace.as_deref(),
            view: step.view,
            now: now(*made),
            entropy: entropy(*made),
        };
        *made += 1;
        answer = Ok(backend.call(&call)?);
    }
    answer
}

/// These write the shape that other programs read and write, nulls included.
const WITH_NULLS: [&str; 2] = ["get_graph", "export_graph"];

/// What must hold for every answer of every tool.
fn faults(toolset: &str, tool: &str, answer: &Answer, catalogue: &Catalogue) -> Vec<String> {
    let mut faults = Vec::new();
    match answer {
        Answer::Done { output, text, .. } => {
            if text.trim().is_empty() {
                faults.push("the text is empty".to_owned());
            }
            match serde_json::from_str(output.get()) {
                Ok(output) => faults.extend(catalogue.misfits(toolset, tool, &output)),
                Err(error) => faults.push(format!("the output is no JSON: {error}")),
            }
            if !WITH_NULLS.contains(&tool) && has_null(output.get()) {
                faults.push("the output holds a null; leave the key out".to_owned());
            }
        }
        Answer::Refused(Refusal {
            message,
            next,
            status,
            ..
        }) => {
            for (name, text) in [("message", message), ("next", next)] {
                if text.trim().is_empty() {
                    faults.push(format!("the refusal has no {name}"));
                }
                // The one wording that clients know with a capital letter.
                let proper = text.starts_with("Unrecognized key")
                    || !text.starts_with(|first: char| first.is_uppercase());
                if text.ends_with('.') || !proper {
                    faults.push(format!(
                        "the refusal's {name} is lower case and has no full stop: {text}"
                    ));
                }
            }
            if !(400..500).contains(status) {
                faults.push(format!(
                    "a refusal is the caller's to mend, and {status} is not"
                ));
            }
        }
    }
    faults
}

fn has_null(json: &str) -> bool {
    fn any(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::Null => true,
            serde_json::Value::Array(items) => items.iter().any(any),
            serde_json::Value::Object(members) => members.values().any(any),
            _ => false,
        }
    }
    serde_json::from_str(json).is_ok_and(|value| any(&value))
}

fn expected(answer: &Answer) -> Result<Box<RawValue>, String> {
    let expected = match answer {
        Answer::Done { output, text, view } => Expected {
            refused: None,
            output: Some(output),
            text: Some(text),
            view: view.as_ref().map(drawn),
        },
        Answer::Refused(refusal) => Expected {
            refused: Some(refusal),
            output: None,
            text: None,
            view: None,
        },
    };
    to_raw_value(&expected).map_err(|error| error.to_string())
}

/// Byte for byte, shown line by line.
fn difference(expected: Option<&RawValue>, found: &RawValue) -> Option<String> {
    let Some(expected) = expected else {
        let found = layout::pretty(found.get());
        return Some(format!(
            "nothing is expected yet; run with UPDATE=1 to take this:\n{found}"
        ));
    };
    if layout::compact(expected.get()) == layout::compact(found.get()) {
        return None;
    }
    let lines = [expected, found].map(|json| layout::broken(json.get()));
    let diff = TextDiff::from_lines(&lines[0], &lines[1]);
    let diff = diff
        .unified_diff()
        .context_radius(3)
        .header("expected", "answered")
        .to_string();
    Some(format!("another answer (UPDATE=1 takes it):\n{diff}"))
}

/// A view as lines of plain text.
#[must_use]
pub fn drawn(view: &View) -> Vec<String> {
    fn plain(spans: &[Span]) -> String {
        spans.iter().map(|span| span.text.as_str()).collect()
    }
    let indented = |indent: u8, text: &str| format!("{}{text}", "  ".repeat(usize::from(indent)));
    let mut lines = Vec::new();
    for block in &view.blocks {
        match block {
            Block::Heading(text) => lines.push(format!("# {text}")),
            Block::Line { indent, spans } => lines.push(indented(*indent, &plain(spans))),
            Block::Text { indent, text } => {
                lines.extend(text.lines().map(|line| indented(*indent, line)))
            }
            Block::Table { head, rows, .. } => {
                lines.push(head.join(" | "));
                lines.extend(rows.iter().map(|row| {
                    let cells: Vec<_> = row.iter().map(|cell| cell.text.as_str()).collect();
                    cells.join(" | ")
                }));
            }
            Block::Document(text) => lines.extend(text.lines().map(str::to_owned)),
            Block::Blank => lines.push(String::new()),
        }
    }
    lines
}
