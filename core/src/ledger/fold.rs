//! Applies an event to the record it is about.

use crate::ledger::Fields;
use crate::ledger::write::{NODE_FIELD, ROOT_FIELD};
use crate::model::{Event, Folded};

/// Sets the event's fields on `row`. A field that the record does not have, or a value that does not fit it, is named.
pub(crate) fn fold_event<R: Folded>(
    row: &mut R,
    event: &Event,
    fields: &Fields,
    first: bool,
) -> Result<(), String> {
    for (name, value) in fields {
        // The owner's identity became a local number when the row was made.
        if name != NODE_FIELD && name != ROOT_FIELD && !row.set(name, value) {
            return Err(format!("`{name}` of {} cannot be {value}", event.subject));
        }
    }
    row.stamp(event.at, fields, first);
    row.set_event(&event.id, event.seq);
    Ok(())
}
