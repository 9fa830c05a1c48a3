//! The tables a host must keep. Columns come from the records; keys and indexes stand here.

use crate::exchange::old_tables;
use crate::model::records::*;
use deciduous_boundary::{Column, ColumnType, Index, OlderStore, Schema, Table};

/// The format of the store. Raised when an older binary would damage what a newer one wrote.
const STORE_VERSION: u32 = 1;

/// How a Rust type is kept in a column.
pub(crate) trait Typed {
    const KIND: ColumnType;
    const NULLABLE: bool = false;
}

impl Typed for u32 {
    const KIND: ColumnType = ColumnType::Int;
}
impl Typed for i64 {
    const KIND: ColumnType = ColumnType::Int;
}
impl Typed for f64 {
    const KIND: ColumnType = ColumnType::Real;
}
impl Typed for String {
    const KIND: ColumnType = ColumnType::Text;
}
impl<T: Typed> Typed for Option<T> {
    const KIND: ColumnType = T::KIND;
    const NULLABLE: bool = true;
}

/// Every table, in the order a host creates them.
#[must_use]
pub fn schema() -> Schema {
    Schema {
        version: STORE_VERSION,
        tables: vec![
            Workspace::table(&["workspace"], &[("workspace_by_name", &["name"], true)]),
            Replica::table(&["workspace", "id"], &[]),
            Segment::table(&["workspace", "name", "strand"], &[]),
            Event::table(
                &["workspace", "seq"],
                &[
                    ("event_by_id", &["workspace", "id"], true),
                    ("event_by_subject", &["workspace", "subject"], false),
                    (
                        "event_by_replica",
                        &["workspace", "replica", "ordinal"],
                        false,
                    ),
                ],
            ),
            Conflict::table(
                &["workspace", "subject", "field"],
                &[("conflict_by_open", &["workspace", "open"], false)],
            ),
            carrying(
                "node_by_seq",
                &["node_type", "status", "branch", "created_at", "deleted_at"],
                Node::table(
                    &["workspace", "id"],
                    &[
                        ("node_by_change_id", &["workspace", "change_id"], true),
                        ("node_by_created", &["workspace", "created_at"], false),
                        ("node_by_seq", &["workspace", "seq"], false),
                    ],
                ),
            ),
            carrying(
                "edge_by_seq",
                &["deleted_at", "id"],
                Edge::table(
                    &["workspace", "from_id", "to_id", "edge_type"],
                    &[
                        ("edge_by_target", &["workspace", "to_id"], false),
                        ("edge_by_seq", &["workspace", "seq"], false),
                    ],
                ),
            ),
            Theme::table(&["workspace", "name"], &[]),
            NodeTheme::table(
                &["workspace", "node_id", "theme"],
                &[("node_theme_by_theme", &["workspace", "theme"], false)],
            ),
            Document::table(
                &["workspace", "id"],
                &[
                    ("document_by_change_id", &["workspace", "change_id"], true),
                    ("document_by_node", &["workspace", "node_id"], false),
                ],
            ),
            Session::table(
                &["workspace", "id"],
                &[("session_by_change_id", &["workspace", "change_id"], true)],
            ),
            SessionNode::table(
                &["workspace", "session_id", "node_id"],
                &[("session_node_by_node", &["workspace", "node_id"], false)],
            ),
            Receipt::table(&["workspace", "key"], &[]),
            Lease::table(&["workspace", "branch", "client"], &[]),
        ],
        older: vec![OlderStore {
            program: "Deciduous 0.x or 1.x".to_owned(),
            marker: old_tables::NODES.to_owned(),
            tables: old_tables::TABLES.map(str::to_owned).to_vec(),
            shared: vec![old_tables::NUMBERS.to_owned()],
            toolset: "store".to_owned(),
            tool: "import_tables".to_owned(),
        }],
    }
}

/// Has an index carry what the resident graph is made of: what changed, and the whole graph, are read from it alone.
fn carrying(index: &str, columns: &[&str], mut table: Table) -> Table {
    let found = table.indexes.iter_mut().find(|found| found.name == index);
    if let Some(index) = found {
        index.with = columns.iter().map(|name| (*name).to_owned()).collect();
    }
    table
}

/// Called by `record!`, which knows the columns.
pub(crate) fn table(
    name: &str,
    columns: &[(&str, ColumnType, bool)],
    key: &[&str],
    indexes: &[(&str, &[&str], bool)],
) -> Table {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Table {
        name: name.to_owned(),
        columns: columns
            .iter()
            .map(|(name, kind, nullable)| Column {
                name: (*name).to_owned(),
                kind: *kind,
                nullable: *nullable,
            })
            .collect(),
        key: owned(key),
        indexes: indexes
            .iter()
            .map(|(name, columns, unique)| Index {
                name: (*name).to_owned(),
                columns: owned(columns),
                unique: *unique,
                with: Vec::new(),
            })
            .collect(),
    }
}
