//! What the store has of the records of a file.

use crate::cx::{Cx, Scan, row};
use crate::exchange::read::File;
use crate::exchange::told::End;
use crate::ledger::LOCAL;
use crate::model::{Document, Node, Session, Theme, Workspace};
use crate::refuse::Step;
use deciduous_boundary::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Rows by identity.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub nodes: BTreeMap<String, Node>,
    /// Node numbers of the file that belong to nodes here.
    pub taken: BTreeSet<u32>,
    pub themes: BTreeMap<String, Theme>,
    pub documents: BTreeMap<String, Document>,
    pub sessions: BTreeMap<String, Session>,
}

row! {
    /// What an event set.
    pub(super) struct Past in "event" {
        at: i64,
        fields: String,
    }
}

row! {
    /// That a number is taken.
    struct Number in "node" {
        id: u32,
    }
}

pub(super) fn key(name: &str) -> Vec<Cell> {
    vec![LOCAL.into(), name.into()]
}

/// Asks for everything at once; for nothing where the store is empty.
pub(super) fn learn(cx: &Cx, home: &Workspace, file: &File) -> Step<Known> {
    if home.seq == 0 {
        return Ok(Known::default());
    }
    let ends = file
        .edges
        .iter()
        .flat_map(|edge| [&edge.is.from, &edge.is.to]);
    let ends = ends.chain(file.tags.iter().map(|tag| &tag.is.node));
    let ends = ends.chain(file.documents.iter().map(|document| &document.is.node));
    let ends = ends.chain(file.sessions.iter().flat_map(|session| {
        let members = session.is.members.iter().map(|member| &member.node);
        members.chain([&session.is.root])
    }));
    let named = ends.filter_map(|End { change_id, .. }| change_id.as_deref());
    let nodes: BTreeSet<&str> = file
        .nodes
        .iter()
        .map(|node| node.is.change_id.as_str())
        .chain(named)
        .collect();
    let numbers: BTreeSet<u32> = file.nodes.iter().filter_map(|node| node.is.id).collect();
    let numbers: Vec<Vec<Cell>> = numbers
        .into_iter()
        .map(|id| vec![LOCAL.into(), id.into()])
        .collect();
    let below = |ids: &mut dyn Iterator<Item = &str>| ids.map(key).collect::<Vec<_>>();
    let documents = below(
        &mut file
            .documents
            .iter()
            .map(|document| document.is.named.change_id.as_str()),
    );
    let sessions = below(
        &mut file
            .sessions
            .iter()
            .map(|session| session.is.named.change_id.as_str()),
    );

    let nodes =
        cx.scan::<Node>(Scan::of("node_by_change_id").below_each(nodes.into_iter().map(key)));
    let numbers = cx.rows::<Number>(&numbers);
    let themes = cx.scan_one::<Theme>(Scan::of("primary").below(vec![LOCAL.into()]));
    let documents = cx.scan::<Document>(Scan::of("document_by_change_id").below_each(documents));
    let sessions = cx.scan::<Session>(Scan::of("session_by_change_id").below_each(sessions));
    let (nodes, numbers, themes, documents, sessions) =
        (nodes?, numbers?, themes?, documents?, sessions?);
    Ok(Known {
        nodes: nodes
            .into_iter()
            .flatten()
            .map(|row| (row.change_id.clone(), row))
            .collect(),
        taken: numbers.into_iter().flatten().map(|row| row.id).collect(),
        themes: themes
            .into_iter()
            .map(|row| (row.name.clone(), row))
            .collect(),
        documents: documents
            .into_iter()
            .flatten()
            .map(|row| (row.change_id.clone(), row))
            .collect(),
        sessions: sessions
            .into_iter()
            .flatten()
            .map(|row| (row.change_id.clone(), row))
            .collect(),
    })
}
