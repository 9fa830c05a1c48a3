//! Where a node comes from: branch, commit, files.

use crate::args::Word;
use crate::cx::Cx;
use crate::refuse::{Step, bad_argument, stop};
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
