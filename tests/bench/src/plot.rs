//! The figures as a picture: a small plot for each thing measured in milliseconds, size against time, both logarithmic.
//!
//! Owns: lines, labels, two palettes. Never: a figure.

use crate::figures::{Figure, Figures, GOALS_AT};
use std::collections::BTreeMap;
use std::fmt::Write;

const COLUMNS: usize = 4;
const WIDTH: f64 = 230.0;
const HEIGHT: f64 = 130.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 22.0;
const RIGHT: f64 = 14.0;

const STYLE: &str = "text{font:11px system-ui,sans-serif;fill:#1f2328}.dim{fill:#59636e}.line{fill:none;stroke:#0969da;stroke-width:1.8}.dot{fill:#0969da}.bad{fill:#cf222e}.goal{stroke:#1a7f37;stroke-dasharray:4 3}.axis{stroke:#d1d9e0}.back{fill:#fff}\
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.dim{fill:#9198a1}.line{stroke:#4493f8}.dot{fill:#4493f8}.bad{fill:#f85149}.goal{stroke:#3fb950}.axis{stroke:#3d444d}.back{fill:#0d1117}}";

pub fn svg(figures: &Figures) -> String {
    let sizes: Vec<u32> = figures.sizes().into_iter().collect();
    let rows: Vec<_> = figures
        .rows()
        .into_iter()
        .filter(|(_, cells)| cells.values().any(|figure| figure.unit == "ms"))
        .collect();
    let lines = rows.len().div_ceil(COLUMNS).max(1);
    let (width, height) = (COLUMNS as f64 * WIDTH, lines as f64 * HEIGHT);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Milliseconds by size of the graph\"><style>{STYLE}</style><rect class=\"back\" width=\"{width}\" height=\"{height}\"/>\n"
    );
    for (at, (what, cells)) in rows.iter().enumerate() {
        let (x, y) = (
            (at % COLUMNS) as f64 * WIDTH,
            (at / COLUMNS) as f64 * HEIGHT,
        );
        // Cannot fail: a String takes what is written.
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        small(&mut out, what, cells, &sizes);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// One plot. Its scale spans whole decades, so that plots can be compared.
fn small(out: &mut String, what: &str, cells: &BTreeMap<u32, &Figure>, sizes: &[u32]) {
    let values: Vec<f64> = cells.values().filter_map(|figure| figure.p50).collect();
    let goal = cells.get(&GOALS_AT).and_then(|figure| figure.most_ms);
    let all = || {
        values
            .iter()
            .chain(&goal)
            .map(|value| value.max(1e-3).log10())
    };
    let low = all().fold(f64::INFINITY, f64::min).floor();
    let high = all()
        .fold(f64::NEG_INFINITY, f64::max)
        .ceil()
        .max(low + 1.0);
    let (inner, tall) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let y = |value: f64| TOP + tall * (high - value.max(1e-3).log10()) / (high - low);
    let x = |size: u32| {
        let at = sizes.iter().position(|known| *known == size).unwrap_or(0) as f64;
        LEFT + inner * (at + 0.5) / sizes.len().max(1) as f64
    };
    let title = what
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('`', "");
    let _ = writeln!(out, "<text x=\"8\" y=\"18\">{title}</text>");
    for decade in low as i32..=high as i32 {
        let (value, line) = (10_f64.powi(decade), y(10_f64.powi(decade)));
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{LEFT} {line:.1}H{:.1}\"/><text class=\"dim\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            WIDTH - RIGHT,
            LEFT - 5.0,
            line + 4.0
        );
    }
    for size in sizes {
        let name = match size {
            1_000_000.. => format!("{} M", size / 1_000_000),
            1_000.. => format!("{} k", size / 1_000),
            _ => size.to_string(),
        };
        let _ = writeln!(
            out,
            "<text class=\"dim\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            x(*size),
            HEIGHT - 6.0
        );
    }
    if let Some(goal) = goal {
        let line = y(goal);
        let _ = writeln!(
            out,
            "<path class=\"goal\" d=\"M{LEFT} {line:.1}H{:.1}\"/>",
            WIDTH - RIGHT
        );
    }
    let points: Vec<(f64, f64, bool)> = cells
        .iter()
        .filter_map(|(size, figure)| Some((x(*size), y(figure.p50?), figure.met == Some(false))))
        .collect();
    let path: Vec<String> = points
        .iter()
        .map(|(x, y, _)| format!("{x:.1} {y:.1}"))
        .collect();
    let _ = writeln!(
        out,
        "<polyline class=\"line\" points=\"{}\"/>",
        path.join(" ")
    );
    for (x, y, missed) in points {
        let class = if missed { "bad" } else { "dot" };
        let _ = writeln!(
            out,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
        );
    }
}
