//! Cells as parts of a sorted key.
//!
//! Owns: the one order every store sorts by (null < integer < real < text by bytes). Never: what a column may hold.

use deciduous_boundary::Cell;
use std::cmp::Ordering;

/// A key, compared part by part; a shorter key sorts before those it begins.
pub type Key = Vec<Part>;

/// One cell in a key. `End` sorts behind every cell, so that `prefix + End` closes the range of a prefix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Null,
    Int(i64),
    Real(Real),
    Text(String),
    End,
}

/// A finite float with a total order.
#[derive(Clone, Copy, Debug)]
pub struct Real(f64);

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Real {}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl From<&Cell> for Part {
    fn from(cell: &Cell) -> Self {
        match cell {
            Cell::Null => Part::Null,
            Cell::Int(value) => Part::Int(*value),
            Cell::Real(value) => Part::Real(Real(*value)),
            Cell::Text(value) => Part::Text(value.clone()),
        }
    }
}
