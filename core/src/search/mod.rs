//! Finds nodes by their texts: candidates from the index, then the best of them read and ranked exactly.
//!
//! Owns: which candidates are read, in blocks, and when fewer than all words are enough. Never: what a hit says.
//! The index names the newest holders of a frequent term only; whether an older node holds it too is found by reading.

pub(crate) mod told;

use crate::cx::{Cx, row};
use crate::ledger::LOCAL;
use crate::model::{Status, node_key};
use crate::refuse::Step;
use crate::text::query::Query;
use crate::text::rank::{self, Fit, Texts};
use std::collections::BTreeMap;

/// Postings asked for of each term.
const POSTINGS: u32 = 1_000;
/// Candidates read at once.
pub(crate) const BLOCK: usize = 60;
/// Blocks read in one call at most.
const BLOCKS: usize = 10;

row! {
    /// What a hit is ranked and shown by.
    pub struct Hit in "node" {
        id: u32,
        node_type: String,
        title: String,
        description: Option<String>,
        prompt: Option<String>,
        status: String,
        branch: Option<String>,
        created_at: i64,
        created_text: Option<String>,
        deleted_at: Option<i64>,
    }
}

/// How many of a query's words a hit must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    All,
    /// As many as the best candidates hold, or nearly.
    Most,
}

/// One candidate, before its texts are read.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub id: u32,
    score: u64,
    /// Bit `n` says that word `n` is there, as the index knows.
    known: u32,
    /// Nothing says that a word is not there.
    whole: bool,
    /// Weight of the words that are there or may be.
    held: u64,
}

/// What the index says to a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// Weight of each word of the query.
    pub weights: Vec<u64>,
    /// For each word whether any node holds it.
    pub present: Vec<bool>,
    /// Best first.
    all: Vec<Candidate>,
    /// Every posting was looked at.
    pub complete: bool,
}

impl Candidates {
    /// Those that may hold as much as is needed, best first.
    pub(crate) fn list(&self, need: Need) -> Vec<&Candidate> {
        let most = self
            .all
            .iter()
            .map(|candidate| candidate.held)
            .max()
            .unwrap_or(0);
        let fits = |candidate: &&Candidate| match need {
            Need::All => candidate.whole,
            Need::Most => candidate.held * 2 >= most,
        };
        self.all.iter().filter(fits).collect()
    }
}

/// A hit with how it fits.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub hit: Hit,
    pub fit: Fit,
}

impl Ranked {
    pub(crate) fn stands(&self) -> bool {
        Status::parse(&self.hit.status).is_none_or(Status::stands)
    }
}

/// Asks the index; `keep` says by number which nodes come into question.
pub(crate) fn candidates(cx: &Cx, query: &Query, keep: &dyn Fn(u32) -> bool) -> Step<Candidates> {
    let terms = query.terms();
    if terms.is_empty() {
        return Ok(Candidates::default());
    }
    let postings = cx.postings(LOCAL, terms.clone(), POSTINGS)?;
    let names = terms.iter().map(String::as_str);
    let rarities: BTreeMap<&str, u64> = names
        .clone()
        .zip(
            postings
                .terms
                .iter()
                .map(|(df, _)| rank::rarity(postings.docs, *df)),
        )
        .collect();
    // Bit `n` stands for term `n`; there are at most 64.
    let bits: BTreeMap<&str, u64> = names.zip((0..64).map(|n| 1_u64 << n)).collect();
    let words: Vec<(u64, Vec<u64>)> = query
        .words
        .iter()
        .map(|word| {
            let mask = |way: &Vec<String>| {
                way.iter()
                    .map(|term| bits.get(term.as_str()).copied().unwrap_or(0))
                    .fold(0, |a, b| a | b)
            };
            (
                rank::word_weight(word, &rarities),
                word.ways.iter().map(mask).collect(),
            )
        })
        .collect();
    let mut entries: Vec<(u32, u8, u64)> = Vec::new();
    // Below its horizon nothing is said of a term.
    let mut horizons = Vec::new();
    let mut present = 0;
    for ((df, list), bit) in postings.terms.iter().zip((0..64).map(|n| 1_u64 << n)) {
        entries.extend(list.iter().map(|(doc, length)| (*doc, *length, bit)));
        present |= if *df > 0 { bit } else { 0 };
        if let Some((last, _)) = list.last().filter(|_| *df as usize > list.len()) {
            horizons.push((*last, bit));
        }
    }
    entries.sort_unstable_by_key(|(doc, _, bit)| (std::cmp::Reverse(*doc), *bit));
    let mut all: Vec<Candidate> = entries
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|group| {
            let (id, length, _) = *group.first()?;
            let known = group.iter().fold(0, |mask, (_, _, bit)| mask | bit);
            let hidden = horizons
                .iter()
                .filter(|(last, _)| id < *last)
                .fold(0, |mask, (_, bit)| mask | bit);
            keep(id).then(|| judge(id, length, known, hidden, &words))
        })
        .filter(|candidate| candidate.held > 0)
        .collect();
    all.sort_by(|a, b| b.score.cmp(&a.score).then(b.id.cmp(&a.id)));
    Ok(Candidates {
        weights: words.iter().map(|(weight, _)| *weight).collect(),
        present: words
            .iter()
            .map(|(_, ways)| ways.iter().any(|way| *way != 0 && way & !present == 0))
            .collect(),
        all,
        complete: horizons.is_empty(),
    })
}

fn judge(id: u32, length: u8, known: u64, hidden: u64, words: &[(u64, Vec<u64>)]) -> Candidate {
    let mut candidate = Candidate {
        id,
        score: 0,
        known: 0,
        whole: true,
        held: 0,
    };
    for ((weight, ways), bit) in words.iter().zip((0..32).map(|n| 1_u32 << n)) {
        let holds = |terms: u64| ways.iter().any(|way| *way != 0 && way & !terms == 0);
        let (sure, maybe) = (holds(known), holds(known | hidden));
        candidate.known |= if sure { bit } else { 0 };
        candidate.whole &= maybe;
        if maybe {
            candidate.held += weight;
            candidate.score += rank::before_reading(*weight, length) / if sure { 1 } else { 2 };
        }
    }
    candidate
}

/// Reads candidates and ranks them: those that stand first, then the better fit, then the newer one.
pub(crate) fn read(
    cx: &Cx,
    query: &Query,
    found: &Candidates,
    block: &[&Candidate],
) -> Step<Vec<Ranked>> {
    let keys: Vec<_> = block
        .iter()
        .map(|candidate| node_key(LOCAL, candidate.id))
        .collect();
    let rows = cx.rows::<Hit>(&keys)?;
    let mut ranked: Vec<Ranked> = rows
        .into_iter()
        .zip(block)
        .filter_map(|(row, candidate)| {
            let hit = row.filter(|hit| hit.deleted_at.is_none() && !hit.node_type.is_empty())?;
            let texts = Texts {
                title: &hit.title,
                description: hit.description.as_deref(),
                prompt: hit.prompt.as_deref(),
            };
            Some(Ranked {
                fit: rank::fit(query, &found.weights, candidate.known, &texts),
                hit,
            })
        })
        .collect();
    ranked.sort_by(|a, b| {
        let key = |one: &Ranked| (one.stands(), one.fit.score, one.hit.id);
        key(b).cmp(&key(a))
    });
    Ok(ranked)
}

/// A page of hits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub hits: Vec<Ranked>,
    pub total: usize,
    /// The place of each hit's successor, for the cursor.
    pub next: Vec<usize>,
    /// Where the list goes on when all hits of the page are shown.
    pub end: Option<usize>,
}

/// Up to `most` hits from a place on. Places count candidates: blocks are ranked one after the other, so a later page
/// needs no earlier one.
pub(crate) fn page(
    cx: &Cx,
    query: &Query,
    found: &Candidates,
    need: Need,
    place: usize,
    most: usize,
) -> Step<Page> {
    let list = found.list(need);
    let mut page = Page {
        total: list.len(),
        ..Page::default()
    };
    let mut skip = place % BLOCK;
    let mut start = place - skip;
    for _ in 0..BLOCKS {
        let block = list.get(start.min(list.len())..).unwrap_or_default();
        let block = block.get(..BLOCK.min(block.len())).unwrap_or_default();
        if block.is_empty() || page.hits.len() >= most {
            break;
        }
        let mut ranked = read(cx, query, found, block)?;
        ranked.retain(|one| match need {
            Need::All => one.fit.is_whole(),
            Need::Most => one.fit.words.iter().any(|found| *found),
        });
        if list.len() <= BLOCK {
            page.total = ranked.len();
        }
        let hits = ranked.len();
        for (at, one) in ranked.into_iter().enumerate().skip(skip) {
            page.hits.push(one);
            page.next.push(if at + 1 < hits {
                start + at + 1
            } else {
                start + BLOCK
            });
        }
        (skip, start) = (0, start + BLOCK);
        page.end = (start < list.len()).then_some(start);
    }
    Ok(page)
}
