//! Any schema, any changes, any fetches: SQLite and the tables in memory answer the same bytes.

use super::{ask, column, in_memory, write};
use crate::store::Store;
use deciduous_boundary::{Cell, Change, ColumnKind, ColumnType, Fetch, Index, Schema, Table};
use deciduous_tables::Tables;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Decisions read from a random tape: a shorter tape with smaller numbers is a simpler case, so failures shrink.
struct Tape<'a> {
    numbers: std::slice::Iter<'a, u16>,
}

impl Tape<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.numbers
            .next()
            .map_or(0, |number| usize::from(*number) % end.max(1))
    }

    fn often(&mut self, of_ten: usize) -> bool {
        self.below(10) >= 10 - of_ten
    }

    fn is_over(&self) -> bool {
        self.numbers.len() == 0
    }

    fn pick<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        &of[self.below(of.len())]
    }

    /// Distinct items, in an order of their own.
    fn some<T: Clone>(&mut self, of: &[T], least: usize) -> Vec<T> {
        let mut left = of.to_vec();
        let count = least + self.below(of.len() + 1 - least);
        (0..count)
            .map(|_| left.remove(self.below(left.len())))
            .collect()
    }

    fn schema(&mut self) -> Schema {
        let tables = (0..1 + self.below(2))
            .map(|at| self.table(&format!("table {at}")))
            .collect();
        Schema {
            version: 1,
            tables,
            older: vec![],
        }
    }

    fn table(&mut self, name: &str) -> Table {
        let mut columns = vec![
            column("workspace", ColumnType::Int, false),
            column("seq", ColumnType::Int, false),
        ];
        for at in 0..1 + self.below(4) {
            let kind = *self.pick(&[ColumnType::Text, ColumnType::Int, ColumnType::Real]);
            columns.push(column(&format!("c{at}"), kind, self.often(4)));
        }
        let solid: Vec<String> = columns[2..]
            .iter()
            .filter(|c| !c.nullable)
            .map(|c| c.name.clone())
            .collect();
        let mut key = vec!["workspace".to_owned()];
        key.extend(self.some(&solid, usize::from(!solid.is_empty())));
        let all: Vec<String> = columns.iter().map(|c| c.name.clone()).collect();
        let indexes = (0..self.below(4))
            .map(|at| Index {
                name: format!("{name} by {at}"),
                columns: self.some(&all, 1),
                unique: self.often(2),
                with: vec![],
            })
            .collect();
        Table {
            name: name.into(),
            columns,
            key,
            indexes,
        }
    }

    fn cell(&mut self, kind: ColumnType, nullable: bool) -> Cell {
        if nullable && self.often(4) {
            return Cell::Null;
        }
        match kind {
            ColumnType::Int => Cell::Int(*self.pick(&[0, 1, 2, 3, -1, i64::MAX, i64::MIN])),
            ColumnType::Real => self
                .pick(&[
                    Cell::Real(0.0),
                    Cell::Int(2),
                    Cell::Real(-1.5),
                    Cell::Real(1e300),
                    Cell::Real(-0.0),
                ])
                .clone(),
            ColumnType::Text => {
                Cell::Text((*self.pick(&["a", "", "b", "é", "\"q\\\n\u{1}", "z\0z", "😀"])).into())
            }
        }
    }

    fn row(&mut self, table: &Table) -> Vec<Cell> {
        let mut row: Vec<Cell> = table
            .columns
            .iter()
            .map(|c| self.cell(c.kind, c.nullable))
            .collect();
        row[0] = Cell::Int(self.below(3) as i64);
        row[1] = Cell::Int(self.below(20) as i64);
        row
    }

    /// Cells to look for; now and then a null where there can be none, or a wrong type.
    fn key(&mut self, table: &Table, order: &[String], length: usize) -> Vec<Cell> {
        let column = |name: &String| {
            table
                .columns
                .iter()
                .find(|c| c.name == *name)
                .expect("declared")
        };
        order[..length]
            .iter()
            .map(|name| match (name.as_str(), column(name)) {
                ("workspace", _) => Cell::Int(self.below(3) as i64),
                (_, column) if self.below(40) == 39 => {
                    let kind = *self.pick(&[ColumnType::Text, column.kind]);
                    self.cell(kind, true)
                }
                (_, column) => self.cell(column.kind, column.nullable),
            })
            .collect()
    }

    fn fetch(&mut self, schema: &Schema) -> Fetch {
        let table = self.pick(&schema.tables).clone();
        let all: Vec<String> = table.columns.iter().map(|c| c.name.clone()).collect();
        let (index, order) = match self.below(table.indexes.len() + 1) {
            0 => ("primary".to_owned(), table.key.clone()),
            at => {
                let index = &table.indexes[at - 1];
                let rest = table
                    .key
                    .iter()
                    .filter(|name| !index.columns.contains(name));
                (
                    index.name.clone(),
                    index.columns.iter().chain(rest).cloned().collect(),
                )
            }
        };
        let depth = self.below(order.len() + 1);
        let cols = self.some(&all, 0);
        let name = table.name.clone();
        let prefixes = (0..self.below(3) + 1)
            .map(|_| self.key(&table, &order, depth))
            .collect();
        match self.below(6) {
            0 => {
                let keys = (0..self.below(4))
                    .map(|_| self.key(&table, &table.key, table.key.len()))
                    .collect();
                Fetch::Rows {
                    table: name,
                    cols,
                    keys,
                }
            }
            1 => Fetch::Count {
                table: name,
                index,
                prefixes,
            },
            2 => {
                let kinds = [
                    ColumnKind::I64,
                    ColumnKind::U32,
                    ColumnKind::Dict,
                    ColumnKind::Present,
                ];
                let cols = cols
                    .into_iter()
                    .map(|name| (name, *self.pick(&kinds)))
                    .collect();
                let depth = self.below(table.key.len() + 1);
                let prefix = self.key(&table, &table.key, depth);
                Fetch::Columns {
                    table: name,
                    cols,
                    prefix,
                    since: self.below(20) as i64 - 1,
                }
            }
            3 => {
                let terms = self.some(&WORDS.map(str::to_owned), 0);
                Fetch::Terms {
                    workspace: self.below(3) as u32,
                    terms,
                    limit: self.below(4) as u32,
                }
            }
            _ => {
                let end = |tape: &mut Self| {
                    let name = order.get(depth).filter(|_| tape.often(3))?;
                    let column = table
                        .columns
                        .iter()
                        .find(|c| c.name == *name)
                        .expect("declared");
                    Some(tape.cell(column.kind, column.nullable))
                };
                let (from, to) = (end(self), end(self));
                let after = if self.often(5) {
                    self.key(&table, &order, order.len())
                } else {
                    Vec::new()
                };
                let (desc, limit) = (self.often(4), self.below(4) as u32);
                Fetch::Scan {
                    table: name,
                    index,
                    cols,
                    prefixes,
                    from,
                    to,
                    after,
                    desc,
                    limit,
                }
            }
        }
    }
}

// Each of the later ones is taken for another one by a store that writes terms down carelessly.
const WORDS: [&str; 8] = ["a", "b", "ab", "Ab", "a-b", "\u{1}", "\u{e001}", ""];

/// What the search index holds, so that changes name the former terms rightly.
#[derive(Default)]
struct Documents(BTreeMap<(u32, u32), BTreeSet<String>>);

impl Documents {
    fn change(&mut self, tape: &mut Tape<'_>) -> Change {
        let key = (tape.below(3) as u32, *tape.pick(&[0, 1, 2, 7, u32::MAX]));
        let added: BTreeSet<String> = tape
            .some(&WORDS.map(str::to_owned), 0)
            .into_iter()
            .collect();
        let removed = self.0.insert(key, added.clone()).unwrap_or_default();
        Change::Index {
            workspace: key.0,
            doc: key.1,
            removed: removed.into_iter().collect(),
            added: added.into_iter().collect(),
            length: *tape.pick(&[1, 0, 254, 255, 256, 70_000]),
        }
    }
}

fn run(numbers: &[u16]) -> Result<(), TestCaseError> {
    let mut tape = Tape {
        numbers: numbers.iter(),
    };
    let schema = tape.schema();
    let mut store: Store = in_memory(&schema);
    let mut tables = Tables::new(&schema).expect("a sound schema");
    let mut documents = Documents::default();
    while !tape.is_over() {
        if tape.often(4) {
            let fetch = tape.fetch(&schema);
            let mut bytes = Vec::new();
            match (ask(&mut store, &fetch), tables.answer(&fetch, &mut bytes)) {
                (Ok(stored), Ok(answer)) => {
                    prop_assert_eq!(
                        (stored.0.as_str(), &stored.1),
                        (answer.get(), &bytes),
                        "{:?}",
                        fetch
                    );
                }
                (Err(_), Err(_)) => {}
                (stored, answer) => {
                    return Err(TestCaseError::fail(format!(
                        "{fetch:?}: SQLite {stored:?}, memory {answer:?}"
                    )));
                }
            }
            continue;
        }
        let table = tape.pick(&schema.tables).clone();
        let mut changes: Vec<Change> = (0..1 + tape.below(4))
            .map(|_| Change::Put {
                table: table.name.clone(),
                row: tape.row(&table),
            })
            .collect();
        let rows_only = changes.clone();
        if tape.often(3) {
            changes.push(documents.change(&mut tape));
        }
        let (stored, kept) = (write(&mut store, &changes), tables.apply(&changes));
        prop_assert_eq!(
            stored.is_ok(),
            kept.is_ok(),
            "{:?}: SQLite {:?}, memory {:?}",
            rows_only,
            stored,
            kept
        );
        if stored.is_err()
            && let Some(Change::Index {
                workspace,
                doc,
                removed,
                ..
            }) = changes.last()
        {
            documents
                .0
                .insert((*workspace, *doc), removed.iter().cloned().collect());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn sqlite_and_memory_answer_alike(numbers in prop::collection::vec(0_u16..5_000, 20..1_200)) {
        run(&numbers)?;
    }
}
