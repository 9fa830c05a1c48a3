//! Any title survives: what Graphviz reads is what was written.

use super::{Picture, Rankdir, Sketch, dot};
use crate::render::excerpt::EdgeLine;
use crate::render::hostile::{bare, title};
use proptest::prelude::*;

fn sketch(id: u32, title: &str) -> Sketch {
    Sketch {
        id,
        node_type: "goal".to_owned(),
        title: title.to_owned(),
        status: "active".to_owned(),
    }
}

/// The value of an attribute as Graphviz reads it: the quoted string, its escapes, then its entities.
fn value(line: &str, name: &str) -> String {
    let start = line.find(&format!("{name}=\"")).expect("the attribute") + name.len() + 2;
    let (mut out, mut chars) = (String::new(), line[start..].chars());
    loop {
        match chars.next().expect("a closing quote") {
            '"' => break,
            '\\' => match chars.next().expect("an escaped sign") {
                'n' => out.push('\n'),
                c @ ('\\' | '"') => out.push(c),
                c => panic!("\\{c} means something else to Graphviz"),
            },
            '&' => {
                let entity: String = chars.by_ref().take_while(|c| *c != ';').collect();
                assert_eq!(entity, "amp");
                out.push('&');
            }
            c => out.push(c),
        }
    }
    let rest: String = chars.collect();
    assert!(
        rest.starts_with([',', ']']),
        "the string ends in its middle: {line}"
    );
    out
}

proptest! {
    #[test]
    fn any_title_survives(title in title()) {
        let picture = Picture { title: Some(&title), tooltips: true, ..Picture::default() };
        let out = dot(picture, &[sketch(7, &title)], &[]);
        let lines: Vec<&str> = out.lines().collect();
        prop_assert_eq!(lines.len(), 6, "a line break in a text");
        let label = value(lines[4], "label");
        let (head, text) = label.split_once('\n').expect("a head and a title");
        prop_assert_eq!(head, "◎ #7");
        let plain = |text: &str| bare(&text.replace('`', "'"));
        let shown = |text: &str| text.replace('\u{202E}', "\u{FFFD}");
        prop_assert_eq!(plain(&shown(text)), plain(&shown(&title)));
        prop_assert_eq!(plain(&shown(&value(lines[4], "tooltip"))), plain(&shown(&title.replace('\\', "⧵"))));
        prop_assert_eq!(plain(&shown(&value(lines[1], "label"))), plain(&shown(&title)));
    }
}

#[test]
fn long_titles_are_wrapped_by_columns() {
    let out = dot(Picture::default(), &[sketch(1, &"決".repeat(500))], &[]);
    let label = value(out.lines().nth(4).expect("a node"), "label");
    let longest = label.lines().skip(1).map(|line| line.chars().count()).max();
    assert_eq!(longest, Some(30));
}

#[test]
fn each_edge_type_has_a_line_of_its_own() {
    use crate::model::EdgeType;
    let mut seen = std::collections::BTreeSet::new();
    for kind in EdgeType::ALL {
        let edge = EdgeLine {
            from_id: 1,
            to_id: 2,
            edge_type: kind.name().to_owned(),
            rationale: None,
            deleted_at: None,
        };
        let out = dot(
            Picture {
                rankdir: Rankdir::LeftRight,
                ..Picture::default()
            },
            &[],
            &[edge],
        );
        assert!(seen.insert(out.lines().nth(4).map(str::to_owned)), "{out}");
    }
}
