//! An answer put together and told: each result with why it is there, its options, its reasons.

use crate::ask::{EdgeKey, Places, Told};
use crate::model::NodeBrief;
use crate::page::{OUTPUT_BYTES, fitting};
use crate::render::view::{Page, glyph, plain, title, tone};
use crate::rules::choices::Verdict;
use crate::rules::succession;
use crate::shapes::NodeMark;
use crate::text::{counted, shorten};
use crate::time;
use serde::Serialize;
use std::collections::BTreeMap;

/// How much of a description and of a rationale an answer shows.
const DESCRIPTION: usize = 600;
const RATIONALE: usize = 400;

/// An option of a decision and what became of it.
#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Weighed {
    id: u32,
    title: String,
    /// chosen, rejected or considered
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rationale: Option<String>,
}

/// A neighbour, or where a result came from.
#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Near {
    id: u32,
    node_type: String,
    title: String,
    status: String,
    edge_type: &'static str,
    direction: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rationale: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
struct Found {
    id: u32,
    node_type: String,
    title: String,
    status: String,
    /// Why it is here.
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<NodeMark>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<Weighed>,
    /// What led to it, where a reason was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<Near>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    context: Vec<Near>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    created_at: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Output {
    count: usize,
    results: Vec<Found>,
    /// Named in the question, and not in the graph.
    absent: Vec<String>,
    total: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

/// What was read for a page of results.
pub(crate) struct Material<'a> {
    pub places: &'a Places,
    pub rows: Vec<Option<Told>>,
    pub briefs: BTreeMap<u32, NodeBrief>,
    pub reasons: BTreeMap<EdgeKey, String>,
}

impl Material<'_> {
    /// `cursor` goes on behind the number of results that it is given.
    pub(crate) fn output(
        self,
        absent: Vec<String>,
        explicit: bool,
        cursor: impl Fn(usize) -> Option<String>,
    ) -> Output {
        let rows = self
            .rows
            .iter()
            .flatten()
            .map(|row| (row.id, row))
            .collect::<BTreeMap<_, _>>();
        let mut results: Vec<Found> = self
            .places
            .page
            .iter()
            .filter_map(|place| {
                let row = rows.get(&place.id)?;
                let near = |id: &u32, edge: &EdgeKey| {
                    let node = self.briefs.get(id)?;
                    Some(Near {
                        id: node.id,
                        node_type: node.node_type.clone(),
                        title: node.title.clone(),
                        status: node.status.clone(),
                        edge_type: edge.2.name(),
                        direction: if edge.1 == place.id {
                            "incoming"
                        } else {
                            "outgoing"
                        },
                        rationale: self.rationale(edge),
                    })
                };
                let options = place.options.iter().filter_map(|choice| {
                    let node = self.briefs.get(&choice.option)?;
                    Some(Weighed {
                        id: node.id,
                        title: node.title.clone(),
                        verdict: choice.verdict.name(),
                        rationale: self.rationale(&choice.edge),
                    })
                });
                // An option's reason is told with the option.
                let told = |id: u32| place.options.iter().any(|choice| choice.option == id);
                let reasons = place
                    .parents
                    .iter()
                    .filter(|edge| !told(edge.0) && self.reasons.contains_key(*edge));
                Some(Found {
                    id: row.id,
                    node_type: row.node_type.clone(),
                    title: row.title.clone(),
                    status: row.status.clone(),
                    why: place.why.clone(),
                    description: row
                        .description
                        .as_deref()
                        .map(|text| shorten(text, DESCRIPTION)),
                    superseded_by: place
                        .successor
                        .and_then(|id| self.briefs.get(&id))
                        .map(NodeMark::from),
                    options: options.collect(),
                    reasons: reasons.filter_map(|edge| near(&edge.0, edge)).collect(),
                    context: place
                        .neighbours
                        .iter()
                        .filter_map(|(id, edge)| near(id, edge))
                        .collect(),
                    branch: row.branch.clone(),
                    created_at: time::shown(row.created_at, row.created_text.as_deref()),
                })
            })
            .collect();
        results.truncate(fitting(
            &results,
            if explicit { usize::MAX } else { OUTPUT_BYTES },
        ));
        let cursor = cursor(results.len());
        Output {
            count: results.len(),
            total: self.places.total,
            truncated: cursor.is_some(),
            results,
            absent,
            cursor,
        }
    }

    fn rationale(&self, edge: &EdgeKey) -> Option<String> {
        self.reasons.get(edge).map(|text| shorten(text, RATIONALE))
    }
}

/// The lead: what is not there, then the first result with its reasons. And what to do next.
pub(crate) fn said(output: &Output) -> (String, String) {
    let mut lead = String::new();
    if !output.absent.is_empty() {
        let named: Vec<String> = output
            .absent
            .iter()
            .map(|name| format!("`{}`", shorten(name, 80)))
            .collect();
        lead = format!("The graph holds nothing on {}.", named.join(", "));
    }
    let Some(first) = output.results.first() else {
        let nothing = if lead.is_empty() {
            "The graph holds nothing that answers this."
        } else {
            ""
        };
        return (
            format!("{lead}{nothing}"),
            "ask with other words, or search_nodes; record what you learn with add_node".to_owned(),
        );
    };
    if !lead.is_empty() {
        lead.push_str(" What follows fits the rest of the question.\n");
    }
    lead.push_str(&format!(
        "{} #{} \"{}\" ({})",
        first.node_type,
        first.id,
        shorten(&first.title, 200),
        first.status
    ));
    if let Some(successor) = &first.superseded_by {
        lead.push_str(&format!(
            ", superseded by #{} \"{}\"",
            successor.id,
            shorten(&successor.title, 120)
        ));
    }
    for verdict in [Verdict::Chosen, Verdict::Rejected, Verdict::Considered] {
        let of: Vec<String> = first
            .options
            .iter()
            .filter(|option| option.verdict == verdict.name())
            .map(|option| {
                let reason = option
                    .rationale
                    .as_ref()
                    .map_or(String::new(), |text| format!(" ({})", shorten(text, 160)));
                format!("#{} \"{}\"{reason}", option.id, shorten(&option.title, 80))
            })
            .collect();
        if !of.is_empty() {
            lead.push_str(&format!("\n{}: {}", verdict.name(), of.join("; ")));
        }
    }
    for reason in &first.reasons {
        let text = reason.rationale.as_deref().unwrap_or_default();
        lead.push_str(&format!(
            "\nfrom {} #{}: {}",
            reason.node_type,
            reason.id,
            shorten(text, 200)
        ));
    }
    lead.push_str(&format!(
        "\n{} of {}; the first {}.",
        output.count,
        counted(output.total, "result"),
        first.why
    ));
    (
        lead,
        format!(
            "get_node_context {} tells the whole story",
            first
                .superseded_by
                .as_ref()
                .map_or(first.id, |successor| successor.id)
        ),
    )
}

pub(crate) fn draw(page: &mut Page, output: &Output) {
    if !output.absent.is_empty() {
        page.line(vec![glyph(
            "warn",
            format!("nothing on {}", output.absent.join(", ")),
        )]);
    }
    for found in &output.results {
        let mut line = vec![
            glyph(&found.node_type, found.node_type.as_str()),
            tone("strong", format!(" #{} ", found.id)),
            title(&found.title, &found.status),
        ];
        let mark = succession::mark(&found.status, found.superseded_by.as_ref());
        if !mark.is_empty() {
            line.push(tone("warn", format!("  {mark}")));
        }
        page.line(line);
        page.indented(2, vec![tone("dim", found.why.as_str())]);
        if let Some(text) = &found.description {
            page.text(2, &shorten(text, 240));
        }
        for option in &found.options {
            let sign = match option.verdict {
                verdict if verdict == Verdict::Chosen.name() => "good",
                verdict if verdict == Verdict::Rejected.name() => "bad",
                _ => "dim",
            };
            page.indented(
                2,
                vec![
                    glyph(sign, format!("#{} {}", option.id, option.title)),
                    tone(
                        "dim",
                        option
                            .rationale
                            .as_ref()
                            .map_or(String::new(), |text| format!("  {}", one_line(text))),
                    ),
                ],
            );
        }
        for near in found.reasons.iter().chain(&found.context) {
            let arrow = if near.direction == "incoming" {
                "←"
            } else {
                "→"
            };
            page.indented(
                2,
                vec![
                    tone("dim", format!("{arrow} ")),
                    glyph(&near.node_type, near.node_type.as_str()),
                    plain(format!(" #{} ", near.id)),
                    title(&near.title, &near.status),
                    tone(
                        "dim",
                        near.rationale
                            .as_ref()
                            .map_or(String::new(), |text| format!("  {}", one_line(text))),
                    ),
                ],
            );
        }
    }
    if output.results.is_empty() {
        page.line(vec![plain("No node answers this.")]);
    }
}

fn one_line(text: &str) -> String {
    shorten(&text.split_whitespace().collect::<Vec<_>>().join(" "), 160)
}
