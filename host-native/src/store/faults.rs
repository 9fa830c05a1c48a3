//! Faults for tests: the n-th call to the store fails. Not part of what is shipped.

use crate::Failure;
use std::cell::Cell;

thread_local! {
    /// How many calls go well before one does not.
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Lets the call after `before` others fail; none disarms.
pub fn arm(before: Option<u32>) {
    LEFT.set(before);
}

/// Whether the fault that was armed is still to come.
pub fn is_armed() -> bool {
    LEFT.get().is_some()
}

/// Counts one call.
pub fn strike() -> Result<(), Failure> {
    match LEFT.get() {
        Some(0) => {
            LEFT.set(None);
            Err(Failure::new(
                "a fault was put in",
                "try again; nothing was written",
            ))
        }
        Some(left) => {
            LEFT.set(Some(left - 1));
            Ok(())
        }
        None => Ok(()),
    }
}
