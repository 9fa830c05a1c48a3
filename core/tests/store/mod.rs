//! A store for tests: the core over tables in memory, with its own clock and its own dice.

// Each test file uses its own part of this one.
#![allow(dead_code)]

pub mod random;

use deciduous_boundary::{
    Actor, ActorKind, Cell, Change, Env, Facts, Fetch, FileFact, Refusal, Reply, Request, ViewMode,
    frame, unframe,
};
use deciduous_core::Instance;
use deciduous_tables::Tables;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub struct Store {
    name: &'static str,
    instance: Instance,
    tables: Tables,
    calls: u64,
    /// What is added to the clock.
    pub clock: i64,
}

/// A row by the names of its columns.
pub type Row = Map<String, Value>;

/// A field that a merge decided.
#[derive(Debug, PartialEq)]
pub struct Conflict {
    pub subject: String,
    pub field: String,
    pub winner: String,
    losers: String,
}

impl Conflict {
    pub fn losers(&self) -> Vec<String> {
        serde_json::from_str(&self.losers).expect("ids")
    }
}

impl Store {
    /// The tables that the ledger folds.
    pub const FOLDED: [&'static str; 7] = [
        "node",
        "edge",
        "theme",
        "node_theme",
        "document",
        "session",
        "session_node",
    ];

    pub fn new(name: &'static str) -> Store {
        let tables = Tables::new(&deciduous_core::schema()).expect("tables");
        Store {
            name,
            instance: Instance::new(),
            tables,
            calls: 0,
            clock: 0,
        }
    }

    /// Drops what the core remembers of earlier calls: the next one reads everything anew.
    pub fn forget(&mut self) {
        self.instance = Instance::new();
    }

    /// A copy of the store, as copying its files makes one.
    pub fn copied(&self, name: &'static str) -> Store {
        Store {
            name,
            instance: Instance::new(),
            tables: self.tables.clone(),
            calls: self.calls,
            clock: self.clock,
        }
    }

    /// The output of a call that must be done.
    pub fn done(&mut self, toolset: &str, tool: &str, args: Value) -> Value {
        self.call(toolset, tool, args)
            .unwrap_or_else(|refused| panic!("{tool}: {refused:?}"))
    }

    pub fn call(&mut self, toolset: &str, tool: &str, args: Value) -> Result<Value, Box<Refusal>> {
        self.calls += 1;
        let letters: u64 = self
            .name
            .bytes()
            .fold(7, |sum, byte| sum * 131 + u64::from(byte));
        let request = Request {
            toolset: toolset.to_owned(),
            tool: tool.to_owned(),
            args: to_raw_value(&args).expect("JSON"),
            caller: Actor {
                name: self.name.to_owned(),
                kind: ActorKind::Agent,
            },
            env: Env {
                now: 1_768_467_600_000
                    + i64::try_from(self.calls).expect("few calls") * 1_000
                    + self.clock,
                entropy: format!("{letters:032x}{:032x}", self.calls),
                workspace: None,
                kept: BTreeMap::new(),
                view: ViewMode::None,
            },
        };
        let message = serde_json::to_vec(&request).expect("JSON");
        let mut reply = self.instance.call(&frame(&message, &[]));
        loop {
            let (json, _) = unframe(&reply).expect("a frame");
            match serde_json::from_slice::<Reply>(json).expect("a reply") {
                Reply::Need { fetches, .. } => {
                    let mut attachment = Vec::new();
                    let facts = (0_u32..)
                        .zip(&fetches)
                        .map(|(number, fetch)| (number, self.answer(fetch, &mut attachment)));
                    let facts = Facts {
                        facts: facts.collect(),
                    };
                    let message = serde_json::to_vec(&facts).expect("JSON");
                    reply = self.instance.answer(&frame(&message, &attachment));
                }
                Reply::Done(done) => {
                    self.tables.apply(&done.changes).expect("changes that fit");
                    return Ok(serde_json::from_str(done.output.get()).expect("JSON"));
                }
                Reply::Refused(refused) => return Err(refused),
            }
        }
    }

    fn answer(&self, fetch: &Fetch, attachment: &mut Vec<u8>) -> Box<RawValue> {
        let outside = match fetch {
            Fetch::Branch {} | Fetch::Commit { .. } | Fetch::Segments {} => json!(null),
            Fetch::File { .. } => json!(FileFact::Stored {
                name: "notes.md".to_owned(),
                path: "notes.md".to_owned(),
                size_bytes: 3,
                sha256: "ab".repeat(32),
                media_type: "text/markdown".to_owned(),
            }),
            inside => return self.tables.answer(inside, attachment).expect("an answer"),
        };
        to_raw_value(&outside).expect("JSON")
    }

    /// Changes the tables behind the core's back.
    pub fn put(&mut self, change: Change) {
        self.tables.apply(&[change]).expect("a change that fits");
    }

    /// All rows of a table.
    pub fn rows(&self, table: &str) -> Vec<Row> {
        let schema = deciduous_core::schema();
        let declared = schema
            .tables
            .iter()
            .find(|declared| declared.name == table)
            .expect("a table");
        let cols: Vec<String> = declared
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect();
        let scan = Fetch::Scan {
            table: table.to_owned(),
            index: "primary".to_owned(),
            cols: cols.clone(),
            prefixes: vec![vec![Cell::Int(1)]],
            from: None,
            to: None,
            after: Vec::new(),
            desc: false,
            limit: 0,
        };
        let answer = self.tables.answer(&scan, &mut Vec::new()).expect("rows");
        let rows: Vec<Vec<Vec<Value>>> = serde_json::from_str(answer.get()).expect("rows");
        rows.into_iter()
            .flatten()
            .map(|row| cols.iter().cloned().zip(row).collect())
            .collect()
    }

    pub fn all_rows(&self) -> Vec<(String, Vec<Row>)> {
        let schema = deciduous_core::schema();
        schema
            .tables
            .iter()
            .map(|table| (table.name.clone(), self.rows(&table.name)))
            .collect()
    }

    /// What the search index says of some words.
    pub fn postings(&self, words: &[&str]) -> (String, Vec<u8>) {
        let terms = words
            .iter()
            .flat_map(|word| deciduous_core::text::tokens(word))
            .collect();
        let mut bytes = Vec::new();
        let fact = self
            .tables
            .answer(
                &Fetch::Terms {
                    workspace: 1,
                    terms,
                    limit: 1_000,
                },
                &mut bytes,
            )
            .expect("postings");
        (fact.get().to_owned(), bytes)
    }

    /// The folded rows with identities for local numbers, and without what only this store knows.
    pub fn named_rows(&self) -> BTreeSet<String> {
        let names = |table: &str| -> BTreeMap<u64, Value> {
            let rows = self.rows(table).into_iter();
            rows.map(|row| {
                (
                    row["id"].as_u64().expect("a number"),
                    row["change_id"].clone(),
                )
            })
            .collect()
        };
        let (nodes, sessions) = (names("node"), names("session"));
        let mut named = BTreeSet::new();
        for table in Self::FOLDED {
            for mut row in self
                .rows(table)
                .into_iter()
                .filter(|row| !row["last_event"].is_null())
            {
                for own in ["workspace", "id", "seq"] {
                    row.remove(own);
                }
                for (column, names) in [
                    ("from_id", &nodes),
                    ("to_id", &nodes),
                    ("node_id", &nodes),
                    ("root_id", &nodes),
                    ("session_id", &sessions),
                ] {
                    if let Some(number) = row.get_mut(column) {
                        *number = names[&number.as_u64().expect("a number")].clone();
                    }
                }
                named.insert(format!("{table} {}", Value::Object(row)));
            }
        }
        named
    }

    /// Rows of what was only heard of.
    pub fn unheard(&self) -> Vec<Row> {
        let rows = Self::FOLDED.into_iter().flat_map(|table| self.rows(table));
        rows.filter(|row| row["last_event"].is_null()).collect()
    }

    /// The open conflicts.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let open: Vec<Conflict> = self
            .rows("conflict")
            .into_iter()
            .filter(|row| row["open"] == json!(1))
            .map(|row| Conflict {
                subject: text(&row["subject"]),
                field: text(&row["field"]),
                winner: text(&row["winner"]),
                losers: text(&row["losers"]),
            })
            .collect();
        assert_eq!(
            self.rows("workspace")
                .first()
                .map_or(0, |row| row["conflicts"].as_u64().expect("a count")),
            open.len() as u64
        );
        open
    }

    /// An event of the ledger, its fields read.
    pub fn event(&self, id: &str) -> Option<Row> {
        let mut row = self
            .rows("event")
            .into_iter()
            .find(|row| row["id"] == json!(id))?;
        let fields = serde_json::from_str(row["fields"].as_str()?).ok()?;
        row.insert("fields".to_owned(), fields);
        Some(row)
    }
}
