//! What was measured, as a table and as JSON.
//!
//! Owns: medians, quantiles, the table. Never: what is measured.

use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// One figure at one size.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    pub nodes: u32,
    pub what: String,
    /// None: the program cannot do it yet.
    pub p50_ms: Option<f64>,
    pub p99_ms: Option<f64>,
    /// Against the bare process of the same run.
    pub ratio: Option<f64>,
    pub unit: &'static str,
    pub goal: String,
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

    /// A row for each thing, a column for each size.
    pub fn markdown(&self) -> String {
        let mut sizes: Vec<u32> = self.figures.iter().map(|figure| figure.nodes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut rows: Vec<(&str, &str, BTreeMap<u32, String>)> = Vec::new();
        for figure in &self.figures {
            let row = rows.iter_mut().find(|(what, _, _)| *what == figure.what);
            let cell = (figure.nodes, show(figure));
            match row {
                Some((_, _, cells)) => cells.extend([cell]),
                None => rows.push((&figure.what, &figure.goal, BTreeMap::from([cell]))),
            }
        }
        let head: Vec<String> = sizes.iter().map(u32::to_string).collect();
        let mut text = format!(
            "| what | {} | goal at 100 000 |\n|---|{}---|\n",
            head.join(" | "),
            "---:|".repeat(sizes.len())
        );
        for (what, goal, cells) in rows {
            let cells: Vec<&str> = sizes
                .iter()
                .map(|size| cells.get(size).map_or("", String::as_str))
                .collect();
            text.push_str(&format!("| {what} | {} | {goal} |\n", cells.join(" | ")));
        }
        text
    }
}

fn show(figure: &Figure) -> String {
    let Some(p50) = figure.p50_ms else {
        return "–".to_owned();
    };
    let mut text = format!("{} {}", number(p50), figure.unit);
    if let Some(p99) = figure.p99_ms {
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
