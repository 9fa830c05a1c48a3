//! Tells the story to the server, as an agent would: one tool call after the other, over MCP.
//!
//! Owns: the order of calls, real commits for the actions. Never: the story itself.

use crate::client::Client;
use crate::project::Project;
use crate::say;
use crate::story::{Chapter, DOCUMENT, Note, STORY, THEMES};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Story's key to the graph's number.
pub type Numbers = BTreeMap<&'static str, u64>;

pub async fn all(client: &Client, project: &Project) -> Result<Numbers> {
    for (name, color, description) in THEMES {
        client
            .call(
                "create_theme",
                json!({"name": name, "color": color, "description": description}),
            )
            .await?;
    }
    let mut numbers = Numbers::new();
    for chapter in &STORY {
        project.branch(chapter.branch)?;
        let edges = tell(client, project, chapter, &mut numbers).await?;
        say::chapter(chapter.title, chapter.notes.len(), edges);
    }
    let (key, path, text, description) = DOCUMENT;
    project.write(path, text)?;
    let node = number(&numbers, key)?;
    client
        .call(
            "attach_document",
            json!({"node_id": node, "file_path": path, "description": description}),
        )
        .await?;
    Ok(numbers)
}

async fn tell(
    client: &Client,
    project: &Project,
    chapter: &Chapter,
    numbers: &mut Numbers,
) -> Result<usize> {
    let mut edges = 0;
    for note in chapter.notes {
        let added = client.call("add_node", arguments(project, note)?).await?;
        let id = added["id"].as_u64().context("the server gave no number")?;
        numbers.insert(note.key, id);
        for (from, edge_type, rationale) in note.from {
            let mut args =
                json!({"from_id": number(numbers, from)?, "to_id": id, "edge_type": edge_type});
            if !rationale.is_empty() {
                args["rationale"] = json!(rationale);
            }
            client.call("link_nodes", args).await?;
            edges += 1;
        }
        if !note.status.is_empty() {
            client
                .call(
                    "update_status",
                    json!({"node_id": id, "status": note.status}),
                )
                .await?;
        }
        if note.kind == "decision" || note.kind == "goal" {
            client
                .call("tag_node", json!({"node_id": id, "theme": chapter.theme}))
                .await?;
        }
    }
    Ok(edges)
}

fn arguments(project: &Project, note: &Note) -> Result<Value> {
    let mut args = json!({"node_type": note.kind, "title": note.title});
    for (name, text) in [
        ("description", note.text),
        ("prompt", note.prompt),
        ("files", note.files),
    ] {
        if !text.is_empty() {
            args[name] = json!(text);
        }
    }
    if note.confidence > 0 {
        args["confidence"] = json!(note.confidence);
    }
    if !note.files.is_empty() && project.commit(note.title, note.files)? {
        args["commit"] = json!("HEAD");
    }
    Ok(args)
}

pub fn number(numbers: &Numbers, key: &str) -> Result<u64> {
    numbers
        .get(key)
        .copied()
        .with_context(|| format!("the story has no `{key}` so far"))
}
