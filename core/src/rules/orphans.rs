//! Which nodes break the connection rules, and which rule each breaks.

use crate::graph::Graph;
use crate::model::NodeType;

/// A rule of connection; its text is what a person reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    Option,
    Decision,
    Action,
    Outcome,
    Alone,
}

impl Rule {
    /// The rule's name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Rule::Option => "option_without_goal",
            Rule::Decision => "decision_without_option",
            Rule::Action => "action_without_decision",
            Rule::Outcome => "outcome_without_action",
            Rule::Alone => "unconnected",
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Rule::Option => "an option needs a goal or a decision at an end of its edges",
            Rule::Decision => "a decision needs an option or a goal at an end of its edges",
            Rule::Action => "an action needs a decision, option or goal leading to it",
            Rule::Outcome => "an outcome needs an action leading to it",
            Rule::Alone => "an observation or revisit needs at least one edge",
        }
    }
}

/// The rule that the node at `position` breaks, if one.
pub(crate) fn broken(graph: &Graph, position: u32) -> Option<Rule> {
    use NodeType::{Action, Decision, Feedback, Goal, Observation, Option, Outcome, Revisit};
    let from = |kinds: &[NodeType]| {
        graph
            .into(position)
            .any(|(_, from)| graph.kind(from).is_some_and(|kind| kinds.contains(&kind)))
    };
    let to = |kinds: &[NodeType]| {
        graph
            .out(position)
            .any(|(_, to)| graph.kind(to).is_some_and(|kind| kinds.contains(&kind)))
    };
    let (rule, kept) = match graph.kind(position)? {
        Goal => return None,
        Option => (
            Rule::Option,
            from(&[Goal, Decision]) || to(&[Goal, Decision]),
        ),
        Decision => (Rule::Decision, from(&[Option, Goal]) || to(&[Option, Goal])),
        Action => (Rule::Action, from(&[Decision, Option, Goal])),
        Outcome => (Rule::Outcome, from(&[Action])),
        Observation | Revisit | Feedback => (Rule::Alone, graph.degree(position) > 0),
    };
    (!kept).then_some(rule)
}

/// Every live node that breaks a rule, by local number.
pub(crate) fn all(graph: &Graph) -> Vec<(u32, Rule)> {
    graph
        .live()
        .filter_map(|(position, _)| broken(graph, position).map(|rule| (position, rule)))
        .collect()
}
