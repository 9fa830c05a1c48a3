//! The history shape: nodes, edges, themes, documents, tags and sessions as `deciduous graph` and `export` write them
//! and `import` reads them.
//!
//! Owns: that shape, in both directions. Never: what may be written; that is the rules' and the ledger's.
//!
//! ```json
//! {"nodes": [{"id": 1, "change_id": "…", "node_type": "goal", "title": "…", "description": null, "status": "pending",
//!             "created_at": "…", "updated_at": "…", "metadata_json": "{\"branch\":\"main\"}"}],
//!  "edges": [{"id": 1, "from_node_id": 1, "to_node_id": 2, "from_change_id": "…", "to_change_id": "…",
//!             "edge_type": "leads_to", "weight": 1.0, "rationale": null, "created_at": "…"}]}
//! ```

mod differ;
mod digest;
mod gather;
mod item;
mod known;
pub(crate) mod metadata;
pub(crate) mod old_tables;
mod outcome;
mod pages;
mod place;
mod read;
mod shape;
mod sides;
mod snapshot;
mod take;
mod told;

pub(crate) use digest::Digest;
pub(crate) use old_tables::Blob;
pub(crate) use outcome::{Counts, Differing, Renumbered, Taken};
pub(crate) use pages::{Part, Wanted, page};
pub(crate) use shape::{DocumentOut, EdgeOut, NodeOut, SessionOut, TagOut, ThemeOut};
pub(crate) use sides::sides;
pub(crate) use snapshot::{Piece, piece};
pub(crate) use take::take;
pub(crate) use told::Note;
