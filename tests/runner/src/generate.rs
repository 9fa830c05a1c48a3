//! Graphs of any size that look like those of real projects: threads of a goal, its options, a decision, actions and
//! outcomes, with notes beside them, joined by later threads; 1.3 edges a node, a hub, a few loose ends.
//!
//! Owns: the mix, the texts, the dates. Never: chance; the same size and seed give the same bytes.
//!
//! ```
//! let graph = deciduous_runner::generate::graph(1_000, 7);
//! assert_eq!(graph.nodes.len(), 1_000);
//! assert_eq!(graph.edges.len(), 1_300);
//! ```

mod words;

use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use words::{DETAILS, FACTS, PARTS, REASONS, THINGS, VERBS};

/// In the shape that `deciduous graph` writes and `deciduous import` reads.
#[derive(Debug, Serialize)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

#[derive(Debug, Serialize)]
pub struct Node {
    pub id: u32,
    pub change_id: String,
    pub node_type: &'static str,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub status: &'static str,
    pub created_at: String,
    pub updated_at: String,
    /// JSON in a text, as the shape has it.
    pub metadata_json: String,
}

#[derive(Debug, Serialize)]
pub struct Edge {
    pub id: u32,
    pub from_node_id: u32,
    pub to_node_id: u32,
    pub from_change_id: String,
    pub to_change_id: String,
    pub edge_type: &'static str,
    pub weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    pub created_at: String,
}

/// 2025-03-03T08:00:00Z in seconds; two nodes are three minutes apart on average.
const BEGIN: u64 = 1_740_988_800;
const BETWEEN: u64 = 180;
/// Goals directly below the first one: every `HUB`th thread.
const HUB: u64 = 4;

/// A graph of so many nodes.
#[must_use]
pub fn graph(nodes: u32, seed: u64) -> Graph {
    let mut maker = Maker {
        dice: Dice(seed),
        graph: Graph {
            nodes: Vec::new(),
            edges: Vec::new(),
        },
        joined: BTreeSet::new(),
        most: nodes as usize,
        now: BEGIN,
        branch: "main".to_owned(),
    };
    let hub = maker.node(
        "goal",
        "active",
        "Keep the product worth using for the people who pay for it".to_owned(),
        None,
    );
    let mut last_goal = hub;
    while maker.graph.nodes.len() < maker.most {
        last_goal = maker.thread(hub, last_goal);
    }
    maker.join_up(nodes as usize * 13 / 10);
    maker.graph
}

struct Maker {
    dice: Dice,
    graph: Graph,
    joined: BTreeSet<(u32, u32)>,
    most: usize,
    now: u64,
    branch: String,
}

impl Maker {
    /// One piece of work from its goal to its outcomes; gives the goal.
    fn thread(&mut self, hub: u32, last_goal: u32) -> u32 {
        let thing = self.dice.pick(THINGS);
        let part = self.dice.pick(PARTS);
        if self.dice.below(3) == 0 {
            self.branch = format!("{part}/{}", thing.replace(' ', "-"));
        }
        let finished = self.dice.below(5) > 0;
        let verb = self.dice.pick(VERBS);
        let issue = self.dice.below(90_000) + 1_000;
        let goal = self.node(
            "goal",
            if finished { "completed" } else { "active" },
            format!("{verb} {thing} in {part} (#{issue})"),
            Some(part),
        );
        if self.dice.below(HUB) == 0 {
            self.edge(hub, goal, "leads_to");
        } else if self.dice.below(2) == 0 {
            self.edge(last_goal, goal, "leads_to");
        }
        let decision = self.options(goal, thing, part);
        for _ in 0..2 + self.dice.below(3) {
            let detail = self.dice.pick(DETAILS);
            let action = self.node(
                "action",
                if finished { "completed" } else { "pending" },
                format!("{detail} for {thing}"),
                Some(part),
            );
            // A few loose ends, as in every graph that people keep.
            if self.dice.below(25) > 0 {
                self.edge(decision, action, "leads_to");
            }
            if finished && self.dice.below(4) > 0 {
                let fact = self.dice.pick(FACTS);
                let (before, after) = (self.dice.below(900) + 50, self.dice.below(400) + 5);
                let outcome = self.node(
                    "outcome",
                    "completed",
                    format!("{fact} of {thing} went from {before} to {after} ms"),
                    None,
                );
                self.edge(action, outcome, "leads_to");
            }
        }
        if self.dice.below(2) == 0 {
            let reason = self.dice.pick(REASONS);
            let seen = self.node("observation", "pending", format!("{thing}: {reason}"), None);
            self.edge(goal, seen, "leads_to");
        }
        goal
    }

    /// Options with one chosen; now and then the choice is looked at again later.
    fn options(&mut self, goal: u32, thing: &str, part: &str) -> u32 {
        let chosen = self.dice.below(2);
        let mut options = Vec::new();
        for at in 0..2 + self.dice.below(2) {
            let detail = self.dice.pick(DETAILS);
            let status = if at == chosen {
                "completed"
            } else {
                "rejected"
            };
            let option = self.node(
                "option",
                status,
                format!("{detail} instead of the old {thing}"),
                None,
            );
            self.edge(goal, option, "leads_to");
            options.push(option);
        }
        let decision = self.node(
            "decision",
            "completed",
            format!("How to handle {thing} in {part}"),
            None,
        );
        for (at, option) in (0..).zip(&options) {
            self.edge(
                *option,
                decision,
                if at == chosen { "chosen" } else { "rejected" },
            );
        }
        if self.dice.below(12) == 0 {
            let reason = self.dice.pick(REASONS);
            let again = self.node(
                "revisit",
                "pending",
                format!("Look again at {thing}: {reason}"),
                None,
            );
            self.edge(decision, again, "leads_to");
        }
        decision
    }

    fn node(
        &mut self,
        node_type: &'static str,
        status: &'static str,
        title: String,
        part: Option<&str>,
    ) -> u32 {
        if self.graph.nodes.len() == self.most {
            return self.last();
        }
        self.now += self.dice.below(BETWEEN * 2) + 1;
        let created_at = date(self.now);
        let description = (self.dice.below(3) == 0).then(|| self.description());
        let mut metadata = json!({"branch": self.branch, "confidence": 50 + self.dice.below(50)});
        if let Some(part) = part {
            metadata["files"] = json!([format!("src/{part}/mod_{}.rs", self.dice.below(400))]);
        }
        if node_type == "action" && self.dice.below(2) == 0 {
            metadata["commit"] = json!(format!(
                "{:016x}{:016x}{:08x}",
                self.dice.next(),
                self.dice.next(),
                self.dice.next() >> 32
            ));
        }
        if node_type == "goal" {
            metadata["prompt"] = json!(self.description());
        }
        let (id, change_id) = (self.last() + 1, self.id());
        self.graph.nodes.push(Node {
            id,
            change_id,
            node_type,
            title,
            description,
            status,
            created_at: created_at.clone(),
            updated_at: created_at,
            metadata_json: metadata.to_string(),
        });
        id
    }

    fn description(&mut self) -> String {
        let sentences = 1 + self.dice.below(4);
        let mut text = String::new();
        for _ in 0..sentences {
            let (verb, thing, reason) = (
                self.dice.pick(VERBS),
                self.dice.pick(THINGS),
                self.dice.pick(REASONS),
            );
            text.push_str(&format!("{verb} {thing}, because {reason}. "));
        }
        text.trim_end().to_owned()
    }

    fn edge(&mut self, from: u32, to: u32, edge_type: &'static str) {
        let (low, high) = (from.min(to), from.max(to));
        if from == to || !self.joined.insert((low, high)) {
            return;
        }
        let change = |id: u32| {
            self.graph
                .nodes
                .get(id as usize - 1)
                .map(|node| node.change_id.clone())
                .unwrap_or_default()
        };
        let (from_change_id, to_change_id) = (change(from), change(to));
        let rationale = (self.dice.below(3) == 0).then(|| self.dice.pick(REASONS).to_owned());
        self.graph.edges.push(Edge {
            id: u32::try_from(self.graph.edges.len()).unwrap_or(u32::MAX) + 1,
            from_node_id: from,
            to_node_id: to,
            from_change_id,
            to_change_id,
            edge_type,
            weight: 1.0,
            rationale,
            created_at: date(self.now),
        });
    }

    /// Edges from earlier nodes to later ones until there are exactly so many: what was learnt is used again, mostly soon.
    fn join_up(&mut self, edges: usize) {
        self.graph.edges.truncate(edges);
        let nodes = u64::from(self.last());
        while self.graph.edges.len() < edges {
            let to = 2 + self.dice.below(nodes - 1);
            let far = if self.dice.below(4) == 0 { to } else { 60 };
            let back = 1 + self.dice.below(far);
            let from = to.saturating_sub(back).max(1);
            let kind = self.dice.pick(&[
                "leads_to", "leads_to", "leads_to", "enables", "requires", "blocks",
            ]);
            if let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to)) {
                self.edge(from, to, kind);
            }
        }
    }

    fn last(&self) -> u32 {
        u32::try_from(self.graph.nodes.len()).unwrap_or(u32::MAX)
    }

    /// A version 4 UUID.
    fn id(&mut self) -> String {
        let (high, low) = (self.dice.next(), self.dice.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xfff,
            ((low >> 48) & 0x3fff) | 0x8000,
            low & 0xffff_ffff_ffff
        )
    }
}

/// Without leap seconds, in UTC.
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Howard Hinnant's days to civil.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.000Z",
        rest / 3_600,
        rest / 60 % 60,
        rest % 60
    )
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    fn pick(&mut self, words: &'static [&'static str]) -> &'static str {
        let at = usize::try_from(self.below(words.len() as u64)).unwrap_or_default();
        words.get(at).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, date, graph};
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_is_the_same_graph() {
        let text = |seed| serde_json::to_string(&graph(500, seed)).expect("JSON");
        assert_eq!(text(7), text(7));
        assert_ne!(text(7), text(8));
    }

    #[test]
    fn it_is_as_large_as_asked_for_and_has_no_doubles() {
        for nodes in [10, 100, 3_000] {
            let graph = graph(nodes, 1);
            assert_eq!(
                (graph.nodes.len(), graph.edges.len()),
                (nodes as usize, nodes as usize * 13 / 10)
            );
            let pairs: BTreeSet<_> = graph
                .edges
                .iter()
                .map(|edge| (edge.from_node_id, edge.to_node_id))
                .collect();
            assert_eq!(pairs.len(), graph.edges.len());
            assert!(
                pairs
                    .iter()
                    .all(|(from, to)| from != to && *from >= 1 && *to <= nodes)
            );
            let ids: BTreeSet<_> = graph.nodes.iter().map(|node| &node.change_id).collect();
            assert_eq!(ids.len(), graph.nodes.len());
        }
    }

    #[test]
    fn dates_are_dates() {
        assert_eq!(date(BEGIN), "2025-03-03T08:00:00.000Z");
        assert_eq!(date(951_782_400), "2000-02-29T00:00:00.000Z");
    }
}
