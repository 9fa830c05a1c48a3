//! Tells a team's story to the real server through a real client, then shows what one can ask of it.
//!
//! Owns: the order in which things are shown. Never: more than the project in `target/demo`.
//!
//! ```text
//! cargo xtask demo
//! ```
#![forbid(unsafe_code)]

mod client;
mod connect;
mod project;
mod say;
mod story;
mod tell;

use anyhow::{Context, Result};
use client::Client;
use project::{Project, command};
use serde_json::json;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use tell::{Numbers, number};

const EXCERPT_LINES: usize = 42;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let binary = binary()?;
    let started = Instant::now();
    say::heading("A small company moves its sign-in from tokens to cookies");
    let project = Project::make(target().join("demo"))?;
    command(&binary, &project, &["init"], false)?;
    let client = Client::start(&binary, &project.folder).await?;
    say::dim(&format!(
        "{} serves {} tools to an agent over MCP, in {}",
        name(&binary),
        client.tools().await?,
        project.folder.display()
    ));
    if !project.has_git() {
        say::dim("git is not here, so nodes have no branch and no commit");
    }
    println!();
    let numbers = tell::all(&client, &project).await?;
    println!();
    say::dim(&format!(
        "{} nodes, each call durable before it was answered, in {:.1} s",
        numbers.len(),
        started.elapsed().as_secs_f64()
    ));
    show(&binary, &project, &client, &numbers).await?;
    client.end().await?;
    say::heading("Connect an agent");
    connect::print(&binary);
    println!();
    say::dim(&format!(
        "look around: cd {} && {} show {}",
        project.folder.display(),
        binary.display(),
        number(&numbers, story::EXPLAINED)?
    ));
    Ok(())
}

async fn show(binary: &Path, project: &Project, client: &Client, numbers: &Numbers) -> Result<()> {
    let typed = |arguments: &[&str]| -> Result<()> {
        let output = command(binary, project, arguments, say::colour())?;
        say::shell(&format!("deciduous {}", arguments.join(" ")), &output);
        Ok(())
    };
    say::heading("Where the project stands");
    typed(&["pulse"])?;

    say::heading("One decision, and why");
    typed(&["show", &number(numbers, story::EXPLAINED)?.to_string()])?;

    say::heading("An agent that joins later asks");
    let (text, _) = client
        .answer("ask_graph", json!({"question": story::QUESTION}))
        .await?;
    say::line(&format!(
        "ask_graph {}",
        json!({"question": story::QUESTION})
    ));
    println!();
    say::block(&text);

    say::heading("The pull request writes itself");
    let root = number(numbers, story::WRITTEN_UP)?.to_string();
    typed(&["writeup", "--roots", &root, "-o", "writeup.md"])?;
    let writeup = project.read("writeup.md")?;
    say::excerpt(&writeup, EXCERPT_LINES);
    println!();
    say::dim(&format!(
        "whole: {}",
        project.folder.join("writeup.md").display()
    ));

    say::heading("The picture");
    picture(binary, project, &root)
}

fn picture(binary: &Path, project: &Project, root: &str) -> Result<()> {
    let drawn = Command::new("dot")
        .arg("-V")
        .stdin(Stdio::null())
        .output()
        .is_ok();
    let (arguments, file): (&[&str], _) = if drawn {
        (
            &["dot", "--roots", root, "--svg", "-o", "graph.svg"],
            "graph.svg",
        )
    } else {
        (&["dot", "--roots", root, "-o", "graph.dot"], "graph.dot")
    };
    let output = command(binary, project, arguments, say::colour())?;
    say::shell(&format!("deciduous {}", arguments.join(" ")), &output);
    say::line(&format!("open {}", project.folder.join(file).display()));
    if !drawn {
        say::dim("Graphviz is not here; `dot -Tsvg graph.dot` draws it where it is");
    }
    Ok(())
}

/// The one that `cargo xtask build` made.
fn binary() -> Result<PathBuf> {
    let named = env::var_os("DECIDUOUS_BIN").map(PathBuf::from);
    let built = named.unwrap_or_else(|| {
        target()
            .join("release")
            .join(format!("deciduous{}", env::consts::EXE_SUFFIX))
    });
    std::path::absolute(&built)
        .ok()
        .filter(|path| path.is_file())
        .with_context(|| {
            format!(
                "`{}` is not built; run `cargo xtask demo`, which builds it",
                built.display()
            )
        })
}

fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap_or(Path::new("."));
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

fn name(binary: &Path) -> String {
    binary
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
