//! What the core is told.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Answers to some of the fetches of the last `Need`, with the bytes that belong to them in the frame's attachment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Facts {
    /// (number of the fetch in the `Need`, its answer).
    pub facts: Vec<(u32, Box<RawValue>)>,
}

/// Where bytes lie in the attachment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Attached {
    pub offset: u32,
    pub length: u32,
}

/// The answer to `Fetch::Columns`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ColumnsFact {
    /// Rows in each array.
    pub rows: u32,
    /// The greatest `seq` among the rows; `since` when there are none.
    pub seq: i64,
    /// One entry a column, in the order asked for.
    pub at: Vec<Attached>,
    /// One entry a column: the dictionary of a `Dict` column, empty elsewhere.
    pub dicts: Vec<Vec<String>>,
    /// Whether rows may have changed behind `seq`: a host may answer with what it kept, and is asked for the rest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// The answer to `Fetch::Terms`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PostingsFact {
    /// Documents in the workspace's index.
    pub docs: u32,
    /// For each term, the documents that hold it.
    pub df: Vec<u32>,
    /// For each term, its postings: 5 bytes each, doc (u32, little-endian) and length in terms (u8, 255 at most).
    pub at: Vec<Attached>,
}

/// The answer to `Fetch::File`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum FileFact {
    /// The bytes are stored as a blob under their SHA-256 already.
    Stored {
        /// The file's own name, without folders.
        name: String,
        /// The path relative to the project, with `/`.
        path: String,
        size_bytes: u64,
        /// 64 lower-case hexadecimal digits.
        sha256: String,
        media_type: String,
    },
    NotFound {},
    /// A folder, device, pipe or socket.
    NotRegular {},
    /// The path, or what a link in it points to, lies outside the project.
    Outside {},
    TooLarge {
        size_bytes: u64,
        limit_bytes: u64,
    },
    Unreadable {},
}
