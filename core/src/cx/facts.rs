//! What a call knows so far.
//!
//! Answers stay as the text they came in; a tool parses the part it wants, straight into its structs. A partly known
//! set of keys is asked only for what is missing.

use crate::cx::{Row, Wants};
use crate::graph::Resident;
use crate::refuse::{Step, Stop, refusal};
use deciduous_boundary::{Attached, Cell, ColumnsFact, Facts, Fetch, PostingsFact};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The facts of one call, by what was asked.
#[derive(Debug, Default)]
pub(crate) struct FactStore {
    /// What was asked of many keys at once: by what is the same for all of them, then by key. Thousands of keys would
    /// repeat it.
    each: BTreeMap<String, Each>,
    /// Everything else.
    known: BTreeMap<String, Box<RawValue>>,
    postings: BTreeMap<String, Postings>,
}

/// Answers to one question, by their keys as JSON.
type Each = BTreeMap<String, Box<RawValue>>;

/// The postings of some terms, newest document first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Postings {
    /// Documents in the index.
    pub docs: u32,
    /// For each term asked: how many documents hold it, and (document, length in terms) of the newest of them.
    pub terms: Vec<(u32, Vec<(u32, u8)>)>,
}

impl FactStore {
    /// Takes in the answers to `asked`. An answer that does not fit its question is a fault of the host.
    pub(crate) fn learn(
        &mut self,
        asked: &[Fetch],
        facts: &Facts,
        attachment: &[u8],
        resident: &mut Resident,
    ) -> Result<(), String> {
        for (number, value) in &facts.facts {
            let fetch = asked
                .get(*number as usize)
                .ok_or_else(|| format!("fact {number} answers no fetch"))?;
            self.learn_one(fetch, value, attachment, resident)
                .map_err(|why| format!("fact {number}: {why}"))?;
        }
        Ok(())
    }

    fn learn_one(
        &mut self,
        fetch: &Fetch,
        value: &RawValue,
        attachment: &[u8],
        resident: &mut Resident,
    ) -> Result<(), String> {
        match fetch {
            Fetch::Rows { table, cols, keys } => {
                self.learn_each(value, rows_key(table, cols), keys)
            }
            Fetch::Scan { prefixes, .. } => self.learn_each(value, scan_key(fetch), prefixes),
            Fetch::Count {
                table,
                index,
                prefixes,
            } => self.learn_each(value, count_key(table, index), prefixes),
            Fetch::Columns { table, prefix, .. } => {
                let fact: ColumnsFact = parse(value)?;
                let workspace = match prefix.first() {
                    Some(Cell::Int(number)) => {
                        u32::try_from(*number).map_err(|_| "not a workspace")?
                    }
                    _ => return Err("columns without a workspace".to_owned()),
                };
                resident.learn(workspace, table, &fact, attachment)?;
                // Else it is asked for again, behind what is known now.
                if !fact.more {
                    self.known
                        .insert(columns_key(workspace, table), RawValue::NULL.to_owned());
                }
                Ok(())
            }
            Fetch::Terms {
                workspace,
                terms,
                limit,
            } => {
                let fact: PostingsFact = parse(value)?;
                let postings =
                    read_postings(&fact, attachment).ok_or("postings outside the attachment")?;
                self.postings
                    .insert(terms_key(*workspace, terms, *limit), postings);
                Ok(())
            }
            Fetch::Branch {} | Fetch::Commit { .. } | Fetch::File { .. } | Fetch::Segments {} => {
                self.known.insert(outside_key(fetch), value.to_owned());
                Ok(())
            }
        }
    }

    fn learn_each(
        &mut self,
        value: &RawValue,
        question: String,
        keys: &[Vec<Cell>],
    ) -> Result<(), String> {
        let values: Vec<Box<RawValue>> = parse(value)?;
        if values.len() != keys.len() {
            return Err(format!("{} answers for {} keys", values.len(), keys.len()));
        }
        let answers = self.each.entry(question).or_default();
        answers.extend(keys.iter().map(key_of).zip(values));
        Ok(())
    }

    pub(crate) fn rows<R: Row>(&self, wants: &Wants, keys: &[Vec<Cell>]) -> Step<Vec<Option<R>>> {
        let cols: Vec<String> = R::COLS.iter().map(|col| (*col).to_owned()).collect();
        let rows = self.each.get(&rows_key(R::TABLE, &cols));
        let found = keys
            .iter()
            .map(|key| rows?.get(&key_of(key)))
            .collect::<Vec<_>>();
        if found.iter().any(Option::is_none) {
            let missing = keys
                .iter()
                .zip(&found)
                .filter(|(_, known)| known.is_none())
                .map(|(key, _)| key.clone())
                .collect();
            return wants.add(Fetch::Rows {
                table: R::TABLE.to_owned(),
                cols,
                keys: missing,
            });
        }
        found
            .into_iter()
            .flatten()
            .map(|raw| told::<Option<Vec<Cell>>>(raw)?.map(row).transpose())
            .collect()
    }

    /// `scan` carries the question; its `prefixes` are what is asked for.
    pub(crate) fn scan<R: Row>(&self, wants: &Wants, scan: Fetch) -> Step<Vec<Vec<R>>> {
        let Fetch::Scan { prefixes, .. } = &scan else {
            return wants.add(scan);
        };
        let rows = self.each.get(&scan_key(&scan));
        let found = prefixes
            .iter()
            .map(|prefix| rows?.get(&key_of(prefix)))
            .collect::<Vec<_>>();
        if found.iter().all(Option::is_some) {
            return found
                .into_iter()
                .flatten()
                .map(|raw| told::<Vec<Vec<Cell>>>(raw)?.into_iter().map(row).collect())
                .collect();
        }
        let missing = prefixes
            .iter()
            .zip(&found)
            .filter(|(_, known)| known.is_none())
            .map(|(prefix, _)| prefix.clone())
            .collect();
        let mut fetch = scan.clone();
        if let Fetch::Scan { prefixes, .. } = &mut fetch {
            *prefixes = missing;
        }
        wants.add(fetch)
    }

    pub(crate) fn count(
        &self,
        wants: &Wants,
        table: &str,
        index: &str,
        prefix: Vec<Cell>,
    ) -> Step<u32> {
        let counts = self.each.get(&count_key(table, index));
        match counts.and_then(|counts| counts.get(&key_of(&prefix))) {
            Some(raw) => told(raw),
            None => wants.add(Fetch::Count {
                table: table.to_owned(),
                index: index.to_owned(),
                prefixes: vec![prefix],
            }),
        }
    }

    pub(crate) fn has_columns(&self, workspace: u32, table: &str) -> bool {
        self.known.contains_key(&columns_key(workspace, table))
    }

    pub(crate) fn postings(
        &self,
        wants: &Wants,
        workspace: u32,
        terms: Vec<String>,
        limit: u32,
    ) -> Step<Postings> {
        match self.postings.get(&terms_key(workspace, &terms, limit)) {
            Some(postings) => Ok(postings.clone()),
            None => wants.add(Fetch::Terms {
                workspace,
                terms,
                limit,
            }),
        }
    }

    pub(crate) fn outside<T: DeserializeOwned>(&self, wants: &Wants, fetch: Fetch) -> Step<T> {
        match self.known.get(&outside_key(&fetch)) {
            Some(raw) => told(raw),
            None => wants.add(fetch),
        }
    }
}

fn parse<T: DeserializeOwned>(value: &RawValue) -> Result<T, String> {
    serde_json::from_str(value.get()).map_err(|error| error.to_string())
}

fn row<R: Row>(cells: Vec<Cell>) -> Step<R> {
    R::from_cells(cells).ok_or_else(|| untold("a row with other columns"))
}

fn told<T: DeserializeOwned>(raw: &RawValue) -> Step<T> {
    serde_json::from_str(raw.get()).map_err(|error| untold(&error.to_string()))
}

/// A fact that does not fit its question is a host's fault, but a tool can only stop.
fn untold(why: &str) -> Stop {
    refusal(
        500,
        format!("the store answered what the core did not ask: {why}"),
        "run `deciduous doctor`",
    )
    .into()
}

fn read_postings(fact: &PostingsFact, attachment: &[u8]) -> Option<Postings> {
    let mut terms = Vec::with_capacity(fact.at.len());
    for (df, at) in fact.df.iter().zip(&fact.at) {
        let (entries, _) = slice(attachment, *at)?.as_chunks::<5>();
        terms.push((
            *df,
            entries
                .iter()
                .map(|[a, b, c, d, length]| (u32::from_le_bytes([*a, *b, *c, *d]), *length))
                .collect(),
        ));
    }
    Some(Postings {
        docs: fact.docs,
        terms,
    })
}

/// The bytes at `at`.
pub(crate) fn slice(attachment: &[u8], at: Attached) -> Option<&[u8]> {
    attachment
        .get(at.offset as usize..)?
        .get(..at.length as usize)
}

fn key_of(parts: &impl serde::Serialize) -> String {
    serde_json::to_string(parts).unwrap_or_default()
}

fn rows_key(table: &str, cols: &[String]) -> String {
    key_of(&("r", table, cols))
}

/// A scan without its prefixes.
fn scan_key(fetch: &Fetch) -> String {
    let Fetch::Scan {
        table,
        index,
        cols,
        from,
        to,
        after,
        desc,
        limit,
        ..
    } = fetch
    else {
        return String::new();
    };
    key_of(&("s", table, index, cols, (from, to, after, desc, limit)))
}

fn count_key(table: &str, index: &str) -> String {
    key_of(&("n", table, index))
}

fn columns_key(workspace: u32, table: &str) -> String {
    key_of(&("c", workspace, table))
}

fn terms_key(workspace: u32, terms: &[String], limit: u32) -> String {
    key_of(&("t", workspace, terms, limit))
}

fn outside_key(fetch: &Fetch) -> String {
    key_of(&("o", fetch))
}
