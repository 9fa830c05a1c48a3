//! A question for rows in the order of an index.

use crate::cx::Row;
use deciduous_boundary::{Cell, Fetch};

/// Built up by name: `Scan::of("edge_by_target").below([ws, id]).newest(20)`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    index: &'static str,
    pub(crate) prefixes: Vec<Vec<Cell>>,
    from: Option<Cell>,
    to: Option<Cell>,
    after: Vec<Cell>,
    desc: bool,
    limit: u32,
}

impl Scan {
    /// `primary` is the primary key.
    pub(crate) fn of(index: &'static str) -> Self {
        Scan {
            index,
            ..Scan::default()
        }
    }

    pub(crate) fn below(mut self, prefix: Vec<Cell>) -> Self {
        self.prefixes.push(prefix);
        self
    }

    pub(crate) fn below_each(mut self, prefixes: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        self.prefixes.extend(prefixes);
        self
    }

    /// The first column behind the prefix is at least `cell`.
    pub(crate) fn from(mut self, cell: impl Into<Cell>) -> Self {
        self.from = Some(cell.into());
        self
    }

    /// The first column behind the prefix is less than `cell`.
    pub(crate) fn to(mut self, cell: impl Into<Cell>) -> Self {
        self.to = Some(cell.into());
        self
    }

    /// Goes on behind this order key.
    pub(crate) fn after(mut self, key: Vec<Cell>) -> Self {
        self.after = key;
        self
    }

    pub(crate) fn desc(mut self) -> Self {
        self.desc = true;
        self
    }

    /// For each prefix; 0 is all.
    pub(crate) fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }

    pub(crate) fn fetch<R: Row>(self) -> Fetch {
        Fetch::Scan {
            table: R::TABLE.to_owned(),
            index: self.index.to_owned(),
            cols: R::COLS.iter().map(|col| (*col).to_owned()).collect(),
            prefixes: self.prefixes,
            from: self.from,
            to: self.to,
            after: self.after,
            desc: self.desc,
            limit: self.limit,
        }
    }
}
