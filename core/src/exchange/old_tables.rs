//! Stores of the public tool's 0.x and 1.x: their tables, told in the history shape.
//!
//! Owns: what those tables are called and how their rows join. Never: what is taken in; that is `take`.
//!
//! Such a store names nodes by number; the identities copied beside them are as old as the row, so a number that is
//! a node's wins. A row that joins a node that is not there is *dangling*: it is named, never passed over.

use crate::exchange::told::Note;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The table without which it is no such store.
pub(crate) const NODES: &str = "decision_nodes";
const EDGES: &str = "decision_edges";
const SESSIONS: &str = "decision_sessions";
const SESSION_NODES: &str = "session_nodes";
const THEMES: &str = "themes";
const NODE_THEMES: &str = "node_themes";
const DOCUMENTS: &str = "node_documents";

/// The tables whose rows are taken over.
pub(crate) const TABLES: [&str; 7] = [
    NODES,
    EDGES,
    SESSIONS,
    SESSION_NODES,
    THEMES,
    NODE_THEMES,
    DOCUMENTS,
];
/// Where SQLite keeps the greatest number of each table.
pub(crate) const NUMBERS: &str = "sqlite_sequence";

/// Bytes of a document, as such a store kept them: a name in its folder of documents.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Blob {
    pub file: String,
    pub sha256: String,
}

/// The tables, translated.
#[derive(Debug, Default)]
pub(crate) struct Translated {
    /// The history shape.
    pub history: String,
    /// Rows that join nodes or records that are not there, by table and place.
    pub dangling: Vec<Note>,
    pub blobs: Vec<Blob>,
    /// How many rows each table has.
    pub rows: BTreeMap<String, usize>,
}

/// A row.
type Row = Map<String, Value>;

/// Translates all rows; the reason where the tables are no such store's.
pub(crate) fn translate(mut tables: Map<String, Value>) -> Result<Translated, String> {
    if !tables.contains_key(NODES) {
        return Err(format!(
            "holds no `{NODES}`: these are not the tables of such a store"
        ));
    }
    let mut all: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for name in TABLES.into_iter().chain([NUMBERS]) {
        let rows = tables.remove(name).unwrap_or_else(|| json!([]));
        let rows: Vec<Row> = serde_json::from_value(rows)
            .map_err(|_| format!("has something else than rows in `{name}`"))?;
        all.insert(name.to_owned(), rows);
    }
    if let Some(name) = tables.keys().next() {
        return Err(format!("has `{name}`, which is no table of such a store"));
    }
    let rows = TABLES
        .iter()
        .map(|name| ((*name).to_owned(), all.get(*name).map_or(0, Vec::len)))
        .filter(|(_, rows)| *rows > 0);
    let mut translated = Translated {
        rows: rows.collect(),
        ..Translated::default()
    };
    let mut take = |name: &str| all.remove(name).unwrap_or_default();

    let numbers = greatest(take(NUMBERS));
    let nodes = take(NODES);
    let ends = Ends::of(&nodes);
    let mut edges = take(EDGES);
    translated.keep(EDGES, &mut edges, |row| {
        ends.settle(row, "from_node_id", "from_change_id", "source")
            .and(ends.settle(row, "to_node_id", "to_change_id", "target"))
    });
    let mut documents = take(DOCUMENTS);
    translated.keep(DOCUMENTS, &mut documents, |row| {
        ends.settle(row, "node_id", "node_change_id", "node")
    });
    translated.blobs = documents.iter().filter_map(blob).collect();
    let themes = take(THEMES);
    let known: BTreeSet<i64> = themes.iter().filter_map(|row| number(row, "id")).collect();
    let mut tags = take(NODE_THEMES);
    translated.keep(NODE_THEMES, &mut tags, |row| {
        let theme = number(row, "theme_id").filter(|theme| known.contains(theme));
        ends.settle(row, "node_id", "node_change_id", "node").and(
            theme
                .map(drop)
                .ok_or_else(|| "has a theme that is not there".to_owned()),
        )
    });
    let sessions = translated.sessions(take(SESSIONS), take(SESSION_NODES), &ends);
    translated.history = json!({
        "nodes": nodes, "edges": edges, "themes": themes, "node_themes": tags,
        "documents": documents, "sessions": sessions, "greatest": numbers,
    })
    .to_string();
    Ok(translated)
}

impl Translated {
    /// Keeps the rows that `settle` finds a place for; the others are told.
    fn keep(
        &mut self,
        table: &str,
        rows: &mut Vec<Row>,
        settle: impl Fn(&mut Row) -> Result<(), String>,
    ) {
        let mut place = 0;
        rows.retain_mut(|row| {
            let item = format!("{table}[{place}]");
            place += 1;
            match settle(row) {
                Ok(()) => true,
                Err(reason) => {
                    self.dangling.push(Note { item, reason });
                    false
                }
            }
        });
    }

    /// Sessions with their nodes. One that has lost its root begins at its first node.
    fn sessions(&mut self, mut sessions: Vec<Row>, mut members: Vec<Row>, ends: &Ends) -> Vec<Row> {
        let known: BTreeSet<i64> = sessions
            .iter()
            .filter_map(|row| number(row, "id"))
            .collect();
        self.keep(SESSION_NODES, &mut members, |row| {
            let session = number(row, "session_id").filter(|session| known.contains(session));
            ends.settle(row, "node_id", "node_change_id", "node").and(
                session
                    .map(drop)
                    .ok_or_else(|| "is of a session that is not there".to_owned()),
            )
        });
        let mut nodes: BTreeMap<i64, Vec<Value>> = BTreeMap::new();
        for row in members {
            if let (Some(session), Some(node)) =
                (number(&row, "session_id"), number(&row, "node_id"))
            {
                let added = row.get("added_at").cloned().unwrap_or_default();
                nodes
                    .entry(session)
                    .or_default()
                    .push(json!({ "id": node, "added_at": added }));
            }
        }
        self.keep(SESSIONS, &mut sessions, |row| {
            let id = number(row, "id").unwrap_or_default();
            let members = nodes.get(&id).cloned().unwrap_or_default();
            let root = number(row, "root_node_id").filter(|root| ends.numbers.contains_key(root));
            let first = || {
                members
                    .first()
                    .and_then(|member| member.get("id"))
                    .and_then(Value::as_i64)
            };
            let root = root
                .or_else(first)
                .ok_or_else(|| "has neither a root nor a node that is there".to_owned())?;
            row.insert("root_node_id".to_owned(), root.into());
            row.insert("node_ids".to_owned(), members.into());
            if row.get("name").is_none_or(Value::is_null) {
                row.insert("name".to_owned(), format!("session {id}").into());
            }
            Ok(())
        });
        sessions
    }
}

/// The nodes that rows may join.
struct Ends {
    /// With their identities, where they have one.
    numbers: BTreeMap<i64, Option<String>>,
    identities: BTreeSet<String>,
}

impl Ends {
    fn of(nodes: &[Row]) -> Self {
        let identity = |row: &Row| {
            row.get("change_id")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        Ends {
            numbers: nodes
                .iter()
                .filter_map(|row| Some((number(row, "id")?, identity(row))))
                .collect(),
            identities: nodes.iter().filter_map(identity).collect(),
        }
    }

    /// Leaves the row one name for the node it joins: the number where that is a node's, else the identity.
    fn settle(&self, row: &mut Row, id: &str, change_id: &str, which: &str) -> Result<(), String> {
        let joined = number(row, id).filter(|id| self.numbers.contains_key(id));
        let copied = row
            .get(change_id)
            .and_then(Value::as_str)
            .is_some_and(|id| self.identities.contains(id));
        match (joined, copied) {
            (Some(_), _) => row.remove(change_id),
            (None, true) => row.remove(id),
            (None, false) => {
                return Err(format!(
                    "joins the {which} {}, which is not there",
                    row.get(id).unwrap_or(&Value::Null)
                ));
            }
        };
        Ok(())
    }
}

fn number(row: &Row, name: &str) -> Option<i64> {
    row.get(name).and_then(Value::as_i64)
}

fn blob(row: &Row) -> Option<Blob> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Blob {
        file: text("storage_filename")?,
        sha256: text("content_hash")?.to_ascii_lowercase(),
    })
}

fn greatest(rows: Vec<Row>) -> Value {
    let of = |table: &str| {
        let row = rows
            .iter()
            .find(|row| row.get("name").and_then(Value::as_str) == Some(table));
        row.and_then(|row| number(row, "seq"))
            .and_then(|seq| u32::try_from(seq).ok())
            .unwrap_or_default()
    };
    json!({ "nodes": of(NODES), "edges": of(EDGES), "themes": of(THEMES), "documents": of(DOCUMENTS), "sessions": of(SESSIONS) })
}
