//! Nodes by time: how a page of the timeline is found.
//!
//! Owns: the two ways to it, by index or by columns. Never: a read of what the page does not show.

use crate::args::Word;
use crate::around;
use crate::cx::{Cx, Scan};
use crate::ledger::LOCAL;
use crate::lookup;
use crate::model::{NodeBrief, NodeType};
use crate::refuse::Step;
use deciduous_boundary::Millis;

/// The nodes of a page, whether more follow, and how many there are when that is known.
pub(crate) type Found = (Vec<NodeBrief>, bool, Option<usize>);

/// Without a filter the index has the order already: only the page is read.
pub(crate) fn newest(
    cx: &Cx,
    since: Option<Millis>,
    after: Option<[i64; 2]>,
    most: usize,
) -> Step<Found> {
    let (mut found, mut after, first) = (Vec::new(), after, after.is_none());
    loop {
        // One more tells whether there are more.
        let wanted = u32::try_from(most + 1).unwrap_or(u32::MAX);
        let mut scan = Scan::of("node_by_created")
            .below(vec![LOCAL.into()])
            .desc()
            .limit(wanted);
        if let Some(since) = since {
            scan = scan.from(since);
        }
        if let Some([at, id]) = after {
            scan = scan.after(vec![LOCAL.into(), at.into(), id.into()]);
        }
        let read = cx.scan_one::<NodeBrief>(scan)?;
        let (end, last) = (
            read.len() <= most,
            read.last()
                .map(|node| [node.created_at, i64::from(node.id)]),
        );
        found.extend(
            read.into_iter()
                .filter(|node| node.deleted_at.is_none() && !node.node_type.is_empty()),
        );
        if end || found.len() > most {
            let more = found.len() > most;
            let total = (first && !more).then_some(found.len());
            found.truncate(most);
            return Ok((found, more, total));
        }
        after = last;
    }
}

pub(crate) type Filter<'a> = (Option<NodeType>, Option<&'a Word>, Option<Millis>);

pub(crate) fn chosen(
    cx: &Cx,
    (kind, branch, since): Filter,
    after: Option<[i64; 2]>,
    most: usize,
) -> Step<Found> {
    let page = cx.once("page", || {
        let graph = cx.graph(LOCAL)?;
        let branch = branch
            .map(|name| lookup::branch(&graph, &name.0))
            .transpose()?;
        let (mut page, mut total, mut more) = (Vec::new(), 0, false);
        for position in graph.newest()?.iter() {
            let Some(node) = graph.node(*position) else {
                continue;
            };
            if since.is_some_and(|since| node.created_at < since) {
                break;
            }
            if kind.is_some_and(|kind| node.kind != Some(kind))
                || branch.is_some_and(|branch| !node.is_on(branch))
            {
                continue;
            }
            total += 1;
            if after.is_none_or(|after| [node.created_at, i64::from(node.id)] < after) {
                more = page.len() >= most;
                if !more {
                    page.push(node.id);
                }
            }
        }
        Ok((page, more, total))
    })?;
    let (page, more, total) = &*page;
    Ok((around::briefs_in_order(cx, page)?, *more, Some(*total)))
}
