//! The ledger: the only way anything is written.
//!
//! Every change is an event; the tables are the events' fold. `FORMAT.md` beside this file describes an event's form
//! and its hash. A tool opens a [`Tx`], records what happens, and finishes it: events, rows and counters then leave as
//! one list of changes, which a host commits as one transaction.

pub(crate) mod care;
mod chain;
pub(crate) mod conflict;
pub(crate) mod coverage;
mod fold;
mod ids;
pub(crate) mod kept;
pub(crate) mod merge;
mod receipt;
mod refold;
pub(crate) mod segment;
pub(crate) mod strand;
mod subject;
mod tx;
pub(crate) mod undo;
pub(crate) mod verify;
pub(crate) mod wire;
mod write;

pub(crate) use chain::hex;
pub(crate) use fold::fold_event;
pub(crate) use ids::Ids;
pub(crate) use receipt::Receipts;
pub(crate) use subject::Subject;
pub(crate) use tx::{LOCAL, Tx, indexed, lease_stands};
pub(crate) use write::NewNode;

/// The version of the event format written here; a greater one is refused.
pub const EVENT_VERSION: u32 = 1;

/// Fields of an event, by name.
pub(crate) type Fields = std::collections::BTreeMap<String, serde_json::Value>;

/// `fields! { title: value, … }`: only what has a value; `Option` fields that are none are left out.
macro_rules! fields {
    ($($name:ident: $value:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut fields = $crate::ledger::Fields::new();
        $(if let Ok(value) = serde_json::to_value(&$value) && !value.is_null() {
            fields.insert(stringify!($name).to_owned(), value);
        })*
        fields
    }};
}
pub(crate) use fields;
