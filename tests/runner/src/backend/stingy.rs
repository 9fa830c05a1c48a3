//! A host that answers as little as it may: one fetch a round, the last first. The answers must be the same.

use super::rounds::Reader;
use deciduous_boundary::Fetch;

/// Answers the last.
#[derive(Debug, Default)]
pub struct Stingy;

impl Reader for Stingy {
    fn choose(&self, fetches: &[Fetch]) -> Vec<usize> {
        fetches.len().checked_sub(1).into_iter().collect()
    }
}
