//! Markdown that is worth pasting in a pull request, from a part of the graph.
//!
//! The order is that of a story: what was wanted and came out, what was decided and against what, what was done, the
//! evidence, what was learned, what is open. A section without content is left out, and every node stands in one.

mod open;
mod story;

use crate::model::{Document, Node, NodeType, Status};
use crate::render::dot::{Picture, Sketch, dot};
use crate::render::excerpt::EdgeLine;
use crate::render::markdown::{block, code, fence, inline, number};
use crate::text::{counted, shorten};
use story::{Story, Verdict};

/// How many outcomes the summary names of a goal.
const RESULTS: usize = 8;
/// How much of a prompt is quoted; a description is never cut.
const PROMPT_CHARS: usize = 1_000;
/// Characters of a commit's hash.
const HASH: usize = 12;

/// What a writeup is made of.
pub(crate) struct Material<'a> {
    pub title: Option<&'a str>,
    pub nodes: &'a [Node],
    pub edges: &'a [EdgeLine],
    pub documents: &'a [Document],
    /// Said at the end where not everything is in.
    pub omitted: usize,
    pub with_dot: bool,
    pub with_test_plan: bool,
}

/// The document and what is in it.
#[derive(Debug)]
pub(crate) struct Writeup {
    pub markdown: String,
    pub title: String,
    pub open_questions: usize,
}

/// Writes it; the same material gives the same bytes.
pub(crate) fn write(material: &Material) -> Writeup {
    let story = Story::new(material.nodes, material.edges);
    let title = title(material, &story);
    let open = open::questions(&story);
    let mut page = Page {
        out: format!("# {}\n", inline(&title)),
    };
    summary(&mut page, &story, &title);
    decisions(&mut page, &story);
    actions(&mut page, &story);
    outcomes(&mut page, &story, material.documents);
    list(
        &mut page,
        "Learned",
        &story,
        &[NodeType::Observation, NodeType::Feedback],
    );
    revisits(&mut page, &story);
    if !open.is_empty() {
        page.heading(2, "Open questions");
        open.iter().for_each(|(node, why)| page.open(node, why));
    }
    if material.with_test_plan {
        test_plan(&mut page, &story);
    }
    if material.with_dot && !material.nodes.is_empty() {
        page.heading(2, "Graph");
        let sketches: Vec<Sketch> = material.nodes.iter().map(Sketch::from).collect();
        let graph = dot(Picture::default(), &sketches, material.edges);
        page.out.push_str(&fence("dot", &graph));
    }
    if material.omitted > 0 {
        page.out.push_str(&format!(
            "\n_Part of a larger graph: {} of its nodes are left out._\n",
            material.omitted
        ));
    }
    let markdown = if material.nodes.is_empty() {
        String::new()
    } else {
        page.out
    };
    Writeup {
        markdown,
        title,
        open_questions: open.len(),
    }
}

/// The title as given, else what the goals, or else the first node, are about.
fn title(material: &Material, story: &Story) -> String {
    if let Some(title) = material.title {
        return title.to_owned();
    }
    let goals: Vec<&Node> = story.of(NodeType::Goal).collect();
    match goals.as_slice() {
        [] => story
            .nodes()
            .next()
            .map_or_else(String::new, |node| node.title.clone()),
        [goal] => goal.title.clone(),
        [first, rest @ ..] => format!("{} and {}", first.title, counted(rest.len(), "more goal")),
    }
}

struct Page {
    out: String,
}

impl Page {
    fn heading(&mut self, level: usize, text: &str) {
        self.out
            .push_str(&format!("\n{} {text}\n\n", "#".repeat(level)));
    }

    /// A list item about a node; `more` is Markdown already.
    fn item(&mut self, node: &Node, more: &str) {
        self.out.push_str(&format!(
            "- **{}** ({}){more}\n",
            inline(&node.title),
            facts(node)
        ));
    }

    fn open(&mut self, node: &Node, why: &str) {
        let (title, id) = (inline(&node.title), number(node.id));
        self.out.push_str(&format!("- **{title}** ({id}): {why}\n"));
    }

    /// What a node says at length, below its item.
    fn detail(&mut self, text: Option<&str>) {
        self.block(text, "  ");
    }

    /// Text in paragraphs of its own.
    fn block(&mut self, text: Option<&str>, prefix: &str) {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            self.gap();
            self.out.push_str(&block(text, prefix));
            self.gap();
        }
    }

    /// Exactly one blank line.
    fn gap(&mut self) {
        self.close();
        self.out.push('\n');
    }

    /// Ends the last line, with no blank line behind it.
    fn close(&mut self) {
        let length = self.out.trim_end_matches('\n').len();
        self.out.truncate(length);
        self.out.push('\n');
    }
}

/// Number, status and confidence, where they say something: of what was done and seen nobody asks how sure it is.
fn facts(node: &Node) -> String {
    let mut facts = vec![number(node.id)];
    facts.extend((node.status != Status::Pending.name()).then(|| inline(&node.status)));
    let weighed = matches!(
        node.kind(),
        Some(NodeType::Goal | NodeType::Option | NodeType::Decision)
    );
    let confidence = node.confidence.filter(|_| weighed);
    facts.extend(confidence.map(|confidence| format!("confidence {confidence}")));
    facts.join(", ")
}

/// A reason behind a colon, or below the item where it has several lines.
fn reason(page: &mut Page, text: Option<&str>) {
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        None => page.out.push('\n'),
        Some(text) if text.contains('\n') => {
            page.out.push('\n');
            page.detail(Some(text));
        }
        Some(text) => page.out.push_str(&format!(": {}\n", inline(text))),
    }
}

fn summary(page: &mut Page, story: &Story, title: &str) {
    let goals: Vec<&Node> = story.of(NodeType::Goal).collect();
    let results: Vec<&Node> = if goals.is_empty() {
        story.of(NodeType::Outcome).collect()
    } else {
        Vec::new()
    };
    if goals.is_empty() && results.is_empty() {
        return;
    }
    page.heading(2, "Summary");
    for goal in goals {
        if goal.title == title {
            page.out.push_str(&format!("Goal {}\n", facts(goal)));
        } else {
            page.out
                .push_str(&format!("**{}** ({})\n", inline(&goal.title), facts(goal)));
        }
        page.block(goal.description.as_deref(), "");
        page.block(
            goal.prompt
                .as_deref()
                .map(|prompt| shorten(prompt.trim(), PROMPT_CHARS))
                .as_deref(),
            "> ",
        );
        let outcomes = story.outcomes_of(goal.id);
        page.gap();
        named(page, &outcomes);
    }
    named(page, &results);
    page.close();
}

fn named(page: &mut Page, outcomes: &[&Node]) {
    for outcome in outcomes.iter().take(RESULTS) {
        page.out.push_str(&format!(
            "- {}{} ({})\n",
            tick(outcome),
            inline(&outcome.title),
            number(outcome.id)
        ));
    }
    if let Some(more) = outcomes.len().checked_sub(RESULTS + 1) {
        page.out.push_str(&format!(
            "- and {} more below\n",
            counted(more + 1, "outcome")
        ));
    }
    if !outcomes.is_empty() {
        page.gap();
    }
}

fn tick(node: &Node) -> &'static str {
    if is_complete(node) { "✓ " } else { "" }
}

fn is_complete(node: &Node) -> bool {
    matches!(
        Status::parse(&node.status),
        Some(Status::Completed | Status::Done)
    )
}

fn decisions(page: &mut Page, story: &Story) {
    let decided: Vec<&Node> = story.of(NodeType::Decision).collect();
    let others: Vec<&Node> = story
        .of(NodeType::Option)
        .filter(|option| !story.is_weighed(option.id))
        .collect();
    if decided.is_empty() && others.is_empty() {
        return;
    }
    page.heading(2, "Decisions");
    for decision in decided {
        page.out
            .push_str(&format!("### {}\n\n", inline(&decision.title)));
        page.out
            .push_str(&format!("Decision {}\n", facts(decision)));
        page.block(decision.description.as_deref(), "");
        page.gap();
        for choice in story.choices(decision.id) {
            page.out.push_str(&format!(
                "- {}: **{}** ({})",
                choice.verdict.label(),
                inline(&choice.node.title),
                facts(choice.node)
            ));
            reason(page, choice.rationale);
            // An option at several decisions says what it is at the first.
            if choice.first {
                page.detail(choice.node.description.as_deref());
            }
        }
        for (words, node, rationale) in story.relations(decision.id) {
            page.out.push_str(&format!(
                "- {words} {} ({})",
                inline(&node.title),
                number(node.id)
            ));
            reason(page, rationale);
        }
        page.gap();
    }
    if !others.is_empty() {
        page.out.push_str("### Options without a decision\n\n");
        for option in others {
            page.item(option, story.verdict_of(option).map_or("", Verdict::suffix));
            page.detail(option.description.as_deref());
        }
    }
    page.close();
}

fn actions(page: &mut Page, story: &Story) {
    let mut actions = story.of(NodeType::Action).peekable();
    if actions.peek().is_none() {
        return;
    }
    page.heading(2, "What was done");
    for action in actions {
        page.item(
            action,
            &action.commit.as_deref().map_or(String::new(), commit),
        );
        page.detail(action.description.as_deref());
        let files: Vec<String> = action.file_list().iter().map(|path| code(path)).collect();
        if !files.is_empty() {
            page.gap();
            page.out
                .push_str(&format!("  Files: {}\n\n", files.join(", ")));
        }
    }
    page.close();
}

/// A hash stands bare, so that a forge links it; anything else is only text.
fn commit(text: &str) -> String {
    let is_hash =
        (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash {
        format!(" {}", text.get(..HASH).unwrap_or(text))
    } else {
        format!(" {}", code(text))
    }
}

fn outcomes(page: &mut Page, story: &Story, documents: &[Document]) {
    let mut outcomes = story.of(NodeType::Outcome).peekable();
    if outcomes.peek().is_none() {
        return;
    }
    page.heading(2, "Evidence");
    for outcome in outcomes {
        let from: Vec<String> = story
            .sources(outcome.id)
            .map(|node| number(node.id))
            .collect();
        let from = if from.is_empty() {
            String::new()
        } else {
            format!(" from {}", from.join(", "))
        };
        page.out.push_str(&format!(
            "- {}**{}** ({}){from}\n",
            tick(outcome),
            inline(&outcome.title),
            facts(outcome)
        ));
        page.detail(outcome.description.as_deref());
        let attached: Vec<String> = documents
            .iter()
            .filter(|document| document.node_id == outcome.id)
            .map(|document| code(&document.path))
            .collect();
        if !attached.is_empty() {
            page.gap();
            page.out
                .push_str(&format!("  Attached: {}\n\n", attached.join(", ")));
        }
    }
    page.close();
}

fn list(page: &mut Page, heading: &str, story: &Story, kinds: &[NodeType]) {
    let mut nodes = story
        .nodes()
        .filter(|node| node.kind().is_some_and(|kind| kinds.contains(&kind)))
        .peekable();
    if nodes.peek().is_none() {
        return;
    }
    page.heading(2, heading);
    for node in nodes {
        page.item(node, "");
        page.detail(node.description.as_deref());
    }
    page.close();
}

fn revisits(page: &mut Page, story: &Story) {
    let mut revisits = story.of(NodeType::Revisit).peekable();
    if revisits.peek().is_none() {
        return;
    }
    page.heading(2, "Reconsidered");
    for revisit in revisits {
        page.item(revisit, "");
        page.detail(revisit.description.as_deref());
        for (words, node, rationale) in story.relations(revisit.id) {
            page.out.push_str(&format!(
                "  - {words} {} ({})",
                inline(&node.title),
                number(node.id)
            ));
            page.out.push_str(
                &rationale.map_or_else(|| "\n".to_owned(), |text| format!(": {}\n", inline(text))),
            );
        }
    }
    page.close();
}

/// What was seen to hold, as a list to check again; what no longer stands is not tested.
fn test_plan(page: &mut Page, story: &Story) {
    let stands = |node: &&Node| Status::parse(&node.status).is_none_or(Status::stands);
    let mut outcomes = story.of(NodeType::Outcome).filter(stands).peekable();
    if outcomes.peek().is_none() {
        return;
    }
    page.heading(2, "Test plan");
    for outcome in outcomes {
        let mark = if is_complete(outcome) { "x" } else { " " };
        page.out.push_str(&format!(
            "- [{mark}] {} ({})\n",
            inline(&outcome.title),
            number(outcome.id)
        ));
    }
}

#[cfg(test)]
mod tests;
