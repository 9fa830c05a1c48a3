//! Rows: typed structs over a table's cells, in the order they were asked for.
//!
//! All rows are read by one parser into cells, and each struct takes its fields from those: deriving a parser for each
//! struct would make the module a third larger.

use deciduous_boundary::Cell;
use serde_json::Value;

/// A projection of a table. The wire carries no names: fields stand in the order of `COLS`.
pub(crate) trait Row: Sized {
    const TABLE: &'static str;
    const COLS: &'static [&'static str];
    /// None when a cell is missing or does not fit its field.
    fn from_cells(cells: Vec<Cell>) -> Option<Self>;
}

/// A row with every column of its table, which can be written back and changed field by field.
pub(crate) trait Record: Row {
    fn cells(&self) -> Vec<Cell>;
    /// Sets a field from an event. False when there is no such field or the value does not fit it.
    fn set(&mut self, field: &str, value: &Value) -> bool;
}

/// What a column holds.
pub(crate) trait Field: Sized {
    fn to_cell(&self) -> Cell;
    fn from_cell(cell: Cell) -> Option<Self>;
    fn from_value(value: &Value) -> Option<Self>;
}

impl Field for u32 {
    fn to_cell(&self) -> Cell {
        Cell::Int(i64::from(*self))
    }
    fn from_cell(cell: Cell) -> Option<Self> {
        i64::from_cell(cell).and_then(|number| u32::try_from(number).ok())
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.as_u64().and_then(|n| u32::try_from(n).ok())
    }
}

impl Field for i64 {
    fn to_cell(&self) -> Cell {
        Cell::Int(*self)
    }
    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Int(number) = cell {
            Some(number)
        } else {
            None
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.as_i64()
    }
}

impl Field for f64 {
    fn to_cell(&self) -> Cell {
        Cell::Real(*self)
    }
    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Real(number) => Some(number),
            // JSON does not tell 1 from 1.0.
            Cell::Int(number) => Some(number as f64),
            _ => None,
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.as_f64()
    }
}

impl Field for String {
    fn to_cell(&self) -> Cell {
        Cell::Text(self.clone())
    }
    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Text(text) = cell {
            Some(text)
        } else {
            None
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl<T: Field> Field for Option<T> {
    fn to_cell(&self) -> Cell {
        self.as_ref().map_or(Cell::Null, Field::to_cell)
    }
    fn from_cell(cell: Cell) -> Option<Self> {
        if cell == Cell::Null {
            Some(None)
        } else {
            T::from_cell(cell).map(Some)
        }
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            other => T::from_value(other).map(Some),
        }
    }
}

/// `row! { /// doc … pub struct Name in "table" { column: Type, … } }`: a projection whose fields are columns.
macro_rules! row {
    ($(#[$meta:meta])* $vis:vis struct $name:ident in $table:literal { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $vis struct $name { $($(#[$field_meta])* pub $field: $type,)* }
        impl $crate::cx::Row for $name {
            const TABLE: &'static str = $table;
            const COLS: &'static [&'static str] = &[$(stringify!($field),)*];
            fn from_cells(cells: Vec<deciduous_boundary::Cell>) -> Option<Self> {
                let mut cells = cells.into_iter();
                Some($name { $($field: $crate::cx::Field::from_cell(cells.next()?)?,)* })
            }
        }
    };
}
pub(crate) use row;

/// `record! { … }`: as [`row!`], for all columns of a table in the schema's order.
macro_rules! record {
    ($(#[$meta:meta])* $vis:vis struct $name:ident in $table:literal { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $crate::cx::row! { $(#[$meta])* #[derive(Default, PartialEq)] $vis struct $name in $table { $($(#[$field_meta])* $field: $type,)* } }
        impl $crate::cx::Record for $name {
            fn cells(&self) -> Vec<deciduous_boundary::Cell> {
                vec![$($crate::cx::Field::to_cell(&self.$field),)*]
            }
            fn set(&mut self, field: &str, value: &serde_json::Value) -> bool {
                match field {
                    $(stringify!($field) => match $crate::cx::Field::from_value(value) {
                        Some(value) => { self.$field = value; true }
                        None => false,
                    },)*
                    _ => false,
                }
            }
        }
        impl $name {
            /// This table's declaration.
            pub(crate) fn table(key: &[&str], indexes: &[(&str, &[&str], bool)]) -> deciduous_boundary::Table {
                $crate::model::schema::table($table, &[$((stringify!($field), <$type as $crate::model::schema::Typed>::KIND, <$type as $crate::model::schema::Typed>::NULLABLE),)*], key, indexes)
            }
        }
    };
}
pub(crate) use record;
