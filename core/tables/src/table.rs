//! One table: its rows by primary key, and a sorted set for each index.
//!
//! Owns: what a cell of a column may be, the order of every access path, uniqueness. Never: more than one table.

use crate::TablesError;
use crate::key::{Key, Part};
use deciduous_boundary::{Cell, Column, ColumnType, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// The index every table has.
const PRIMARY: &str = "primary";

/// The ends of a range of order keys.
type Bounds = (Bound<Key>, Bound<Key>);

/// What narrows a scan beside its prefixes.
pub struct Range<'a> {
    pub from: Option<&'a Cell>,
    pub to: Option<&'a Cell>,
    pub after: &'a [Cell],
    pub desc: bool,
    pub limit: u32,
}

#[derive(Clone, Debug)]
pub struct TableData {
    name: String,
    columns: Vec<Column>,
    /// Positions of the primary key's columns.
    key: Vec<usize>,
    rows: BTreeMap<Key, Vec<Cell>>,
    indexes: BTreeMap<String, IndexData>,
}

#[derive(Clone, Debug)]
struct IndexData {
    /// Positions of the index's columns, then of the primary key's that it lacks.
    order: Vec<usize>,
    /// How many of these two rows may not share; none where the index is not unique.
    unique: Option<usize>,
    /// For each column of the primary key, where it stands in `order`.
    key_at: Vec<usize>,
    entries: BTreeSet<Key>,
}

impl TableData {
    pub fn new(table: &Table) -> Result<TableData, TablesError> {
        let find = |name: &String| {
            table
                .columns
                .iter()
                .position(|column| column.name == *name)
                .ok_or_else(|| no_column(&table.name, name))
        };
        let key = table.key.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        if key.is_empty() || key.iter().any(|&at| table.columns[at].nullable) {
            return Err(TablesError::new(format!(
                "table `{}` needs a primary key without nulls",
                table.name
            )));
        }
        let mut indexes = BTreeMap::new();
        for index in &table.indexes {
            let mut order = index
                .columns
                .iter()
                .map(find)
                .collect::<Result<Vec<_>, _>>()?;
            let unique = index.unique.then_some(order.len());
            order.extend(
                key.iter()
                    .filter(|at| !index.columns.contains(&table.columns[**at].name))
                    .copied(),
            );
            let key_at = key
                .iter()
                .filter_map(|at| order.iter().position(|other| other == at))
                .collect();
            indexes.insert(
                index.name.clone(),
                IndexData {
                    order,
                    unique,
                    key_at,
                    entries: BTreeSet::new(),
                },
            );
        }
        Ok(TableData {
            name: table.name.clone(),
            columns: table.columns.clone(),
            key,
            rows: BTreeMap::new(),
            indexes,
        })
    }

    pub fn rows(
        &self,
        cols: &[String],
        keys: &[Vec<Cell>],
    ) -> Result<Vec<Option<Vec<&Cell>>>, TablesError> {
        let cols = self.positions(cols)?;
        keys.iter()
            .map(|key| {
                if key.len() != self.key.len() {
                    return Err(self.error("is asked for a row by a key of another length"));
                }
                Ok(self
                    .rows
                    .get(&self.parts(&self.key, key)?)
                    .map(|row| pick(row, &cols)))
            })
            .collect()
    }

    pub fn scan(
        &self,
        index: &str,
        cols: &[String],
        prefixes: &[Vec<Cell>],
        range: &Range<'_>,
    ) -> Result<Vec<Vec<Vec<&Cell>>>, TablesError> {
        let cols = self.positions(cols)?;
        let limit = if range.limit == 0 {
            usize::MAX
        } else {
            range.limit as usize
        };
        prefixes
            .iter()
            .map(|prefix| {
                let mut rows = Vec::new();
                self.walk(index, prefix, range, limit, |row| {
                    rows.push(pick(row, &cols))
                })?;
                Ok(rows)
            })
            .collect()
    }

    pub fn count(&self, index: &str, prefixes: &[Vec<Cell>]) -> Result<Vec<u64>, TablesError> {
        let range = Range {
            from: None,
            to: None,
            after: &[],
            desc: false,
            limit: 0,
        };
        prefixes
            .iter()
            .map(|prefix| {
                let mut count = 0;
                self.walk(index, prefix, &range, usize::MAX, |_| count += 1)?;
                Ok(count)
            })
            .collect()
    }

    /// The rows below a primary-key prefix, in the key's order.
    pub fn below(&self, prefix: &[Cell]) -> Result<Vec<&Vec<Cell>>, TablesError> {
        let range = Range {
            from: None,
            to: None,
            after: &[],
            desc: false,
            limit: 0,
        };
        let mut rows = Vec::new();
        self.walk(PRIMARY, prefix, &range, usize::MAX, |row| rows.push(row))?;
        Ok(rows)
    }

    fn walk<'a>(
        &'a self,
        index: &str,
        prefix: &[Cell],
        range: &Range<'_>,
        limit: usize,
        mut visit: impl FnMut(&'a Vec<Cell>),
    ) -> Result<(), TablesError> {
        let data = if index == PRIMARY {
            None
        } else {
            Some(
                self.indexes
                    .get(index)
                    .ok_or_else(|| self.error(&format!("has no index `{index}`")))?,
            )
        };
        let order = data.map_or(&self.key, |data| &data.order);
        let Some(bounds) = self.bounds(order, prefix, range)? else {
            return Ok(());
        };
        match (data, range.desc) {
            (None, false) => self
                .rows
                .range(bounds)
                .take(limit)
                .for_each(|(_, row)| visit(row)),
            (None, true) => self
                .rows
                .range(bounds)
                .rev()
                .take(limit)
                .for_each(|(_, row)| visit(row)),
            (Some(data), desc) => {
                let entries = data.entries.range(bounds);
                let mut find = |entry: &Key| {
                    let key: Key = data
                        .key_at
                        .iter()
                        .filter_map(|&at| entry.get(at).cloned())
                        .collect();
                    if let Some(row) = self.rows.get(&key) {
                        visit(row);
                    }
                };
                if desc {
                    entries.rev().take(limit).for_each(&mut find);
                } else {
                    entries.take(limit).for_each(&mut find);
                }
            }
        }
        Ok(())
    }

    /// The range of order keys a scan covers; none where it is empty.
    fn bounds(
        &self,
        order: &[usize],
        prefix: &[Cell],
        range: &Range<'_>,
    ) -> Result<Option<Bounds>, TablesError> {
        if prefix.len() > order.len() {
            return Err(self.error("is asked for a prefix longer than its index"));
        }
        if (range.from.is_some() || range.to.is_some()) && prefix.len() == order.len() {
            return Err(self.error("is asked for a range behind the last column of its index"));
        }
        let start = self.parts(order, prefix)?;
        let with = |cell: &Cell| -> Result<Key, TablesError> {
            let mut key = start.clone();
            key.push(self.part(order[prefix.len()], cell)?);
            Ok(key)
        };
        let mut low = Bound::Included(range.from.map_or_else(|| Ok(start.clone()), with)?);
        let mut high = match range.to {
            Some(to) => Bound::Excluded(with(to)?),
            None => Bound::Excluded(start.iter().cloned().chain([Part::End]).collect()),
        };
        if !range.after.is_empty() {
            if range.after.len() != order.len() {
                return Err(self.error("is asked to go on behind a key of another length"));
            }
            let after = self.parts(order, range.after)?;
            if range.desc {
                if key_of(&high).is_none_or(|high| after < *high) {
                    high = Bound::Excluded(after);
                }
            } else if key_of(&low).is_none_or(|low| after >= *low) {
                low = Bound::Excluded(after);
            }
        }
        // The range of a BTreeMap panics where its ends are the wrong way round.
        Ok((key_of(&low) < key_of(&high)).then_some((low, high)))
    }

    /// Inserts or replaces a row; answers its key and what stood there.
    pub fn put(&mut self, row: &[Cell]) -> Result<(Key, Option<Vec<Cell>>), TablesError> {
        if row.len() != self.columns.len() {
            return Err(self.error("is given a row of another length"));
        }
        let row = row
            .iter()
            .enumerate()
            .map(|(at, cell)| self.stored(at, cell))
            .collect::<Result<Vec<_>, TablesError>>()?;
        let key = key_from(&row, &self.key);
        for (name, index) in &self.indexes {
            let Some(length) = index.unique else { continue };
            let entry = key_from(&row, &index.order);
            let shared = &entry[..length];
            // Nulls are not equal to each other, as in SQL.
            if shared.contains(&Part::Null) {
                continue;
            }
            let others = index
                .entries
                .range(shared.to_vec()..)
                .take_while(|other| other.starts_with(shared));
            for other in others {
                if index.key_at.iter().map(|&at| &other[at]).ne(key.iter()) {
                    return Err(self.error(&format!(
                        "has a row already under the unique index `{name}`"
                    )));
                }
            }
        }
        let former = self.replace(&key, Some(row));
        Ok((key, former))
    }

    /// Puts back what [`TableData::put`] replaced.
    pub fn restore(&mut self, key: &Key, former: Option<Vec<Cell>>) {
        self.replace(key, former);
    }

    fn replace(&mut self, key: &Key, row: Option<Vec<Cell>>) -> Option<Vec<Cell>> {
        let former = self.rows.remove(key);
        for index in self.indexes.values_mut() {
            if let Some(former) = &former {
                index.entries.remove(&key_from(former, &index.order));
            }
            if let Some(row) = &row {
                index.entries.insert(key_from(row, &index.order));
            }
        }
        if let Some(row) = row {
            self.rows.insert(key.clone(), row);
        }
        former
    }

    pub fn column_names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub fn all(&self) -> impl Iterator<Item = &Vec<Cell>> {
        self.rows.values()
    }

    pub fn position(&self, name: &str) -> Result<usize, TablesError> {
        self.columns
            .iter()
            .position(|column| column.name == name)
            .ok_or_else(|| no_column(&self.name, name))
    }

    pub fn error(&self, what: &str) -> TablesError {
        TablesError::new(format!("table `{}` {what}", self.name))
    }

    fn positions(&self, cols: &[String]) -> Result<Vec<usize>, TablesError> {
        cols.iter().map(|name| self.position(name)).collect()
    }

    fn parts(&self, order: &[usize], cells: &[Cell]) -> Result<Key, TablesError> {
        order
            .iter()
            .zip(cells)
            .map(|(&at, cell)| self.part(at, cell))
            .collect()
    }

    fn part(&self, at: usize, cell: &Cell) -> Result<Part, TablesError> {
        if *cell == Cell::Null {
            return Ok(Part::Null);
        }
        Ok(Part::from(&self.stored(at, cell)?))
    }

    /// The cell as the column keeps it.
    fn stored(&self, at: usize, cell: &Cell) -> Result<Cell, TablesError> {
        let column = &self.columns[at];
        match (column.kind, cell) {
            (_, Cell::Null) if column.nullable => Ok(Cell::Null),
            (ColumnType::Int, Cell::Int(_)) | (ColumnType::Text, Cell::Text(_)) => Ok(cell.clone()),
            // An integer in a column of floats is that float; there is one zero, as in SQLite.
            (ColumnType::Real, Cell::Int(value)) => Ok(Cell::Real(*value as f64)),
            (ColumnType::Real, Cell::Real(value)) if value.is_finite() => {
                Ok(Cell::Real(value + 0.0))
            }
            _ => Err(self.error(&format!(
                "cannot hold such a value in column `{}`",
                column.name
            ))),
        }
    }
}

fn no_column(table: &str, column: &str) -> TablesError {
    TablesError::new(format!("table `{table}` has no column `{column}`"))
}

fn key_from(row: &[Cell], order: &[usize]) -> Key {
    order.iter().map(|&at| Part::from(&row[at])).collect()
}

fn key_of(bound: &Bound<Key>) -> Option<&Key> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}

fn pick<'a>(row: &'a [Cell], cols: &[usize]) -> Vec<&'a Cell> {
    cols.iter().map(|&at| &row[at]).collect()
}
