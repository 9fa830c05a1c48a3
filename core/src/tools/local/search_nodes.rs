//! `search_nodes`: ranked search over titles, descriptions and prompts.

use crate::answer::Answer;
use crate::args::{AnyType, Limit, Text, Word};
use crate::cx::Cx;
use crate::ledger::LOCAL;
use crate::lookup;
use crate::page::{OUTPUT_BYTES, fitting};
use crate::refuse::{Step, bad_argument, stop};
use crate::rules::succession;
use crate::search::{self, Candidates, Need, told};
pub(crate) use crate::search::told::Output;
use crate::text::query::Query;
use crate::text::shorten;
use crate::tool::tool;
use serde::Deserialize;

/// Hits of a page unless the caller says how many.
const PAGE: usize = 20;

tool! {
    title: "Search nodes",
    about: "Find what is known before deciding anew: ranked hits in titles, descriptions and prompts, those that still hold first. \"Quotes\" keep words together.",
    effect: Read,
    cli: {
        command: &["search"],
        summary: "Search titles, descriptions and prompts",
        positions: &["query"],
        short: &[("node_type", "t"), ("branch", "b"), ("limit", "n")],
        long: &[("node_type", "type")],
        pages: &["nodes"],
        examples: &["deciduous search authentication", "deciduous search '\"token bucket\"' -t decision"]
    }
}

#[derive(Deserialize)]
#[cfg_attr(feature = "catalog", derive(schemars::JsonSchema))]
pub(crate) struct Args {
    /// Words to find
    query: Text,
    /// Only this type
    node_type: Option<AnyType>,
    /// Only this git branch
    branch: Option<Word>,
    /// Page size (default 20)
    limit: Option<Limit>,
    /// From the former page
    cursor: Option<Word>,
}

fn run(args: Args, cx: &Cx) -> Step<Answer<Output>> {
    let query = Query::read(&args.query.0);
    if query.words.is_empty() {
        return stop(bad_argument("query", "holds no word to look for", "give at least one word, or list all with list_nodes"));
    }
    let (need, place) = place(args.cursor)?;
    let most = args.limit.as_ref().map_or(PAGE, |limit| limit.0 as usize);
    let found = cx.once("candidates", || candidates(cx, &query, args.node_type.as_ref(), args.branch.as_ref()))?;
    let read = cx.once("page", || {
        let mut page = search::page(cx, &query, &found, need.unwrap_or(Need::All), place, most)?;
        let mut need = need.unwrap_or(Need::All);
        if page.hits.is_empty() && place == 0 && query.words.len() + query.phrases.len() > 1 {
            need = Need::Most;
            page = search::page(cx, &query, &found, need, place, most)?;
        }
        page.hits.truncate(most);
        Ok((need, page))
    })?;
    let (need, page) = (read.0, &read.1);
    let successors = succession::successors(cx, &page.hits.iter().map(|one| one.hit.id).collect::<Vec<_>>())?;
    let mut nodes: Vec<told::Found> = page.hits.iter().map(|one| told::found(one, successors.get(&one.hit.id).cloned())).collect();
    nodes.truncate(fitting(&nodes, if args.limit.is_some() { usize::MAX } else { OUTPUT_BYTES }));
    let next = nodes.len().checked_sub(1).and_then(|last| page.next.get(last)).copied();
    let next = if nodes.is_empty() { page.end } else { next };
    let cursor = next.filter(|place| *place < found.list(need).len()).map(|place| format!("{}{place}", letter(need)));
    let unknown_words: Vec<String> = query.words.iter().zip(&found.present).filter(|(_, present)| !**present).map(|(word, _)| word.text.clone()).collect();
    let mut notes = Vec::new();
    if !unknown_words.is_empty() {
        let named: Vec<String> = unknown_words.iter().map(|word| format!("`{}`", shorten(word, 60))).collect();
        notes.push(format!("no node holds {}", named.join(" or ")));
    }
    if need == Need::Most && !nodes.is_empty() {
        notes.push("no node holds all of it: these hold the most".to_owned());
    }
    let total_is = match (found.complete, query.phrases.is_empty() || found.list(need).len() <= search::BLOCK) {
        (false, _) => "about",
        (true, false) => "at most",
        (true, true) => "",
    };
    let output = Output { count: nodes.len(), total: page.total.max(nodes.len()), total_is, truncated: cursor.is_some(), nodes, cursor, unknown_words, notes };
    let (lead, next) = told::said(&args.query.0, &output);
    Ok(Answer::new(output).lead(lead).next(next).view(cx, told::draw))
}

fn candidates(cx: &Cx, query: &Query, kind: Option<&AnyType>, branch: Option<&Word>) -> Step<Candidates> {
    if kind.is_none() && branch.is_none() {
        return search::candidates(cx, query, &|_| true);
    }
    // Asked for before the first stop, so that the index and the columns come in one round.
    let (graph, ready) = (cx.graph(LOCAL), search::candidates(cx, query, &|_| false));
    let graph = graph?;
    let branch = branch.map(|name| lookup::branch(&graph, &name.0)).transpose()?;
    ready?;
    search::candidates(cx, query, &|id| {
        let node = graph.position(id).and_then(|position| graph.node(position));
        node.is_some_and(|node| kind.is_none_or(|kind| node.kind == Some(kind.0)) && branch.is_none_or(|branch| node.is_on(branch)))
    })
}

/// A cursor says which words were needed, and the place: `a60`, `m60`.
fn place(cursor: Option<Word>) -> Step<(Option<Need>, usize)> {
    let Some(Word(text)) = cursor.filter(|cursor| !cursor.0.is_empty()) else { return Ok((None, 0)) };
    let read = [Need::All, Need::Most].into_iter().find_map(|need| Some((Some(need), text.strip_prefix(letter(need))?.parse().ok()?)));
    match read {
        Some(read) => Ok(read),
        None => stop(bad_argument("cursor", format!("`{}` is no cursor of this list", shorten(&text, 60)), "pass the `cursor` of the former page, or leave it out")),
    }
}

fn letter(need: Need) -> char {
    if need == Need::All { 'a' } else { 'm' }
}
