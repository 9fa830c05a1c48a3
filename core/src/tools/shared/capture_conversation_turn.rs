//! `capture_conversation_turn`: what one exchange brought, as a chain.

use crate::answer::Answer;
use crate::args::{Confidence, Part, Parts, Ref, Text, Word};
use crate::capture::{self, Capture, Joined, Made, Told};
use crate::cx::Cx;
use crate::ledger::{NewNode, Tx};
use crate::lookup;
use crate::model::{EdgeType, Node, NodeType, Status};
use crate::refuse::{Step, bad_argument, stop};
use crate::rules::origin;
use crate::text::shorten;
use crate::tool::tool;
use serde::{Deserialize, Serialize};

/// How much of the summary's first line is its title.
const TITLE: usize = 200;

tool! {
    title: "Capture conversation turn",
    about: "Record what one exchange brought, in one write: goal -> options -> decision -> action -> outcome, with observations beside. Give what there was.",
    effect: Add,
    cli: {
        command: &["log", "turn"],
        summary: "Record what one exchange brought",
        positions: &["summary"],
        short: &[("parent_id", "p"), ("confidence", "c"), ("branch", "b")],
        long: &[("observations", "observation"), ("options", "option"), ("chosen_option", "chosen"), ("parent_id", "parent")],
        stdin: &["summary"],
        negate: &["branch"],
        examples: &["deciduous log turn \"We settled the cache\" --goal \"Fast reads\" --option \"Redis\" --option \"In memory\" --decision \"Which cache\" --chosen \"In memory\""]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// What happened; kept as an observation
    summary: Text,
    /// Title, or an object with `title`, `rationale`, …
    goal: Option<Part<Told>>,
    /// Facts learned: titles or objects
    observations: Option<Parts<Told>>,
    /// Approaches considered: titles or objects
    options: Option<Parts<Told>>,
    /// Title or object
    decision: Option<Part<Told>>,
    /// Title of the option chosen; the others are rejected
    chosen_option: Option<Word>,
    /// Title or object
    action: Option<Part<Told>>,
    /// Title or object
    outcome: Option<Part<Told>>,
    /// Node that led to this
    #[serde(alias = "parent")]
    parent_id: Option<Ref>,
    /// 0-100, for what gives none of its own
    confidence: Option<Confidence>,
    /// Git branch (default: the checked-out one; "" for none)
    branch: Option<Word>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    summary_id: u32,
    nodes: Vec<Made>,
    edges: Vec<Joined>,
}

type Reasoned = (Option<String>, NewNode);

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let summary = summary(&args.summary.0)?;
    let options = args.options.unwrap_or_default().0;
    let chosen = chosen(args.chosen_option, &options, args.decision.is_some())?;
    let confidence = args.confidence.map(|confidence| confidence.0);
    let new = |told: Told, kind, status| -> Step<Reasoned> {
        let (why, node) = (told.why(), told.node(cx, kind, status)?);
        Ok((why, NewNode { confidence: node.confidence.or(confidence), ..node }))
    };
    let acted = if args.outcome.is_some() { Status::Completed } else { Status::Pending };
    let branch = origin::branch(cx, args.branch);
    let goal = args.goal.map(|told| new(told.0, NodeType::Goal, Status::Pending)).transpose();
    let observations: Step<Vec<_>> = args.observations.unwrap_or_default().0.into_iter().map(|told| new(told, NodeType::Observation, Status::Pending)).collect();
    let status = |at| match chosen {
        None => Status::Pending,
        Some(chosen) if chosen == at => Status::Completed,
        Some(_) => Status::Rejected,
    };
    let options: Step<Vec<_>> = options.into_iter().enumerate().map(|(at, told)| new(told, NodeType::Option, status(at))).collect();
    // Options of which none is chosen were only compared: the decision is still to be made.
    let decided = if options.as_ref().is_ok_and(|options| !options.is_empty()) && chosen.is_none() { Status::Pending } else { Status::Completed };
    let decision = args.decision.map(|told| new(told.0, NodeType::Decision, decided)).transpose();
    let action = args.action.map(|told| new(told.0, NodeType::Action, acted)).transpose();
    let outcome = args.outcome.map(|told| new(told.0, NodeType::Outcome, Status::Completed)).transpose();
    let (branch, goal, observations, options) = (branch?, goal?, observations?, options?);
    let (decision, action, outcome) = (decision?, action?, outcome?);
    let (tx, parent) = (Tx::open(cx), args.parent_id.map(|node| lookup::node(cx, &node.0)).transpose());
    let (tx, parent) = (tx?, parent?);

    let mut turn = Turn { capture: Capture::new(tx, branch), nodes: Vec::new() };
    // Everything hangs from the goal, else from the parent, else from the summary itself.
    let goal = goal.map(|goal| turn.below(parent.as_slice(), goal)).transpose()?;
    let above = goal.or(parent);
    let summary = turn.below(above.as_slice(), (None, NewNode { confidence, ..summary }))?;
    let head = above.unwrap_or_else(|| summary.clone());
    for observation in observations {
        turn.below(std::slice::from_ref(&head), observation)?;
    }
    let mut considered = Vec::new();
    for (why, option) in options {
        // Where a choice was made the reason belongs to the verdict, else to the option being there.
        let (led, verdict) = if decision.is_some() { (None, why) } else { (why, None) };
        considered.push((turn.below(std::slice::from_ref(&head), (led, option))?, verdict));
    }
    let mut last = head;
    if let Some((why, mut new)) = decision {
        new.description = new.description.or_else(|| why.clone());
        let from = if considered.is_empty() { std::slice::from_ref(&last) } else { &[] };
        let decision = turn.below(from, (why.clone(), new))?;
        for (at, (option, verdict)) in considered.iter().enumerate() {
            let (kind, why) = match chosen {
                None => (EdgeType::LeadsTo, verdict.clone()),
                Some(chosen) if chosen == at => (EdgeType::Chosen, verdict.clone().or_else(|| why.clone())),
                Some(_) => (EdgeType::Rejected, verdict.clone()),
            };
            turn.capture.join(option, &decision, kind, why)?;
        }
        last = decision;
    }
    for step in [action, outcome].into_iter().flatten() {
        last = turn.below(std::slice::from_ref(&last), step)?;
    }
    let (nodes, edges) = (turn.nodes, turn.capture.finish());
    let lead = format!("Captured {} and {}: `{}`.", counted(nodes.len(), "node"), counted(edges.len(), "edge"), summary.title);
    let next = if edges.is_empty() { format!("link_nodes from what led to #{}", summary.id) } else { String::new() };
    let output = Output { summary_id: summary.id, nodes, edges };
    Ok(Answer::new(output).lead(lead).next(next).view(cx, |page, output| capture::draw(page, &output.nodes, &output.edges)))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

struct Turn<'a, 'c> {
    capture: Capture<'a, 'c>,
    nodes: Vec<Made>,
}

impl Turn<'_, '_> {
    /// Adds a node that each of `from` leads to.
    fn below(&mut self, from: &[Node], (why, new): Reasoned) -> Step<Node> {
        let node = self.capture.add(new)?;
        self.nodes.push(Made::from(&node));
        from.iter().try_for_each(|from| self.capture.join(from, &node, EdgeType::LeadsTo, why.clone()))?;
        Ok(node)
    }
}

/// The summary as an observation: its first line, and all of it where that is more.
fn summary(text: &str) -> Step<NewNode> {
    let text = text.trim();
    let Some(line) = text.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return stop(bad_argument("summary", "must not be blank", "say in a line what happened"));
    };
    // A tab is taken in a text, but not in a title.
    let title = shorten(&line.replace('\t', " "), TITLE);
    let description = (title != text).then(|| text.to_owned());
    Ok(NewNode { description, ..NewNode::of(NodeType::Observation, title) })
}

/// The place of the chosen option among the options.
fn chosen(named: Option<Word>, options: &[Told], decided: bool) -> Step<Option<usize>> {
    let Some(Word(named)) = named.filter(|named| !named.0.is_empty()) else { return Ok(None) };
    if !decided {
        return stop(bad_argument("chosen_option", "needs a `decision` that chose it", "give `decision` too"));
    }
    let found = options.iter().position(|option| option.title.0.to_lowercase() == named.to_lowercase());
    match found {
        Some(place) => Ok(Some(place)),
        None => {
            let reason = format!("`{}` is the title of none of the `options`", shorten(&named, 80));
            stop(bad_argument("chosen_option", reason, "repeat the title of one of the options"))
        }
    }
}
