//! The tables a host keeps.

use serde::{Deserialize, Serialize};

/// Every table, as the core declares them and a host creates them.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Schema {
    /// The format of the store. A host refuses a store with a greater one and changes nothing in it.
    pub version: u32,
    pub tables: Vec<Table>,
    /// Stores of other programs that the core knows how to take over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub older: Vec<OlderStore>,
}

/// Another program's store: known by a table, taken over by handing the rows of its tables to a tool, as the argument
/// `tables` (name to rows, a row an object).
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct OlderStore {
    /// What people call the program.
    pub program: String,
    /// The table that such a store has for certain.
    pub marker: String,
    /// Tables whose rows are handed over, and which are gone afterwards.
    pub tables: Vec<String>,
    /// Tables whose rows are handed over, and which stay.
    pub shared: Vec<String>,
    pub toolset: String,
    pub tool: String,
}

/// One table. Each has a `seq` column, and its primary key begins with `workspace`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// Names of the primary key's columns, in order.
    pub key: Vec<String>,
    pub indexes: Vec<Index>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ColumnType,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nullable: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// A signed integer of 64 bits.
    Int,
    /// A float of 64 bits.
    Real,
    /// UTF-8.
    Text,
}

/// A sorted access path. Its order is `columns`, then what the primary key has beyond them.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Index {
    /// Unique in the store, such as `node_by_id`.
    pub name: String,
    pub columns: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// Columns that a host may keep in the index too, behind those it sorts by: reading them then reads no row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
}
