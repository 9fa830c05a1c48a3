//! Care: whether the tables are what the ledger says, and making them so again.
//!
//! Owns: what may be amiss with a store and which side is right. The ledger is, where its chains hold; where one is
//! broken, a row that says more than its events is, and is written down as a new event. What is in no event is written
//! down too, so nothing is lost. Never: search indexes, blobs and the file itself, which a host looks at.
//!
//! A check goes through the store in stretches, a call each: the ledger by `seq`, the rows of each table by their keys,
//! the subjects of the ledger in their order. Its [`Place`] is what one call hands on to the next.

mod folds;
mod ledger;
mod mend;
mod place;
mod rows;

pub(crate) use mend::mend;
pub(crate) use place::{Place, Side};

use crate::cx::Cx;
use crate::refuse::Step;
use place::Spot;
use serde::Serialize;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// chain, counter, unrecorded, dangling, fold, conflict
    pub kind: &'static str,
    /// The record or the event
    pub subject: String,
    pub what: String,
    /// What mends it
    pub repair: String,
    /// Whether mend_store does
    pub mendable: bool,
}

impl Finding {
    fn new(
        kind: &'static str,
        subject: impl Into<String>,
        what: impl Into<String>,
        repair: &str,
    ) -> Self {
        Finding {
            kind,
            subject: subject.into(),
            what: what.into(),
            repair: repair.to_owned(),
            mendable: true,
        }
    }

    fn by_hand(self) -> Self {
        Finding {
            mendable: false,
            ..self
        }
    }
}

/// One stretch's findings.
#[derive(Debug)]
pub(crate) struct Checked {
    pub findings: Vec<Finding>,
    /// Events, rows or subjects looked at.
    pub looked_at: usize,
    /// Where the next call goes on.
    pub next: Option<Place>,
}

/// Checks the stretch at `place`.
pub(crate) fn check(cx: &Cx, place: Place) -> Step<Checked> {
    let Place { spot, broken } = place;
    match spot {
        Spot::Ledger(at) => {
            let looked = ledger::look(cx, &at, broken)?;
            let findings = looked.findings();
            Ok(Checked {
                findings,
                looked_at: looked.events,
                next: Some(looked.next),
            })
        }
        Spot::Rows(table, after) => {
            let page = rows::Page::read(cx, table, after)?;
            Ok(Checked {
                findings: page.findings(),
                looked_at: page.rows.len(),
                next: Some(Place {
                    spot: page.next.clone(),
                    broken,
                }),
            })
        }
        Spot::Folds(kind, after) => {
            let page = folds::Page::read(cx, kind, after)?;
            let keeps = Side::of(broken);
            Ok(Checked {
                findings: page.findings(keeps),
                looked_at: page.subjects.len(),
                next: Some(Place {
                    spot: page.next.clone(),
                    broken,
                }),
            })
        }
        Spot::End => Ok(Checked {
            findings: ledger::open_conflicts(cx)?
                .map(|(finding, _)| finding)
                .into_iter()
                .collect(),
            looked_at: 0,
            next: None,
        }),
    }
}
