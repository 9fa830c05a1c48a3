//! No text leaves its place, and none is lost: read back by a parser of Markdown.

use super::{block, code, fence, inline};
use crate::render::hostile::{bare, text, title};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What forges read, and some more; attributes behind headings are read by few.
const READ: Options = Options::all()
    .difference(Options::ENABLE_SMART_PUNCTUATION)
    .difference(Options::ENABLE_HEADING_ATTRIBUTES);

fn events(markdown: &str) -> Vec<Event<'_>> {
    Parser::new_ext(markdown, READ).collect()
}

/// The text of the events, and the first of them that is more than text and code.
fn read<'a>(events: &'a [Event<'a>]) -> (String, Option<&'a Event<'a>>) {
    let mut text = String::new();
    let mut odd = None;
    for event in events {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(part),
            Event::SoftBreak | Event::HardBreak => text.push('\n'),
            Event::Start(Tag::Paragraph | Tag::CodeBlock(_))
            | Event::End(TagEnd::Paragraph | TagEnd::CodeBlock) => {}
            event => odd = odd.or(Some(event)),
        }
    }
    (text, odd)
}

/// The events between the first `start` and its end, both left out.
fn inside<'a>(
    events: &'a [Event<'a>],
    start: impl Fn(&Event) -> bool,
    end: TagEnd,
) -> &'a [Event<'a>] {
    let from = events.iter().position(start).expect("a beginning") + 1;
    let to = events
        .iter()
        .rposition(|event| *event == Event::End(end))
        .expect("an end");
    &events[from..to]
}

proptest! {
    #[test]
    fn a_line_stays_a_line(title in title()) {
        for markdown in [format!("- **{}** (`#1`)\n", inline(&title)), format!("text\n\n- {} (`#1`)\n- x\n", inline(&title)), format!("### {}\n\n- x\n", inline(&title))] {
            let events = events(&markdown);
            let is_first = |event: &Event| matches!(event, Event::Start(Tag::Strong | Tag::Heading { .. }));
            let part: Vec<Event> = match events.iter().find(|event| is_first(event)) {
                Some(Event::Start(Tag::Strong)) => inside(&events, is_first, TagEnd::Strong).to_vec(),
                Some(_) => inside(&events, is_first, TagEnd::Heading(pulldown_cmark::HeadingLevel::H3)).to_vec(),
                None => {
                    let first = events.iter().position(|event| *event == Event::End(TagEnd::Item)).expect("an item");
                    events[..first].iter().filter(|event| !matches!(event, Event::Start(Tag::List(None) | Tag::Item | Tag::Paragraph) | Event::End(TagEnd::Paragraph))).cloned().collect()
                }
            };
            let (text, odd) = read(&part);
            prop_assert_eq!(odd, None, "{}", markdown);
            let title = bare(&title);
            let text = bare(&text);
            prop_assert!(text.contains(&title), "{} is not {}", text, title);
        }
    }

    #[test]
    fn a_text_stays_between_its_headings(text in text(), prefix in prop_oneof![Just(""), Just("  "), Just("> ")]) {
        let markdown = format!("# A\n\n{}{}\n## B\n", if prefix == "  " { "- item\n\n" } else { "" }, block(&text, prefix));
        let events = events(&markdown);
        let mut headings = Vec::new();
        let mut others = Vec::new();
        let mut in_heading = false;
        for event in &events {
            match event {
                Event::Start(Tag::Heading { level, .. }) => { headings.push(*level as usize); in_heading = true; }
                Event::End(TagEnd::Heading(_)) => in_heading = false,
                Event::Start(Tag::List(None) | Tag::Item) | Event::End(TagEnd::List(false) | TagEnd::Item) if prefix == "  " => {}
                Event::Start(Tag::BlockQuote(None)) | Event::End(TagEnd::BlockQuote(None)) if prefix == "> " => {}
                event if !in_heading => others.push(event.clone()),
                _ => {}
            }
        }
        prop_assert_eq!(headings, [1, 2], "{}", &markdown);
        let (read_text, odd) = read(&others);
        prop_assert_eq!(odd, None, "{}", &markdown);
        if !text.contains("```") && !text.contains("~~~") {
            let kept = bare(&read_text);
            prop_assert_eq!(kept.strip_prefix("item").filter(|_| prefix == "  ").unwrap_or(&kept), bare(&text), "{}", &markdown);
        }
    }

    #[test]
    fn code_holds_anything(text in title()) {
        let markdown = format!("- {}\n", code(&text));
        let codes: Vec<String> = events(&markdown).iter().filter_map(|event| if let Event::Code(text) = event { Some(text.to_string()) } else { None }).collect();
        prop_assert_eq!(codes.len(), 1, "{}", &markdown);
        prop_assert_eq!(bare(&codes[0]), bare(&text));
    }

    #[test]
    fn a_fence_holds_anything(text in text()) {
        let markdown = format!("{}\n# B\n", fence("dot", &text));
        let events = events(&markdown);
        prop_assert_eq!(events.iter().filter(|event| matches!(event, Event::Start(Tag::CodeBlock(_)))).count(), 1);
        prop_assert_eq!(events.iter().filter(|event| matches!(event, Event::Start(Tag::Heading { .. }))).count(), 1);
    }

    #[test]
    fn nobody_is_called(title in title()) {
        let line = inline(&title);
        // Code is not read for mentions.
        let outside: String = line.replace("\\\\", " ").replace("\\`", " ").split('`').step_by(2).collect();
        for (at, _) in outside.match_indices('@') {
            let next = outside[at + 1..].chars().next();
            prop_assert!(!next.is_some_and(|c| c.is_alphanumeric() || c == '_'), "{}", line);
        }
        prop_assert!(!outside.replace("\\:", "").contains("://"), "{}", line);
    }
}

#[test]
fn lines_code_and_indents_are_kept() {
    let text = "First line\n  - a `b*c` d\n\nSecond *part*\n```rust\nlet a = \"```\";\n```\nend";
    let nbsp = "\u{A0}".repeat(2);
    let expected = format!(
        "First line\\\n{nbsp}\\- a `b*c` d\n\nSecond \\*part\\*\n\n````rust\nlet a = \"```\";\n````\n\nend\n"
    );
    assert_eq!(block(text, ""), expected);
}
