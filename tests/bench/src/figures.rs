//! What was measured, as a table and as JSON.
//!
//! Owns: medians, quantiles, the table. Never: what is measured.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The size that the goals are set for.
pub const GOALS_AT: u32 = 100_000;

/// One figure at one size.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figure {
    pub nodes: u32,
    pub what: String,
    /// None: the program cannot do it yet.
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    /// Against the bare process, or the linked core, of the same run.
    pub ratio: Option<f64>,
    pub unit: &'static str,
    pub goal: String,
    /// The most that the median may be, where the goal says milliseconds.
    pub most_ms: Option<f64>,
    /// Whether the goal is met; none where there is none at this size.
    pub met: Option<bool>,
}

impl Figure {
    pub fn new(nodes: u32, what: impl Into<String>, goal: &str) -> Self {
        Figure {
            nodes,
            what: what.into(),
            unit: "ms",
            goal: goal.to_owned(),
            ..Figure::default()
        }
    }

    /// Compares with the most that the median, the 99th percentile and the ratio may be at the size the goals are for.
    #[must_use]
    pub fn within(mut self, p50: Option<f64>, p99: Option<f64>, ratio: Option<f64>) -> Self {
        let holds = |found: Option<f64>, most: Option<f64>| {
            most.is_none_or(|most| found.is_some_and(|found| found <= most))
        };
        self.most_ms = p50.filter(|_| self.unit == "ms");
        if self.nodes == GOALS_AT && (p50.is_some() || p99.is_some() || ratio.is_some()) {
            self.met =
                Some(holds(self.p50, p50) && holds(self.p99, p99) && holds(self.ratio, ratio));
        }
        self
    }

    /// As [`Figure::within`], where more is better.
    #[must_use]
    pub fn above(mut self, least: f64) -> Self {
        if self.nodes == GOALS_AT {
            self.met = Some(self.p50.is_some_and(|found| found >= least));
        }
        self
    }
}

#[derive(Debug, Default, Serialize)]
pub struct Figures {
    pub figures: Vec<Figure>,
}

impl Figures {
    pub fn push(&mut self, figure: Figure) {
        let shown = show(&figure);
        eprintln!("{:>9} {:<46} {shown}", figure.nodes, figure.what);
        self.figures.push(figure);
    }

    /// The figures of one thing, by size, in the order in which things were measured.
    pub fn rows(&self) -> Vec<(&str, BTreeMap<u32, &Figure>)> {
        let mut rows: Vec<(&str, BTreeMap<u32, &Figure>)> = Vec::new();
        for figure in &self.figures {
            let cell = (figure.nodes, figure);
            match rows.iter_mut().find(|(what, _)| *what == figure.what) {
                Some((_, cells)) => cells.extend([cell]),
                None => rows.push((&figure.what, BTreeMap::from([cell]))),
            }
        }
        rows
    }

    pub fn sizes(&self) -> BTreeSet<u32> {
        self.figures.iter().map(|figure| figure.nodes).collect()
    }

    /// A row for each thing, a column for each size, then the goal and whether it is met.
    pub fn markdown(&self) -> String {
        let sizes = self.sizes();
        let head: Vec<String> = sizes.iter().map(u32::to_string).collect();
        let mut text = format!(
            "| what | {} | goal at 100 000 | |\n|---|{}---|---|\n",
            head.join(" | "),
            "---:|".repeat(sizes.len())
        );
        for (what, cells) in self.rows() {
            let shown: Vec<String> = sizes
                .iter()
                .map(|size| cells.get(size).map_or(String::new(), |figure| show(figure)))
                .collect();
            // The goal may differ by size, where what is asked is another kind of call there.
            let judged = cells.get(&GOALS_AT).or_else(|| cells.values().next_back());
            let goal = judged.map_or("", |figure| &figure.goal);
            let met = match judged.and_then(|figure| figure.met) {
                Some(true) => "met",
                Some(false) => "**missed**",
                None => "",
            };
            text.push_str(&format!(
                "| {what} | {} | {goal} | {met} |\n",
                shown.join(" | ")
            ));
        }
        text
    }
}

fn show(figure: &Figure) -> String {
    let Some(p50) = figure.p50 else {
        return "–".to_owned();
    };
    let mut text = format!("{} {}", number(p50), figure.unit);
    if let Some(p99) = figure.p99 {
        text.push_str(&format!(" (p99 {})", number(p99)));
    }
    if let Some(ratio) = figure.ratio {
        text.push_str(&format!(", {ratio:.2} ×"));
    }
    text
}

fn number(value: f64) -> String {
    if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// The time below which a part of the samples lies.
pub fn quantile(samples: &mut [Duration], part: f64) -> f64 {
    samples.sort_unstable();
    let last = samples.len().saturating_sub(1);
    let at = (last as f64 * part).round() as usize;
    samples
        .get(at)
        .map_or(0.0, |sample| sample.as_secs_f64() * 1_000.0)
}
