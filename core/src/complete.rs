//! What the beginning of an argument may become.
//!
//! Owns: which records are offered, and in what order. Never: reading more of them than are offered.

use crate::cx::{Cx, Scan, row};
use crate::ledger::LOCAL;
use crate::lookup::{self, ThemeName};
use crate::refuse::Step;
use crate::text::shorten;
use serde::Serialize;
use std::collections::BTreeSet;

/// What can be completed.
pub(crate) const KINDS: [&str; 5] = ["node", "theme", "branch", "session", "document"];
/// So many are offered.
const MOST: usize = 50;
/// Branches are found among so many of the newest nodes.
const LOOKED_AT: u32 = 500;
const HELP_CHARS: usize = 60;

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Candidate {
    pub value: String,
    /// What a person reads beside it
    pub help: String,
}

row! {
    struct Named in "node" {
        id: u32,
        node_type: String,
        title: String,
        branch: Option<String>,
        deleted_at: Option<i64>,
    }
}

row! {
    struct Paper in "document" {
        id: u32,
        path: String,
        deleted_at: Option<i64>,
    }
}

/// The candidates of a kind; none where there is no such kind.
pub(crate) fn candidates(cx: &Cx, kind: &str, prefix: &str) -> Step<Option<Vec<Candidate>>> {
    let mut found = match kind {
        "node" => nodes(cx, prefix)?,
        "theme" => themes(cx, prefix)?,
        "branch" => branches(cx, prefix)?,
        "session" => sessions(cx, prefix)?,
        "document" => documents(cx, prefix)?,
        _ => return Ok(None),
    };
    found.truncate(MOST);
    Ok(Some(found))
}

fn candidate(value: impl ToString, help: &str) -> Candidate {
    Candidate {
        value: value.to_string(),
        help: shorten(help, HELP_CHARS),
    }
}

/// Nodes whose number begins so, newest first; without a number the newest ones. `#` may stand before it.
fn nodes(cx: &Cx, prefix: &str) -> Step<Vec<Candidate>> {
    let (mark, digits) = match prefix.strip_prefix('#') {
        Some(digits) => ("#", digits),
        None => ("", prefix),
    };
    let newest = || {
        Scan::of("primary")
            .below(vec![LOCAL.into()])
            .desc()
            .limit(2 * MOST as u32)
    };
    let mut found = if digits.is_empty() {
        cx.scan_one::<Named>(newest())?
    } else {
        let asked: Vec<_> = beginning_with(digits)
            .into_iter()
            .map(|(from, to)| cx.scan_one::<Named>(newest().from(from).to(to)))
            .collect();
        let mut found = Vec::new();
        for rows in asked {
            found.extend(rows?);
        }
        found
    };
    found.retain(|node| node.deleted_at.is_none() && !node.node_type.is_empty());
    found.sort_unstable_by_key(|node| std::cmp::Reverse(node.id));
    Ok(found
        .iter()
        .map(|node| {
            candidate(
                format!("{mark}{}", node.id),
                &format!("{} {}", node.node_type, node.title),
            )
        })
        .collect())
}

/// The ranges of the numbers that begin with these digits: `4` is 4, 40 to 49, 400 to 499 and so on.
fn beginning_with(digits: &str) -> Vec<(i64, i64)> {
    let number = digits
        .parse::<u32>()
        .ok()
        .filter(|number| *number > 0 && !digits.starts_with(['0', '+']));
    let mut ranges = Vec::new();
    let (mut from, mut width) = match number {
        Some(number) => (i64::from(number), 1),
        None => return ranges,
    };
    while from <= i64::from(u32::MAX) {
        ranges.push((from, from + width));
        from *= 10;
        width *= 10;
    }
    ranges
}

fn themes(cx: &Cx, prefix: &str) -> Step<Vec<Candidate>> {
    let rows = cx.scan_one::<ThemeName>(Scan::of("primary").below(vec![LOCAL.into()]))?;
    let live = rows
        .iter()
        .filter(|theme| theme.deleted_at.is_none() && theme.name.starts_with(prefix));
    Ok(live.map(|theme| candidate(&theme.name, "theme")).collect())
}

/// The branches that were written to last.
fn branches(cx: &Cx, prefix: &str) -> Step<Vec<Candidate>> {
    let scan = Scan::of("primary")
        .below(vec![LOCAL.into()])
        .desc()
        .limit(LOOKED_AT);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for node in cx.scan_one::<Named>(scan)? {
        let Some(branch) = node.branch.filter(|_| node.deleted_at.is_none()) else {
            continue;
        };
        if branch.starts_with(prefix) && seen.insert(branch.clone()) {
            found.push(candidate(
                branch,
                &format!("last #{} {}", node.id, node.title),
            ));
        }
    }
    Ok(found)
}

fn sessions(cx: &Cx, prefix: &str) -> Step<Vec<Candidate>> {
    let marks = lookup::session_marks(cx)?;
    let here = marks
        .iter()
        .filter(|session| session.id.to_string().starts_with(prefix));
    Ok(here
        .map(|session| {
            let ended = if session.ended_at.is_some() {
                " (ended)"
            } else {
                ""
            };
            candidate(session.id, &format!("{}{ended}", session.name))
        })
        .collect())
}

fn documents(cx: &Cx, prefix: &str) -> Step<Vec<Candidate>> {
    let rows = cx.scan_one::<Paper>(Scan::of("primary").below(vec![LOCAL.into()]).desc())?;
    let live = rows.iter().filter(|document| {
        document.deleted_at.is_none() && document.id.to_string().starts_with(prefix)
    });
    Ok(live
        .map(|document| candidate(document.id, &document.path))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::beginning_with;

    #[test]
    fn numbers_that_begin_with_digits_lie_in_ranges() {
        let four = beginning_with("4");
        assert_eq!(four.get(..3), Some(&[(4, 5), (40, 50), (400, 500)][..]));
        assert_eq!(
            beginning_with("4294967295"),
            [(4_294_967_295, 4_294_967_296)]
        );
        for none in ["0", "x", "+4", "04", "99999999999"] {
            assert_eq!(beginning_with(none), [], "{none}");
        }
    }
}
