//! A file is read in one go: 500 lines at most, and a tool about 120. Tests are not counted.

use deciduous_tidy::{Source, files, hold, without_tests};

const MOST: usize = 500;
/// More is worth a thought; the test says so and goes on.
const TOOL: usize = 120;

fn lines(source: &Source) -> usize {
    if source.is_test() {
        0
    } else {
        without_tests(&source.text).lines().count()
    }
}

fn is_tool(source: &Source) -> bool {
    source.path.starts_with("core/src/tools/")
}

fn too_long(sources: &[Source], most: usize) -> Vec<String> {
    let counted = sources.iter().map(|source| (source, lines(source)));
    counted
        .filter(|(_, lines)| *lines > most)
        .map(|(source, lines)| format!("{}: {lines} lines, {most} at most", source.path))
        .collect()
}

#[test]
fn no_file_is_too_long() {
    let sources = files(&["rs", "ts", "tsx", "js", "mjs"]);
    let tools: Vec<_> = sources
        .iter()
        .filter(|source| is_tool(source))
        .map(|source| Source::new(&source.path, &source.text))
        .collect();
    for long in too_long(&tools, TOOL) {
        println!("long for a tool: {long}");
    }
    hold(too_long(&sources, MOST));
}

#[test]
fn sees_a_long_file() {
    let long = "x\n".repeat(MOST + 1);
    let tested = format!("x\n\n#[cfg(test)]\nmod tests {{\n{long}}}\n");
    let samples = [
        Source::new("core/src/a.rs", &long),
        Source::new("core/src/b.rs", &tested),
        Source::new("tests/c.rs", &long),
    ];
    assert_eq!(
        too_long(&samples, MOST),
        ["core/src/a.rs: 501 lines, 500 at most"]
    );
}
