//! Titles through a real Graphviz: what `export_dot` writes is drawn, and the drawn texts are the titles.
//!
//! Where the machine has no `dot`, the test says so and passes; Debian's package is `graphviz`.

use deciduous_boundary::{Actor, ActorKind};
use deciduous_runner::backend::{All, Answer, Backend, Call, Facts, Linked, Session};
use deciduous_runner::vector::{entropy, now};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// What means something to DOT, to Graphviz, to XML, or to a renderer of text.
const PIECES: &[&str] = &[
    "\"",
    "\\",
    "\\\\",
    "\\N",
    "\\G",
    "\\E",
    "\\T",
    "\\H",
    "\\L",
    "\\n",
    "\\l",
    "\\r",
    "\\\"",
    "&",
    "&amp;",
    "&lt;",
    "&#65;",
    "&eacute;",
    "&copy",
    "<",
    ">",
    "<b>",
    "</b>",
    "<br/>",
    "{",
    "}",
    "|",
    "//",
    "/*",
    "*/",
    "#",
    ";",
    "->",
    "--",
    "[label=x]",
    "}\n",
    "e\u{301}",
    "🎉",
    "👩\u{200D}👧",
    "🇩🇪",
    "שלום",
    "سلام",
    "決定",
    "word",
    "two words",
    " ",
    "%",
    "$",
    "'",
];

/// Titles made of the pieces at random, the same for a seed.
fn titles(seed: u64, count: usize) -> Vec<String> {
    let mut state = seed;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    let mut titles = Vec::new();
    while titles.len() < count {
        let pieces = 1 + next(if titles.len() % 10 == 0 { 120 } else { 12 });
        let title: String = (0..pieces).map(|_| PIECES[next(PIECES.len())]).collect();
        let title = title.replace('\n', " ").trim().to_owned();
        if !title.is_empty() && title.chars().count() <= 1_000 {
            titles.push(title);
        }
    }
    titles
}

fn call(session: &mut Session, number: u32, tool: &str, args: &Value) -> Value {
    let call = Call {
        toolset: "local",
        tool,
        args: to_raw_value(args).expect("JSON"),
        caller: Actor {
            name: "tester".to_owned(),
            kind: ActorKind::Agent,
        },
        client: "",
        workspace: None,
        view: false,
        now: now(number),
        entropy: entropy(number),
    };
    match session.call(&call).expect("an answer") {
        Answer::Done { output, .. } => serde_json::from_str(output.get()).expect("JSON"),
        Answer::Refused(refusal) => panic!("{tool} {args}: {}", refusal.message),
    }
}

/// What Graphviz makes of a source; none where there is no Graphviz.
fn draw(dot: &str, format: &str) -> Option<String> {
    let child = Command::new("dot")
        .arg(format!("-T{format}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => panic!("{error}"),
    };
    // The source is written beside the reading, since both pipes are smaller than a picture.
    let mut stdin = child.stdin.take().expect("a pipe");
    let source = dot.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(source.as_bytes()));
    let output = child.wait_with_output().expect("its output");
    writer.join().expect("the writer").expect("all is read");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && complaint.is_empty(),
        "{complaint}\n{dot}"
    );
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

/// White space may be broken by lines, and is drawn otherwise.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The texts drawn for a part of the picture, in their order.
fn drawn(part: &Value) -> Vec<&str> {
    let operations = part["_ldraw_"].as_array().map_or(&[][..], Vec::as_slice);
    let texts = operations.iter().filter(|operation| operation["op"] == "T");
    texts.filter_map(|text| text["text"].as_str()).collect()
}

#[test]
fn titles_survive_graphviz() {
    let seed = 20_260_115;
    println!("seed {seed}");
    let mut titles = titles(seed, 150);
    titles.push("x".repeat(1_000));
    titles.push("決".repeat(1_000));
    let mut session = Session::new(
        Box::new(Linked::default()),
        Box::new(All),
        Facts(Default::default()),
    )
    .expect("a session");
    for (number, title) in (0..).zip(&titles) {
        call(
            &mut session,
            number,
            "add_node",
            &json!({"node_type": "goal", "title": title, "branch": ""}),
        );
    }
    let heading = titles.concat().chars().take(900).collect::<String>();
    let output = call(
        &mut session,
        1_000,
        "export_dot",
        &json!({"limit": 0, "title": heading}),
    );
    let dot = output["dot"].as_str().expect("DOT");
    let Some(picture) = draw(dot, "json") else {
        println!("there is no `dot` here: nothing was drawn");
        return;
    };
    let picture: Value = serde_json::from_str(&picture).expect("JSON of Graphviz");
    let nodes = picture["objects"].as_array().expect("nodes");
    assert_eq!(nodes.len(), titles.len());
    for (id, title) in (1..).zip(&titles) {
        let node = nodes
            .iter()
            .find(|node| node["name"] == format!("n{id}"))
            .expect("the node");
        let texts = drawn(node);
        assert_eq!(texts.first().copied(), Some(format!("◎ #{id}").as_str()));
        assert_eq!(bare(&texts[1..].concat()), bare(title), "{title}");
    }
    assert_eq!(bare(&drawn(&picture).concat()), bare(&heading));
    assert!(draw(dot, "svg").is_some_and(|svg| svg.contains("</svg>")));
}
