//! The core linked into the test, over the tables in memory: every fetch of a round is answered at once.

use super::rounds::{Core, Reader};
use deciduous_boundary::Fetch;

/// The core as a library.
#[derive(Debug, Default)]
pub struct Linked(deciduous_core::Instance);

impl Core for Linked {
    fn call(&mut self, message: &[u8]) -> Result<Vec<u8>, String> {
        Ok(self.0.call(message))
    }

    fn answer(&mut self, message: &[u8]) -> Result<Vec<u8>, String> {
        Ok(self.0.answer(message))
    }
}

/// Answers all.
#[derive(Debug, Default)]
pub struct All;

impl Reader for All {
    fn choose(&self, fetches: &[Fetch]) -> Vec<usize> {
        (0..fetches.len()).collect()
    }
}
