//! What the core wants to know.

use crate::Cell;
use serde::{Deserialize, Serialize};

/// One want. The answers' shapes are named at each variant; the answer to fetch `i` of a `Need` carries the number `i`.
///
/// Fetches of rows are answered inside one transaction. The others (`Branch`, `Commit`, `File`, `Segments`) are answered before it
/// is opened: a host that finds both kinds in one `Need` answers the outside ones alone first.
/// A host may answer any non-empty subset in a round; what is missing is asked again.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Fetch {
    /// Rows by primary key. Answer: an array as long as `keys`, each a row (array of cells in `cols` order) or `null`.
    Rows {
        table: String,
        cols: Vec<String>,
        keys: Vec<Vec<Cell>>,
    },
    /// Rows in the order of an index. Answer: one array of rows for each prefix.
    ///
    /// The order is the index's columns, then the primary key's columns the index lacks. `from` (inclusive) and `to`
    /// (exclusive) bound the first column behind the prefix. `after` holds the whole order key behind which to go on.
    /// `limit` 0 means all; it counts for each prefix. The primary key is the index named `primary`.
    Scan {
        table: String,
        index: String,
        cols: Vec<String>,
        prefixes: Vec<Vec<Cell>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Cell>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Cell>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        after: Vec<Cell>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        desc: bool,
        limit: u32,
    },
    /// Number of rows below each prefix of an index. Answer: an array of integers.
    Count {
        table: String,
        index: String,
        prefixes: Vec<Vec<Cell>>,
    },
    /// Whole columns of the rows below a primary-key prefix whose `seq` is greater than `since` (-1: every row), as
    /// little-endian arrays in the attachment, in the order of `seq`, then primary key. Answer: [`crate::ColumnsFact`].
    Columns {
        table: String,
        cols: Vec<(String, ColumnKind)>,
        prefix: Vec<Cell>,
        since: i64,
    },
    /// Postings of search terms, at most `limit` for each term, greatest doc first. Answer: [`crate::PostingsFact`].
    Terms {
        workspace: u32,
        terms: Vec<String>,
        limit: u32,
    },
    /// The name of the checked-out branch. Answer: a string, or `null` when detached or outside a repository.
    Branch {},
    /// The full hash of a revision such as `HEAD`. Answer: a string, or `null` when there is none.
    Commit { rev: String },
    /// One regular file inside the project, stored as a blob by the host. Answer: [`crate::FileFact`].
    File { path: String },
    /// Names of the ledger's segment files that lie beside the store, without ending, whatever stands in them. Answer: an
    /// array of strings, or `null` where there is no folder for them.
    Segments {},
}

impl Fetch {
    /// Whether the answer comes from outside the store, before a transaction is opened.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        matches!(
            self,
            Fetch::Branch {} | Fetch::Commit { .. } | Fetch::File { .. } | Fetch::Segments {}
        )
    }
}

/// How a column is packed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// 4 bytes a row. A null is 0.
    U32,
    /// 8 bytes a row. A null is `i64::MIN`.
    I64,
    /// 2 bytes a row: a position in the column's dictionary of texts, in order of first appearance; a null is 65 535.
    /// A column with more than 65 535 distinct texts is an error.
    Dict,
    /// 1 byte a row: 0 where the cell is null, 1 elsewhere.
    Present,
}

impl ColumnKind {
    /// Bytes a row.
    #[must_use]
    pub fn width(self) -> usize {
        match self {
            ColumnKind::U32 => 4,
            ColumnKind::I64 => 8,
            ColumnKind::Dict => 2,
            ColumnKind::Present => 1,
        }
    }
}
