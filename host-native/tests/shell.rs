//! The command in a shell: pipes, colours, files with any name, completions, manual pages.

mod common;

use common::{Folder, err, out};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Every list of a graph of this size is longer than a pipe holds.
const MANY: usize = 1_500;

fn large() -> Folder {
    let folder = Folder::project();
    let nodes: Vec<Value> = (1..=MANY)
        .map(|id| {
            json!({
                "id": id, "change_id": format!("00000000-0000-4000-8000-{id:012}"), "node_type": "observation",
                "title": format!("title of the node with the number {id}, which is not a short one"),
                "status": "active", "created_at": "2026-01-15T09:00:00Z", "updated_at": "2026-01-15T09:00:00Z",
            })
        })
        .collect();
    let output = folder.fed(
        &["import", "-"],
        &json!({ "nodes": nodes, "edges": [] }).to_string(),
    );
    assert!(output.status.success(), "{}", err(&output));
    folder
}

/// The reader of the answer goes away after a line: nothing is said, and nothing breaks.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = large();
    for words in [
        ["nodes"].as_slice(),
        &["nodes", "--json"],
        &["graph"],
        &["export"],
        &["orphans"],
        &["search", "title"],
        &["archaeology", "timeline", "--limit", "0"],
        &["dot"],
        &["writeup"],
        &["log", "-n", "1500", "--json"],
        &["events", "read"],
        &["tools", "--json"],
    ] {
        let mut child = folder
            .command(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = Vec::new();
        let mut reader = BufReader::with_capacity(64, child.stdout.take().expect("piped"));
        let read = reader.read_until(b'\n', &mut line);
        assert!(read.expect("readable") > 0, "{words:?}");
        drop(reader);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        assert!(output.stderr.is_empty(), "{words:?}: {}", err(&output));
    }
}

/// What a command writes where a terminal is, with these variables.
#[cfg(unix)]
fn at_terminal(folder: &Folder, words: &[&str], variables: &[(&str, &str)]) -> String {
    let quoted: Vec<String> = [&[env!("CARGO_BIN_EXE_deciduous")], words]
        .concat()
        .iter()
        .map(|word| format!("'{word}'"))
        .collect();
    let typescript = folder.file("typescript");
    let output = Command::new("script")
        .args(["-q", "-e", "-c", &quoted.join(" ")])
        .arg(&typescript)
        .current_dir(folder.path())
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .env_remove("COLORTERM")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("script (of util-linux) is there");
    assert!(output.status.success(), "{words:?}: {}", err(&output));
    out(&output)
}

#[cfg(target_os = "linux")]
#[test]
fn colour_is_for_a_terminal_that_wants_it() {
    let folder = Folder::project();
    folder.json(&["add", "goal", "Root"]);
    for words in [["nodes"].as_slice(), &["show", "1"], &["pulse"], &["log"]] {
        let coloured = at_terminal(&folder, words, &[]);
        assert!(coloured.contains("\u{1b}["), "{words:?}: {coloured:?}");
        let plain = [("NO_COLOR", "1")];
        for (variables, flags) in [
            (plain.as_slice(), [].as_slice()),
            (&[("TERM", "dumb")], &[]),
            (&[], &["--color", "never"]),
            (&[], &["--json"]),
        ] {
            let text = at_terminal(&folder, &[words, flags].concat(), variables);
            assert!(text.contains("Root"), "{words:?} {variables:?}: {text:?}");
            assert!(!text.contains('\u{1b}'), "{words:?} {flags:?}: {text:?}");
        }
        let piped = out(&folder.run(words));
        assert!(!piped.contains('\u{1b}'), "{words:?}: {piped:?}");
    }
    // An empty variable says nothing.
    let coloured = at_terminal(&folder, &["nodes"], &[("NO_COLOR", "")]);
    assert!(coloured.contains("\u{1b}["), "{coloured:?}");
}

#[test]
fn a_wrong_word_is_answered_with_the_nearest_right_one() {
    let folder = Folder::project();
    for (words, meant) in [
        (["nodes", "--stauts", "active"].as_slice(), "--status"),
        (&["add", "goal", "x", "--confidense", "5"], "--confidence"),
        (&["link", "1", "2", "--rational", "x"], "--rationale"),
        (&["completions", "bsh"], "bash"),
        (&["themes", "delte", "x"], "themes delete"),
        (&["achaeology", "timeline"], "archaeology"),
        (&["add", "gaol", "x"], "goal"),
        (&["nodes", "--status", "actve"], "active"),
    ] {
        let output = folder.run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", err(&output));
        assert!(err(&output).contains(meant), "{words:?}: {}", err(&output));
        let output = folder.run(&[words, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", err(&output));
        let refused: Value = serde_json::from_slice(&output.stderr).expect("one JSON value");
        assert!(refused.to_string().contains(meant), "{words:?}: {refused}");
    }
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = Folder::project();
    folder.json(&["add", "goal", "Root"]);
    let output = folder.run(&["dot", "-o", "graphé 漢字.dot"]);
    assert!(output.status.success(), "{}", err(&output));
    let first = fs::read_to_string(folder.file("graphé 漢字.dot")).expect("there");
    assert!(first.starts_with("digraph"), "{first}");
    for (path, said) in [
        ("no/such/graph.dot", "there is no folder `no/such`"),
        (".deciduous", "cannot be written"),
        ("graphé 漢字.dot/below", "there is no folder"),
    ] {
        let output = folder.run(&["dot", "-o", path]);
        assert_eq!(output.status.code(), Some(1), "{path}: {}", err(&output));
        assert!(err(&output).contains(said), "{path}: {}", err(&output));
    }
    assert!(!folder.file("no").exists());
    let names: Vec<String> = fs::read_dir(folder.path())
        .expect("read")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != ".deciduous")
        .collect();
    assert_eq!(names, ["graphé 漢字.dot"]);
}

/// A name that is no text is refused, not shortened or guessed.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::project();
    folder.json(&["add", "goal", "Root", "-f", "src/é 漢字.rs,b.rs"]);
    let files = folder.json(&["show", "1"])["files"].clone();
    assert_eq!(files, json!(["src/é 漢字.rs", "b.rs"]));
    let name = OsStr::from_bytes(b"caf\xe9.txt");
    fs::write(folder.path().join(name), "x").expect("written");
    let output = folder
        .command(&["doc", "attach", "1"])
        .arg(name)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert_eq!(folder.json(&["doc", "list"])["total"], 0);
    // A path that is only passed on may be any.
    let output = folder
        .command(&["dot", "-o"])
        .arg(name)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", err(&output));
    assert!(
        fs::read(folder.path().join(name))
            .expect("there")
            .starts_with(b"digraph")
    );
}

/// What the shell is offered for the last of these words.
fn offered(folder: &Folder, words: &[&str]) -> Vec<String> {
    let output = folder
        .command(&[&["--", "deciduous"], words].concat())
        .env("DECIDUOUS_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .env("_CLAP_IFS", "\n")
        .output()
        .expect("it runs");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{words:?}: {}",
        err(&output)
    );
    out(&output).lines().map(str::to_owned).collect()
}

#[test]
fn completions_ask_the_graph() {
    let folder = Folder::project();
    for number in 1..=12 {
        folder.json(&[
            "add",
            "goal",
            &format!("Goal {number}"),
            "-b",
            "feat/search",
        ]);
    }
    folder.json(&["delete", "10"]);
    folder.json(&["themes", "create", "speed"]);
    folder.json(&["themes", "create", "safety"]);
    folder.json(&["session", "start", "auth", "Refactor"]);
    fs::write(folder.file("a.txt"), "a").expect("written");
    folder.json(&["doc", "attach", "1", "a.txt"]);
    for (words, wanted) in [
        (["show", "1"].as_slice(), ["13", "12", "11", "1"].as_slice()),
        (&["link", "1", "#12"], &["#12"]),
        (&["dot", "-r", "3,12"], &["3,12"]),
        (&["trace", "9"], &["9"]),
        (&["tag", "add", "1", "s"], &["safety", "speed"]),
        (&["nodes", "--theme", "sp"], &["speed"]),
        (&["themes", "delete", "sa"], &["safety"]),
        (&["nodes", "-b", "fe"], &["feat/search"]),
        (&["session", "show", ""], &["1"]),
        (&["doc", "detach", ""], &["1"]),
        (&["nodes", "--stat"], &["--status"]),
        (&["archaeology", "pi"], &["pivot"]),
        (&["call", "show_n"], &["show_node"]),
        (&["completions", "fi"], &["fish"]),
        (&["link", "1", "2", "-t", "cho"], &["chosen"]),
    ] {
        let offered = offered(&folder, words);
        let trimmed: Vec<&str> = offered.iter().map(|one| one.trim_end()).collect();
        for one in wanted {
            assert!(trimmed.contains(one), "{words:?}: {trimmed:?}");
        }
        let typed = words.last().copied().unwrap_or_default();
        let begins = |one: &&str| one.starts_with(typed);
        assert!(trimmed.iter().all(begins), "{words:?}: {trimmed:?}");
    }
    assert!(
        !offered(&folder, &["show", "1"])
            .iter()
            .any(|one| one.trim_end() == "10")
    );
    // Where there is no graph, there is nothing to offer and nothing to complain of.
    assert_eq!(
        offered(&Folder::empty(), &["show", "1"]),
        Vec::<String>::new()
    );
}

/// The script that a shell loads makes it ask.
#[test]
fn bash_completes_with_the_script() {
    let folder = Folder::project();
    folder.json(&["themes", "create", "speed"]);
    folder.json(&["themes", "create", "speech"]);
    let script = out(&folder.run(&["completions", "bash"]));
    fs::write(folder.file("complete.bash"), script).expect("written");
    let asks = "source ./complete.bash\n\
                COMP_WORDS=(deciduous nodes --theme spe); COMP_CWORD=3; COMP_TYPE=9\n\
                _clap_complete_deciduous deciduous spe --theme\n\
                printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    let binary = Path::new(env!("CARGO_BIN_EXE_deciduous"));
    let folders = [binary.parent().expect("a folder")];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        folders
            .map(Path::to_path_buf)
            .into_iter()
            .chain(std::env::split_paths(&path)),
    );
    let output = Command::new("bash")
        .args(["--norc", "-c", asks])
        .current_dir(folder.path())
        .env("PATH", path.expect("a path"))
        .env_remove("DECIDUOUS_DB_PATH")
        .stdin(Stdio::null())
        .output()
        .expect("bash is there");
    let lines = out(&output);
    let mut said: Vec<&str> = lines.lines().map(str::trim_end).collect();
    said.sort_unstable();
    assert_eq!(said, ["speech", "speed"], "{}", err(&output));
}

#[test]
fn every_shell_has_its_script() {
    let folder = Folder::empty();
    for (shell, part) in [
        ("bash", "complete -o"),
        ("zsh", "#compdef deciduous"),
        ("fish", "complete --keep-order"),
        ("elvish", "edit:completion"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = out(&folder.run(&["completions", shell]));
        assert!(
            script.contains(part) && script.contains("DECIDUOUS_COMPLETE"),
            "{shell}: {script}"
        );
        assert_eq!(folder.json(&["completions", shell])["script"], script);
    }
}

#[test]
fn manual_pages_say_what_the_help_says() {
    let folder = Folder::empty();
    let page = out(&folder.run(&["man", "add"]));
    for part in [".TH", "deciduous", "confidence", "Ship search"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(out(&folder.run(&["man"])).contains("archaeology"));
    assert!(folder.json(&["man", "archaeology", "pivot"])["roff"].is_string());
    assert_eq!(folder.run(&["man", "shwo"]).status.code(), Some(3));
    let written = folder.json(&["man", "--all", "pages"])["written"].clone();
    let written = written.as_array().expect("a list");
    assert!(written.len() > 60, "{}", written.len());
    for name in written {
        let name = name.as_str().expect("a name");
        let page = fs::read_to_string(folder.file("pages").join(name)).expect("there");
        assert!(page.contains(".TH"), "{name}");
    }
}
