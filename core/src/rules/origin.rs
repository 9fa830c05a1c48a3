//! Where a node comes from: branch, commit, files, and when.

use crate::args::Word;
use crate::cx::Cx;
use crate::refuse::{Step, bad_argument, stop};
use crate::text::shorten;
use crate::time;
use deciduous_boundary::Millis;
use unicode_normalization::UnicodeNormalization;

/// The branch as given; the checked-out one when the argument is missing; none when it is empty.
pub(crate) fn branch(cx: &Cx, given: Option<Word>) -> Step<Option<String>> {
    match given {
        Some(Word(name)) if name.is_empty() => Ok(None),
        Some(Word(name)) => Ok(Some(name)),
        None => cx.branch(),
    }
}

/// A full hash as given; `HEAD` becomes one or is refused.
pub(crate) fn commit(cx: &Cx, given: Option<Word>) -> Step<Option<String>> {
    match given {
        Some(Word(rev)) if rev.eq_ignore_ascii_case("head") => match cx.commit("HEAD")? {
            Some(hash) => Ok(Some(hash)),
            None => stop(bad_argument(
                "commit",
                "is `HEAD`, but there is no commit here",
                "commit first, or give a hash",
            )),
        },
        Some(Word(rev)) if rev.is_empty() => Ok(None),
        given => Ok(given.map(|rev| rev.0)),
    }
}

/// A clock may be so far behind that of whoever names a date.
const AHEAD: Millis = 24 * 60 * 60 * 1_000;

/// When something really happened, where that was said. What is no date, or lies ahead, is refused.
pub(crate) fn date(cx: &Cx, given: Option<&Word>) -> Step<Option<Millis>> {
    let Some(Word(text)) = given.filter(|given| !given.0.is_empty()) else {
        return Ok(None);
    };
    match time::read(text) {
        Some(at) if at <= cx.now() + AHEAD => Ok(Some(at)),
        Some(_) => stop(bad_argument(
            "date",
            format!("lies in the future: `{}`", shorten(text, 40)),
            "give the day it happened, or leave it out for now",
        )),
        None => stop(bad_argument(
            "date",
            format!("is no date: `{}`", shorten(text, 40)),
            "give a date such as 2026-01-15, or 2026-01-15T09:00:00Z",
        )),
    }
}

/// Paths as they are kept and compared: `/` between parts, NFC, each once.
pub(crate) fn paths(given: Vec<String>) -> Vec<String> {
    let mut paths: Vec<String> = Vec::with_capacity(given.len());
    for path in given {
        let path: String = path.replace('\\', "/").nfc().collect();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}
