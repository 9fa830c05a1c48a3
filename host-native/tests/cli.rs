//! The command line as a shell meets it: streams, exit codes, files.

mod common;

use common::{Folder, err, out};
use serde_json::{Value, json};
use std::fs;
use std::process::{Output, Stdio};

fn exit(output: &Output) -> Option<i32> {
    output.status.code()
}

/// The one line of JSON on standard error.
fn refused(output: &Output) -> Value {
    assert!(output.stdout.is_empty(), "{}", out(output));
    serde_json::from_str(&err(output)).unwrap_or_else(|error| panic!("{error}: {}", err(output)))
}

#[test]
fn help_and_version_are_data() {
    let folder = Folder::empty();
    for words in [
        ["--help"].as_slice(),
        &["-h"],
        &["help"],
        &["add", "--help"],
        &["add", "-h"],
        &["help", "add"],
        &["session", "--help"],
    ] {
        let output = folder.run(words);
        assert_eq!(exit(&output), Some(0), "{words:?}");
        assert!(
            output.stderr.is_empty() && out(&output).contains("Usage: deciduous"),
            "{words:?}: {}",
            out(&output)
        );
        assert!(!out(&output).contains('\u{1b}'), "{words:?}");
    }
    let help = out(&folder.run(&["add", "--help"]));
    assert!(
        help.contains("Examples:\n  deciduous add ")
            && help.contains("--confidence")
            && help.contains("--prompt-stdin")
    );
    for words in [
        ["--version"].as_slice(),
        &["-V"],
        &["version"],
        &["show", "-V"],
    ] {
        assert!(
            out(&folder.run(words)).contains(env!("CARGO_PKG_VERSION")),
            "{words:?}"
        );
    }
    assert_eq!(
        folder.json(&["version"])["version"],
        env!("CARGO_PKG_VERSION")
    );
}

#[test]
fn a_wrong_call_is_2_and_says_what_to_do() {
    let folder = Folder::project();
    for (words, hint) in [
        (["shwo"].as_slice(), "deciduous show"),
        (&["add_node"], "deciduous add"),
        (&["session", "strat"], "deciduous session start"),
        (&["show"], "NODE_ID"),
        (&["show", "1", "--nope"], "--help"),
        (&["--nope", "show"], "--help"),
        (&[], "Usage"),
        (&["session"], "session start"),
        (&["mcp", "--toolset", "store"], "`local`"),
        (&["call", "show_node", "[]"], "deciduous tools show_node"),
        (&["show", "1", "--color", "pink"], "always"),
    ] {
        let output = folder.run(words);
        assert_eq!(exit(&output), Some(2), "{words:?}: {}", err(&output));
        assert!(
            output.stdout.is_empty() && err(&output).contains(hint),
            "{words:?}: {}",
            err(&output)
        );
    }
    assert_eq!(refused(&folder.run(&["show", "--json"]))["statusCode"], 400);
    assert_eq!(refused(&folder.run(&["shwo", "--json"]))["statusCode"], 400);
}

#[test]
fn a_refusal_of_the_core_has_its_exit_code() {
    let folder = Folder::project();
    let output = folder.run(&["show", "4040"]);
    assert_eq!(exit(&output), Some(3));
    assert!(
        err(&output).starts_with("error: ") && err(&output).contains("\nnext: "),
        "{}",
        err(&output)
    );
    let json = refused(&folder.run(&["--json", "show", "4040"]));
    assert_eq!(json["statusCode"], 404);
    assert!(json["message"].is_string() && json["next"].is_string());
    assert_eq!(exit(&folder.run(&["add", "nonsense", "x"])), Some(2));
    folder.json(&["add", "goal", "a"]);
    folder.json(&["delete", "1"]);
    assert_eq!(exit(&folder.run(&["show", "1"])), Some(3));
}

#[test]
fn without_a_project_it_says_how_to_start_one() {
    let folder = Folder::empty();
    let output = folder.run(&["show", "1"]);
    assert_eq!(exit(&output), Some(3));
    assert!(err(&output).contains("deciduous init"), "{}", err(&output));
    assert!(!folder.file(".deciduous").exists());
}

#[test]
fn flags_become_arguments() {
    let folder = Folder::project();
    let added = folder.json(&[
        "add",
        "decision",
        "Title with \"quotes\" and 🌳",
        "-c",
        "90",
        "--files",
        "a.rs,b.rs",
        "--no-branch",
    ]);
    assert_eq!(added["title"], "Title with \"quotes\" and 🌳");
    let shown = folder.json(&["show", "1"]);
    assert_eq!(shown["confidence"], 90);
    assert_eq!(shown["files"], json!(["a.rs", "b.rs"]));
    assert_eq!(shown.get("branch").unwrap_or(&Value::Null), &Value::Null);
    assert_eq!(folder.json(&["show", "#1"])["title"], shown["title"]);
    let output = folder.run(&["add", "goal", "x", "-c", "-5"]);
    assert_eq!(exit(&output), Some(2));
    assert!(err(&output).contains("confidence"), "{}", err(&output));
    assert_eq!(
        folder.json(&["add", "goal", "--", "--json"])["title"],
        "--json"
    );
    assert_eq!(folder.json(&["delete", "1", "--dry-run"])["dry_run"], true);
    assert_eq!(
        folder.json(&["delete", "1", "--dry-run=true"])["dry_run"],
        true
    );
}

#[test]
fn a_prompt_comes_from_standard_input() {
    let folder = Folder::project();
    let output = folder.fed(
        &["add", "goal", "Asked", "--prompt-stdin"],
        "line one\nline two\n",
    );
    assert_eq!(exit(&output), Some(0), "{}", err(&output));
    assert_eq!(folder.json(&["show", "1"])["prompt"], "line one\nline two");
    assert_eq!(
        exit(&folder.fed(&["add", "goal", "x", "--prompt-stdin", "-p", "y"], "z")),
        Some(2)
    );
}

#[test]
fn a_list_is_followed_to_its_end() {
    let folder = Folder::project();
    let mut server = common::Server::start(&folder);
    for number in 0..400 {
        server.call(number, "add_node", json!({ "node_type": "observation", "title": format!("a title of some length, number {number}"), "description": "x".repeat(200) }));
    }
    (0..400).for_each(|_| drop(server.next()));
    let all = folder.json(&["nodes"]);
    assert_eq!(all["nodes"].as_array().map(Vec::len), Some(400));
    assert_eq!(all.get("cursor"), None);
    assert_ne!(all["truncated"], true);
    let some = folder.json(&["nodes", "--limit", "10"]);
    assert_eq!(some["nodes"].as_array().map(Vec::len), Some(10));
    assert!(some["cursor"].is_string());
    let table = out(&folder.run(&["nodes"]));
    assert_eq!(
        table
            .lines()
            .filter(|line| line.contains("a title of some length, number "))
            .count(),
        400
    );
}

#[test]
fn user_text_does_nothing_to_a_terminal() {
    let folder = Folder::project();
    folder.json(&["add", "goal", "שלום 漢字 e\u{301} 👩‍💻"]);
    folder.fed(
        &["add", "goal", "plain", "--prompt-stdin"],
        "a\u{202e}b\tc\n",
    );
    for words in [
        ["nodes"].as_slice(),
        &["show", "1"],
        &["show", "2"],
        &["pulse"],
        &["--color", "always", "nodes"],
    ] {
        let text = out(&folder.run(words));
        assert!(!text.contains(['\u{202e}', '\u{7}']), "{words:?}: {text:?}");
    }
    let plain = out(&folder.run(&["nodes"]));
    assert!(
        !plain.contains(['\u{1b}', '\u{2068}', '◎']) && plain.contains("שלום 漢字 e\u{301} 👩‍💻"),
        "{plain}"
    );
    let colour = out(&folder.run(&["nodes", "--color", "always"]));
    assert!(
        colour.contains("\u{1b}[38;5;") && colour.contains('◎'),
        "{colour:?}"
    );
    let truecolour = folder
        .command(&["nodes", "--color=always"])
        .env("COLORTERM", "truecolor")
        .output()
        .expect("it runs");
    assert!(out(&truecolour).contains("\u{1b}[38;2;"));
}

#[test]
fn a_document_is_printed_as_it_is_or_written_whole() {
    let folder = Folder::project();
    folder.json(&["add", "goal", "Root"]);
    let dot = out(&folder.run(&["dot"]));
    assert!(dot.trim_start().starts_with("digraph"), "{dot}");
    let output = folder.run(&["dot", "-o", "graph.dot"]);
    assert!(
        output.stdout.is_empty() && err(&output).contains("graph.dot"),
        "{}",
        err(&output)
    );
    assert_eq!(
        fs::read_to_string(folder.file("graph.dot")).expect("written"),
        dot
    );
    assert_eq!(
        exit(&folder.run(&["dot", "-o", "no/such/folder.dot"])),
        Some(1)
    );
    assert!(folder.json(&["dot"])["dot"].is_string());
    let left: Vec<_> = fs::read_dir(folder.path())
        .expect("read")
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Run as root, a file moved over `/dev/null` would break the whole machine.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_written_to_and_stays() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::project();
    folder.json(&["add", "goal", "Root"]);
    let pipe = folder.file("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read_to_string(pipe).expect("read"))
    };
    assert_eq!(exit(&folder.run(&["dot", "-o", "pipe"])), Some(0));
    assert!(reader.join().expect("read").starts_with("digraph"));
    let kind = fs::metadata(&pipe).expect("still there").file_type();
    assert!(kind.is_fifo());
}

#[test]
fn a_picture_needs_graphviz_and_says_so() {
    let folder = Folder::project();
    folder.json(&["add", "goal", "Root"]);
    let output = folder
        .command(&["dot", "--svg"])
        .env("PATH", folder.path())
        .output()
        .expect("it runs");
    assert_eq!(exit(&output), Some(1));
    assert!(
        err(&output).contains("Graphviz") && err(&output).contains("apt install graphviz"),
        "{}",
        err(&output)
    );
    if std::process::Command::new("dot").arg("-V").output().is_ok() {
        let svg = out(&folder.run(&["dot", "--svg"]));
        assert!(svg.contains("<svg") && svg.contains("Root"));
        assert!(
            folder
                .run(&["dot", "--png", "-o", "g.png"])
                .status
                .success()
        );
        assert!(
            fs::read(folder.file("g.png"))
                .expect("written")
                .starts_with(b"\x89PNG")
        );
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = Folder::project();
    folder.json(&["add", "goal", "Root"]);
    for words in [
        ["tools", "--json"].as_slice(),
        &["--help"],
        &["nodes"],
        &["completions", "bash"],
    ] {
        let mut child = folder
            .command(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(exit(&output), Some(0), "{words:?}");
        assert!(output.stderr.is_empty(), "{words:?}: {}", err(&output));
    }
}

#[test]
fn init_changes_nothing_that_is_there() {
    let folder = Folder::empty();
    assert_eq!(folder.json(&["init"])["created"], true);
    folder.json(&["add", "goal", "Kept"]);
    fs::write(folder.file(".deciduous/.gitignore"), "mine\n").expect("written");
    assert_eq!(folder.json(&["init"])["created"], false);
    assert_eq!(folder.json(&["show", "1"])["title"], "Kept");
    // What keeps this machine's store out of git is added, once.
    let ignored = || fs::read_to_string(folder.file(".deciduous/.gitignore")).expect("there");
    let once = ignored();
    assert!(once.starts_with("mine\n") && once.contains("\n*.db\n"));
    assert_eq!(folder.json(&["init"])["created"], false);
    assert_eq!(ignored(), once);
    assert!(!folder.file("AGENTS.md").exists() && !folder.file(".mcp.json").exists());
}

#[test]
fn init_keeps_what_others_wrote() {
    let folder = Folder::empty();
    fs::write(folder.file("CLAUDE.md"), "# Mine\n").expect("written");
    fs::write(
        folder.file(".mcp.json"),
        "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}, \"z\": [1]}",
    )
    .expect("written");
    let written = folder.json(&["init", "--agents", "--mcp-json"])["written"].clone();
    assert_eq!(written, json!(["AGENTS.md", "CLAUDE.md", ".mcp.json"]));
    assert!(
        fs::read_to_string(folder.file("CLAUDE.md"))
            .expect("there")
            .starts_with("# Mine\n\n<!-- deciduous:begin -->\n")
    );
    let servers: Value =
        serde_json::from_slice(&fs::read(folder.file(".mcp.json")).expect("there")).expect("JSON");
    assert_eq!(servers["mcpServers"]["other"], json!({ "command": "x" }));
    assert_eq!(
        servers["mcpServers"]["deciduous"],
        json!({ "command": "deciduous", "args": ["mcp"] })
    );
    assert_eq!(servers["z"], json!([1]));
    assert_eq!(
        folder.json(&["init", "--agents", "--mcp-json"])["written"],
        json!([])
    );
    fs::write(folder.file(".mcp.json"), "{ not json").expect("written");
    assert_eq!(exit(&folder.run(&["init", "--mcp-json"])), Some(1));
    assert_eq!(
        fs::read_to_string(folder.file(".mcp.json")).expect("there"),
        "{ not json"
    );
}

#[test]
fn the_database_may_be_named() {
    let folder = Folder::project();
    let other = folder.file("other.db");
    let other = other.to_str().expect("UTF-8");
    folder.json(&["--db", other, "add", "goal", "Elsewhere"]);
    assert_eq!(exit(&folder.run(&["show", "1"])), Some(3));
    assert_eq!(
        folder.json(&["show", "1", "--db", other])["title"],
        "Elsewhere"
    );
    let by_variable = folder
        .command(&["show", "1", "--json"])
        .env("DECIDUOUS_DB_PATH", other)
        .output()
        .expect("it runs");
    assert!(out(&by_variable).contains("Elsewhere"));
}

#[test]
fn tools_are_listed_described_and_called() {
    let folder = Folder::project();
    let all = folder.json(&["tools"]);
    let local = folder.json(&["tools", "--toolset", "local"]);
    assert!(local.as_array().map(Vec::len) <= all.as_array().map(Vec::len));
    let one = folder.json(&["tools", "add_node"]);
    assert_eq!(one["name"], "add_node");
    assert!(one.get("cli").is_none());
    assert!(out(&folder.run(&["tools", "add-node"])).contains("deciduous add"));
    let called = folder.run(&[
        "call",
        "add_node",
        r#"{"node_type":"goal","title":"Called"}"#,
    ]);
    assert_eq!(
        serde_json::from_slice::<Value>(&called.stdout).expect("JSON")["title"],
        "Called"
    );
    let fed = folder.fed(
        &["call", "add_node", "-"],
        r#"{"node_type":"goal","title":"Fed"}"#,
    );
    assert_eq!(
        serde_json::from_slice::<Value>(&fed.stdout).expect("JSON")["title"],
        "Fed"
    );
    assert_eq!(exit(&folder.run(&["call", "no_such"])), Some(3));
}

#[test]
fn a_graph_goes_out_and_comes_back() {
    let folder = Folder::project();
    folder.json(&["add", "goal", "Root", "-d", "why"]);
    folder.json(&["add", "option", "Way"]);
    folder.json(&["link", "1", "2", "-r", "because"]);
    let first = out(&folder.run(&["export"]));
    fs::write(folder.file("graph.json"), &first).expect("written");
    let other = Folder::project();
    let path = folder.file("graph.json");
    other.json(&["import", path.to_str().expect("UTF-8")]);
    assert_eq!(other.json(&["show", "1"])["title"], "Root");
    assert_eq!(exit(&other.fed(&["import", "-"], &first)), Some(0));
    let broken = other.fed(&["import", "-"], "{\"nodes\": [");
    assert_eq!(exit(&broken), Some(2), "{}", err(&broken));
    assert_eq!(exit(&other.run(&["import", "missing.json"])), Some(3));
}
