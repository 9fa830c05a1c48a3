//! One value of a row.

use serde::{Deserialize, Serialize};

/// One value of a row, as JSON: `null`, an integer, a float or a string.
///
/// The order (null < integer < real < text, texts by their UTF-8 bytes) is the order every store sorts by.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
}

impl From<u32> for Cell {
    fn from(value: u32) -> Self {
        Cell::Int(i64::from(value))
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Cell::Int(value)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Cell::Real(value)
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Cell::Text(value.to_owned())
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Cell::Text(value)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Null, Into::into)
    }
}
