//! Rows: typed structs over a table's cells, in the order they were asked for.

use deciduous_boundary::Cell;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A projection of a table. Derived `Deserialize` reads a JSON array by position, so the wire carries no names.
pub(crate) trait Row: DeserializeOwned {
    const TABLE: &'static str;
    const COLS: &'static [&'static str];
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
    fn from_value(value: &Value) -> Option<Self>;
}

impl Field for u32 {
    fn to_cell(&self) -> Cell {
        Cell::Int(i64::from(*self))
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.as_u64().and_then(|n| u32::try_from(n).ok())
    }
}

impl Field for i64 {
    fn to_cell(&self) -> Cell {
        Cell::Int(*self)
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.as_i64()
    }
}

impl Field for f64 {
    fn to_cell(&self) -> Cell {
        Cell::Real(*self)
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.as_f64()
    }
}

impl Field for String {
    fn to_cell(&self) -> Cell {
        Cell::Text(self.clone())
    }
    fn from_value(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl<T: Field> Field for Option<T> {
    fn to_cell(&self) -> Cell {
        self.as_ref().map_or(Cell::Null, Field::to_cell)
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
        #[derive(Clone, Debug, serde::Deserialize)]
        $vis struct $name { $($(#[$field_meta])* pub $field: $type,)* }
        impl $crate::cx::Row for $name {
            const TABLE: &'static str = $table;
            const COLS: &'static [&'static str] = &[$(stringify!($field),)*];
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
