//! Answers questions from the graph: lexical and structural, without a model.
//!
//! ```text
//! question -> words, hints -> anchors (rare words, read and ranked) -> evidence along the graph -> reasons and options
//! ```
//! Owns: what an answer holds. Never: a claim that no node makes.

mod evidence;
mod question;
mod told;

pub(crate) use question::Scope;
pub(crate) use told::Output;

use crate::answer::Answer;
use crate::around;
use crate::chain::Reason;
use crate::cx::{Cx, row};
use crate::graph::Graph;
use crate::ledger::LOCAL;
use crate::model::{EdgeType, NodeType, node_key};
use crate::page::Pages;
use crate::refuse::{Step, bad_argument, stop};
use crate::rules::choices::{self, Choice};
use crate::rules::succession;
use crate::search::{self, Candidate, Candidates, Need, Ranked};
use evidence::Evidence;
use question::Question;
use std::collections::BTreeSet;

/// Candidates whose texts are read: of all, and again of those in the scope.
const READ: usize = 40;
/// Anchors from which the graph is followed.
const ANCHORS: usize = 8;
/// Results of a page unless the caller says how many.
const PAGE: u32 = 8;
/// Options, reasons, and neighbours in each direction told of each result.
const OPTIONS: usize = 8;
const REASONS: usize = 4;
const NEIGHBOURS: usize = 5;
/// A node that the question names by number.
const NAMED: u64 = 1 << 40;

/// What is asked.
pub(crate) struct Ask {
    pub question: String,
    pub scope: Scope,
    pub context: bool,
    pub limit: Option<u32>,
    pub cursor: Option<crate::args::Word>,
}

row! {
    /// What a result shows of a node.
    pub struct Told in "node" {
        id: u32,
        node_type: String,
        title: String,
        description: Option<String>,
        status: String,
        branch: Option<String>,
        created_at: i64,
        created_text: Option<String>,
    }
}

/// An edge by its key.
type EdgeKey = (u32, u32, EdgeType);

/// What the columns say of one result, by local numbers.
#[derive(Clone, Debug, Default)]
struct Place {
    id: u32,
    why: String,
    options: Vec<Choice>,
    parents: Vec<EdgeKey>,
    neighbours: Vec<(u32, EdgeKey)>,
    successor: Option<u32>,
}

/// The index's candidates: of all nodes, and of those in the scope.
#[derive(Debug, Default)]
struct Heard {
    all: Candidates,
    scoped: Candidates,
    /// Numbers in the question that no live node has.
    unknown: Vec<u32>,
}

/// A page of results, and how many there are.
#[derive(Debug, Default)]
struct Places {
    page: Vec<Place>,
    total: usize,
}

pub(crate) fn answer(cx: &Cx, ask: Ask) -> Step<Answer<Output>> {
    let question = Question::read(&ask.question);
    if !question.asks() {
        return stop(bad_argument(
            "question",
            "names nothing to look for",
            "name the thing, a type or a status: `why Postgres?`, `which options were rejected?`",
        ));
    }
    let pages = Pages::read(Some(ask.limit.unwrap_or(PAGE)), ask.cursor.clone())?;
    let heard = cx.once("heard", || hear(cx, &question, ask.scope))?;
    let (all, scoped) = (
        cx.once("read of all", || read(cx, &question, &heard.all)),
        cx.once("read of the scope", || read(cx, &question, &heard.scoped)),
    );
    let (all, scoped) = (all?, scoped?);
    let absent = absent(&question, &heard, &all);
    let places = cx.once("places", || {
        places(&*cx.graph(LOCAL)?, &question, &ask, &pages, [&all, &scoped])
    })?;
    let ids: Vec<u32> = places.page.iter().map(|place| place.id).collect();
    let rows = cx.rows::<Told>(
        &ids.iter()
            .map(|id| node_key(LOCAL, *id))
            .collect::<Vec<_>>(),
    );
    let others = places.page.iter().flat_map(|place| {
        let options = place.options.iter().map(|choice| choice.option);
        options
            .chain(place.neighbours.iter().map(|(id, _)| *id))
            .chain(place.parents.iter().map(|edge| edge.0))
            .chain(place.successor)
    });
    let briefs = around::briefs(cx, others);
    let edges: BTreeSet<EdgeKey> = places
        .page
        .iter()
        .flat_map(|place| {
            let options = place.options.iter().map(|choice| choice.edge);
            options
                .chain(place.parents.iter().copied())
                .chain(place.neighbours.iter().map(|(_, edge)| *edge))
        })
        .collect();
    let keys: Vec<_> = edges
        .iter()
        .map(|(from, to, kind)| {
            vec![
                LOCAL.into(),
                (*from).into(),
                (*to).into(),
                kind.name().into(),
            ]
        })
        .collect();
    let reasons = cx.rows::<Reason>(&keys);
    let (rows, briefs, reasons) = (rows?, briefs?, reasons?);
    let reasons = edges
        .into_iter()
        .zip(reasons)
        .filter_map(|(edge, row)| Some((edge, row?.rationale?)))
        .collect();
    let told = told::Material {
        places: &places,
        rows,
        briefs,
        reasons,
    };
    let output = told.output(absent, ask.limit.is_some(), |shown| {
        pages.after(shown, places.total)
    });
    let (lead, next) = told::said(&output);
    Ok(Answer::new(output)
        .lead(lead)
        .next(next)
        .view(cx, told::draw))
}

fn hear(cx: &Cx, question: &Question, scope: Scope) -> Step<Heard> {
    // Both are asked for before the first stop.
    let (graph, all) = (
        cx.graph(LOCAL),
        search::candidates(cx, &question.query, &|_| true),
    );
    let (graph, all) = (graph?, all?);
    let unknown = question
        .numbers
        .iter()
        .copied()
        .filter(|id| live(&graph, *id).is_none())
        .collect();
    let scoped = if scope == Scope::All {
        Candidates::default()
    } else {
        let newest = graph.newest()?;
        search::candidates(cx, &question.query, &|id| {
            live(&graph, id)
                .is_some_and(|position| evidence::in_scope(&graph, scope, &newest, position))
        })?
    };
    Ok(Heard {
        all,
        scoped,
        unknown,
    })
}

fn live(graph: &Graph, id: u32) -> Option<u32> {
    graph
        .position(id)
        .filter(|position| graph.node(*position).is_some_and(|node| node.is_live()))
}

fn read(cx: &Cx, question: &Question, found: &Candidates) -> Step<Vec<Ranked>> {
    let list = found.list(Need::Most);
    let block: Vec<&Candidate> = list.into_iter().take(READ).collect();
    search::read(cx, &question.query, found, &block)
}

/// The named things of which the graph holds nothing.
fn absent(question: &Question, heard: &Heard, read: &[Ranked]) -> Vec<String> {
    let words = question.query.words.iter().zip(&heard.all.present);
    let missing: Vec<String> = words
        .clone()
        .filter(|(word, present)| !**present && word.named)
        .map(|(word, _)| word.text.clone())
        .collect();
    // When nothing that was asked for is there, every word is worth naming.
    let none = !question.query.words.is_empty() && words.clone().all(|(_, present)| !present);
    let mut absent = if none {
        words.map(|(word, _)| word.text.clone()).collect()
    } else {
        missing
    };
    if heard.all.complete && heard.all.list(Need::Most).len() <= READ {
        let phrases = question.query.phrases.iter().enumerate();
        let unheard = phrases.filter(|(at, _)| {
            !read
                .iter()
                .any(|one| one.fit.phrases.get(*at) == Some(&true))
        });
        absent.extend(unheard.map(|(_, (written, _))| written.clone()));
    }
    absent.extend(heard.unknown.iter().map(|id| format!("#{id}")));
    absent
}

fn places(
    graph: &Graph,
    question: &Question,
    ask: &Ask,
    pages: &Pages,
    read: [&[Ranked]; 2],
) -> Step<Places> {
    let newest = graph.newest()?;
    let mut anchors: Vec<Evidence> = Vec::new();
    for id in &question.numbers {
        anchors.extend(live(graph, *id).map(|position| Evidence {
            position,
            score: NAMED,
            why: "is named in the question".into(),
        }));
    }
    for ranked in read {
        let best = ranked.iter().map(|one| one.fit.score).max().unwrap_or(0);
        let near = ranked
            .iter()
            .filter(|one| one.fit.score > 0 && one.fit.score * 4 >= best)
            .take(ANCHORS);
        anchors.extend(near.filter_map(|one| {
            Some(Evidence {
                position: live(graph, one.hit.id)?,
                score: one.fit.score,
                why: format!("speaks of it ({})", one.fit.reason()).into(),
            })
        }));
    }
    let found = if anchors.is_empty() && question.query.words.is_empty() {
        evidence::hinted(graph, question, &newest, ask.scope)
    } else {
        let mut found = evidence::gather(graph, question, anchors);
        found.retain(|one| evidence::in_scope(graph, ask.scope, &newest, one.position));
        found
    };
    let place = |one: &Evidence| Place {
        id: graph.id(one.position),
        why: one.why.to_string(),
        options: if graph.kind(one.position) == Some(NodeType::Decision) {
            choices::options(graph, one.position)
                .into_iter()
                .take(OPTIONS)
                .collect()
        } else {
            Vec::new()
        },
        parents: evidence::parents(graph, one.position, REASONS),
        neighbours: if ask.context {
            evidence::neighbours(graph, one.position, NEIGHBOURS)
        } else {
            Vec::new()
        },
        successor: succession::in_graph(graph, one.position).map(|position| graph.id(position)),
    };
    Ok(Places {
        page: pages.slice(&found).iter().map(place).collect(),
        total: found.len(),
    })
}
