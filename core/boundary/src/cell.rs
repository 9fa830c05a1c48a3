//! One value of a row.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// One value of a row, as JSON: `null`, an integer, a float or a string.
///
/// The order (null < integer < real < text, texts by their UTF-8 bytes) is the order every store sorts by.
#[derive(Clone, Debug, Serialize, PartialEq)]
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

/// By hand, since the derived form of an untagged enum copies every value twice.
impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl Visitor<'_> for CellVisitor {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("null, a number or a string")
    }

    fn visit_unit<E: Error>(self) -> Result<Cell, E> {
        Ok(Cell::Null)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Cell, E> {
        Ok(Cell::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Cell, E> {
        i64::try_from(value)
            .map(Cell::Int)
            .map_err(|_| E::custom("an integer beyond 64 bits with a sign"))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Cell, E> {
        Ok(Cell::Real(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Cell, E> {
        Ok(Cell::Text(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Cell, E> {
        Ok(Cell::Text(value))
    }
}
