//! The core's schema, looked up by name.
//!
//! Owns: which columns, keys and access paths there are, and which cells a column takes. Never: SQL that runs.

use crate::Failure;
use deciduous_boundary::{Cell, Column, ColumnType, Schema, Table};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The index every table has.
pub const PRIMARY: &str = "primary";

/// A schema prepared for looking up.
#[derive(Debug)]
pub struct Shape {
    pub schema: Schema,
    /// Differs where the schema does; told apart from others by the store, never compared for order.
    pub digest: i64,
    tables: HashMap<String, TableShape>,
}

#[derive(Debug)]
pub struct TableShape {
    pub name: String,
    pub columns: Vec<Column>,
    /// The table's name in SQL.
    pub sql: String,
    by_name: HashMap<String, usize>,
    /// Indexes by name, the primary key among them.
    paths: HashMap<String, Path>,
    /// The names of the indexes but the primary key, in the schema's order.
    indexed: Vec<String>,
    /// Inserts or replaces a row.
    pub put: String,
}

/// A sorted access path.
#[derive(Debug)]
pub struct Path {
    /// Positions of the columns it sorts by, down to the last of the primary key.
    pub order: Vec<usize>,
    /// The clause that makes SQLite take it: left to choose, it may sort a whole table instead.
    pub clause: String,
}

impl Shape {
    /// # Errors
    /// Where the schema contradicts itself.
    pub fn new(schema: Schema) -> Result<Shape, Failure> {
        let mut tables = HashMap::new();
        for table in &schema.tables {
            tables.insert(table.name.clone(), TableShape::new(table)?);
        }
        Ok(Shape {
            digest: digest(&schema),
            tables,
            schema,
        })
    }

    /// The table in which every change has a row, in its order: its key ends with `seq`, behind as many columns as given.
    pub fn log(&self, depth: usize) -> Result<&TableShape, Failure> {
        let is_log = |table: &&TableShape| {
            let key = &table.primary().order;
            key.len() == depth + 1 && table.columns[key[depth]].name == "seq"
        };
        self.tables
            .values()
            .find(is_log)
            .ok_or_else(|| misfit("there is no table of all changes"))
    }

    pub fn table(&self, name: &str) -> Result<&TableShape, Failure> {
        self.tables
            .get(name)
            .ok_or_else(|| misfit(format!("there is no table `{name}`")))
    }
}

impl TableShape {
    fn new(table: &Table) -> Result<TableShape, Failure> {
        let by_name: HashMap<String, usize> = table
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| (column.name.clone(), at))
            .collect();
        let find = |name: &String| {
            by_name
                .get(name)
                .copied()
                .ok_or_else(|| misfit(format!("table `{}` has no column `{name}`", table.name)))
        };
        let key = table.key.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        if key.is_empty() || key.iter().any(|&at| table.columns[at].nullable) {
            return Err(misfit(format!(
                "table `{}` needs a primary key without nulls",
                table.name
            )));
        }
        let mut paths = HashMap::new();
        for index in &table.indexes {
            let mut order = index
                .columns
                .iter()
                .map(find)
                .collect::<Result<Vec<_>, _>>()?;
            order.extend(
                key.iter()
                    .filter(|at| !index.columns.contains(&table.columns[**at].name)),
            );
            paths.insert(
                index.name.clone(),
                Path {
                    order,
                    clause: format!("INDEXED BY {}", quoted(&index.name)),
                },
            );
        }
        // The name SQLite itself gives to the key of a table without row ids.
        let own = format!(
            "INDEXED BY {}",
            quoted(&format!("sqlite_autoindex_{}_1", table.name))
        );
        paths.insert(
            PRIMARY.to_owned(),
            Path {
                order: key,
                clause: own,
            },
        );
        Ok(TableShape {
            name: table.name.clone(),
            columns: table.columns.clone(),
            sql: quoted(&table.name),
            put: put_sql(table),
            indexed: table
                .indexes
                .iter()
                .map(|index| index.name.clone())
                .collect(),
            by_name,
            paths,
        })
    }

    pub fn position(&self, name: &str) -> Result<usize, Failure> {
        self.by_name
            .get(name)
            .copied()
            .ok_or_else(|| misfit(format!("table `{}` has no column `{name}`", self.name)))
    }

    pub fn path(&self, index: &str) -> Result<&Path, Failure> {
        self.paths
            .get(index)
            .ok_or_else(|| misfit(format!("table `{}` has no index `{index}`", self.name)))
    }

    pub fn primary(&self) -> &Path {
        &self.paths[PRIMARY]
    }

    /// The index that begins with these columns and goes on with `seq`.
    pub fn by_seq(&self, begin: &[usize]) -> Option<&Path> {
        let seq = self.by_name.get("seq")?;
        self.indexed
            .iter()
            .filter_map(|name| self.paths.get(name))
            .find(|path| path.order.get(begin.len()) == Some(seq) && path.order.starts_with(begin))
    }

    /// Checks the names of columns and lists them for a SELECT.
    pub fn list(&self, cols: &[String]) -> Result<String, Failure> {
        if cols.is_empty() {
            // SQL has no empty list; the caller writes as many cells as it asked for.
            return Ok("NULL".to_owned());
        }
        let mut list = String::new();
        for name in cols {
            self.position(name)?;
            if !list.is_empty() {
                list.push(',');
            }
            list.push_str(&quoted(name));
        }
        Ok(list)
    }

    /// The cell as the column numbered `at` keeps it.
    pub fn stored<'a>(&self, at: usize, cell: &'a Cell) -> Result<Cow<'a, Cell>, Failure> {
        let column = &self.columns[at];
        match (column.kind, cell) {
            (_, Cell::Null) if column.nullable => Ok(Cow::Borrowed(cell)),
            (ColumnType::Int, Cell::Int(_)) | (ColumnType::Text, Cell::Text(_)) => {
                Ok(Cow::Borrowed(cell))
            }
            (ColumnType::Real, Cell::Int(value)) => Ok(Cow::Owned(Cell::Real(*value as f64))),
            (ColumnType::Real, Cell::Real(value)) if value.is_finite() => Ok(Cow::Borrowed(cell)),
            _ => Err(misfit(format!(
                "column `{}` of table `{}` cannot hold such a value",
                column.name, self.name
            ))),
        }
    }

    /// A cell to compare with the column numbered `at`; a null compares with any column.
    pub fn compared<'a>(&self, at: usize, cell: &'a Cell) -> Result<Cow<'a, Cell>, Failure> {
        if *cell == Cell::Null {
            Ok(Cow::Borrowed(cell))
        } else {
            self.stored(at, cell)
        }
    }
}

/// The order of cells of one column.
pub fn compare(a: &Cell, b: &Cell) -> Ordering {
    fn rank(cell: &Cell) -> u8 {
        match cell {
            Cell::Null => 0,
            Cell::Int(_) => 1,
            Cell::Real(_) => 2,
            Cell::Text(_) => 3,
        }
    }
    match (a, b) {
        (Cell::Int(a), Cell::Int(b)) => a.cmp(b),
        // Adding zero makes one of the two zeros, as SQLite does.
        (Cell::Real(a), Cell::Real(b)) => (a + 0.0).total_cmp(&(b + 0.0)),
        (Cell::Text(a), Cell::Text(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// A name as SQL takes it, whatever is in it.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What core and store do not agree on: a defect, no fault of the user.
pub fn misfit(what: impl Into<String>) -> Failure {
    Failure::new(what, "report this: core and store do not fit together")
}

fn put_sql(table: &Table) -> String {
    let names: Vec<String> = table
        .columns
        .iter()
        .map(|column| quoted(&column.name))
        .collect();
    let key: Vec<String> = table.key.iter().map(|name| quoted(name)).collect();
    let set: Vec<String> = names
        .iter()
        .filter(|name| !key.contains(name))
        .map(|name| format!("{name}=excluded.{name}"))
        .collect();
    format!(
        "INSERT INTO {}({}) VALUES({}) ON CONFLICT({}) DO {}",
        quoted(&table.name),
        names.join(","),
        vec!["?"; names.len()].join(","),
        key.join(","),
        if set.is_empty() {
            "NOTHING".to_owned()
        } else {
            format!("UPDATE SET {}", set.join(","))
        },
    )
}

fn digest(schema: &Schema) -> i64 {
    let mut hasher = DefaultHasher::new();
    schema.version.hash(&mut hasher);
    for table in &schema.tables {
        (&table.name, &table.key).hash(&mut hasher);
        for column in &table.columns {
            (&column.name, column.kind as u8, column.nullable).hash(&mut hasher);
        }
        for index in &table.indexes {
            (&index.name, &index.columns, index.unique, &index.with).hash(&mut hasher);
        }
    }
    hasher.finish().cast_signed()
}
