//! Parents to offer for a node that has none: up to three, each with the reason.

use crate::cx::{Cx, Scan, row};
use crate::graph::Graph;
use crate::ledger::{LOCAL, NewNode};
use crate::model::{NodeType, Status};
use crate::refuse::Step;
use crate::text::{distinct, shorten};
use serde::Serialize;

/// How many of the newest nodes are looked at.
const LOOKED_AT: u32 = 40;
const OFFERED: usize = 3;

/// A node that might lead to another one.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Parent {
    pub id: u32,
    pub node_type: String,
    pub title: String,
    pub reason: String,
}

row! {
    /// What a candidate is judged by.
    pub struct Candidate in "node" {
        id: u32,
        node_type: String,
        title: String,
        status: String,
        branch: Option<String>,
        files: Option<String>,
        deleted_at: Option<i64>,
    }
}

/// How far back from a node, and how many candidates, the columns are asked for.
const BACK: u32 = 300;
const SAME_BRANCH: usize = 8;
const ELSEWHERE: usize = 4;

/// Nodes written before the one at a position that could lead to it, by local number, nearest first: those of its own
/// branch and some others. What the columns tell need not be read.
pub(crate) fn before(graph: &Graph, position: u32) -> Vec<u32> {
    let Some(kind) = graph.kind(position) else {
        return Vec::new();
    };
    let branch = graph.branch(position);
    let (mut same, mut others) = (Vec::new(), Vec::new());
    for candidate in (position.saturating_sub(BACK)..position).rev() {
        let Some(node) = graph.node(candidate).filter(|node| node.is_live()) else {
            continue;
        };
        let fits = node
            .kind
            .is_some_and(|parent| parent_types(kind).contains(&parent))
            && node.status.is_some_and(Status::stands);
        // The reverse of an edge that stands would be refused.
        if !fits || graph.out(position).any(|(_, to)| to == candidate) {
            continue;
        }
        if branch.is_some() && graph.branch(candidate) == branch {
            same.push(node.id);
        } else if others.len() < ELSEWHERE {
            others.push(node.id);
        }
        if same.len() >= SAME_BRANCH {
            break;
        }
    }
    same.extend(others);
    same
}

/// A candidate with what its title speaks of and its files: many nodes are offered the same one.
#[derive(Debug)]
pub(crate) struct Judged {
    pub row: Candidate,
    terms: Vec<String>,
    pub files: Vec<String>,
}

impl From<Candidate> for Judged {
    fn from(row: Candidate) -> Self {
        let files = row.files.as_deref();
        Judged {
            terms: distinct([row.title.as_str()]),
            files: files
                .and_then(|json| serde_json::from_str(json).ok())
                .unwrap_or_default(),
            row,
        }
    }
}

/// What is asked of a candidate: the node that wants a parent.
pub(crate) struct Child<'a> {
    pub kind: NodeType,
    pub title: &'a str,
    pub branch: Option<&'a str>,
    pub files: &'a [String],
}

/// The types that usually lead to `kind`, most usual first.
pub(crate) fn parent_types(kind: NodeType) -> &'static [NodeType] {
    use NodeType::{Action, Decision, Goal, Observation, Option, Outcome, Revisit};
    match kind {
        Goal => &[],
        Option => &[Goal, Decision],
        Decision => &[Option, Goal, Revisit],
        Action => &[Decision, Option, Goal],
        Outcome => &[Action],
        Observation | NodeType::Feedback => &[Action, Decision, Goal, Option, Outcome],
        Revisit => &[Decision, Outcome, Observation],
    }
}

/// Parents for a node that is about to be written.
pub(crate) fn for_new(cx: &Cx, new: &NewNode) -> Step<Vec<Parent>> {
    if new.kind == NodeType::Goal {
        return Ok(Vec::new());
    }
    let newest: Vec<Judged> = cx
        .scan_one::<Candidate>(
            Scan::of("primary")
                .below(vec![LOCAL.into()])
                .desc()
                .limit(LOOKED_AT),
        )?
        .into_iter()
        .map(Judged::from)
        .collect();
    Ok(best(
        newest.iter(),
        &Child {
            kind: new.kind,
            title: &new.title,
            branch: new.branch.as_deref(),
            files: &new.files,
        },
    ))
}

/// The best of the candidates, best first; newer ones win ties.
pub(crate) fn best<'a>(candidates: impl Iterator<Item = &'a Judged>, child: &Child) -> Vec<Parent> {
    let terms = distinct([child.title]);
    let mut scored: Vec<(u32, &Candidate, String)> = candidates
        .filter_map(|candidate| score(candidate, child, &terms))
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.id.cmp(&a.1.id)));
    scored
        .into_iter()
        .take(OFFERED)
        .map(|(_, candidate, reason)| Parent {
            id: candidate.id,
            node_type: candidate.node_type.clone(),
            title: shorten(&candidate.title, 80),
            reason,
        })
        .collect()
}

/// How well a candidate fits, and why; none when its type cannot be a parent or it no longer stands.
fn score<'a>(
    judged: &'a Judged,
    child: &Child,
    terms: &[String],
) -> Option<(u32, &'a Candidate, String)> {
    let candidate = &judged.row;
    let kind = NodeType::parse(&candidate.node_type)?;
    let usual = parent_types(child.kind)
        .iter()
        .position(|parent| *parent == kind)?;
    if candidate.deleted_at.is_some()
        || !Status::parse(&candidate.status).is_some_and(Status::stands)
    {
        return None;
    }
    let mut reasons = Vec::new();
    let mut points = 4_u32.saturating_sub(u32::try_from(usual).unwrap_or(4));
    if candidate.branch.is_some() && candidate.branch.as_deref() == child.branch {
        points += 3;
        reasons.push("same branch".to_owned());
    }
    if let Some(shared) = judged.files.iter().find(|file| child.files.contains(file)) {
        points += 4;
        reasons.push(format!("shares {shared}"));
    }
    let common: Vec<&str> = terms
        .iter()
        .filter(|term| term.len() > 2 && judged.terms.contains(term))
        .map(String::as_str)
        .take(3)
        .collect();
    if !common.is_empty() {
        points += 2 * u32::try_from(common.len()).unwrap_or(0);
        reasons.push(format!("both speak of {}", common.join(", ")));
    }
    if reasons.is_empty() {
        reasons.push("recent".to_owned());
    }
    Some((points, candidate, reasons.join("; ")))
}

/// What to say to a writer whose node stands alone.
pub(crate) fn warnings(kind: NodeType, parents: &[Parent]) -> Vec<String> {
    if kind == NodeType::Goal {
        return Vec::new();
    }
    let offer = match parents.first() {
        Some(parent) => format!("; maybe from {} #{}", parent.node_type, parent.id),
        None => String::new(),
    };
    vec![format!(
        "not linked yet: every {} needs a parent{offer}",
        kind.name()
    )]
}
