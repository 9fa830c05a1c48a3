//! Bounded answers: how much fits, and where to go on.
//!
//! A cursor of a list that the core holds whole is the place in it, as text. Lists that grow at their far end keep
//! their places while they are paged; others go on behind a key ([`key_after`]).

use crate::args::{Limit, Word};
use crate::refuse::{Step, bad_argument, stop};
use crate::text::shorten;
use deciduous_boundary::Refusal;
use serde::Serialize;

/// About how many bytes a list takes unless the caller asks for a page size.
pub(crate) const OUTPUT_BYTES: usize = 20_000;
/// No page of a list can hold more items than this when the smallest of them fill [`OUTPUT_BYTES`].
const MOST_FITTING: usize = 250;

/// The cursor of a list that is read by key: the key of the last item shown. Such a list keeps its place whatever is
/// added or taken away at either end while it is paged.
pub(crate) fn key_cursor<const N: usize>(key: [i64; N]) -> String {
    let parts: Vec<String> = key.iter().map(i64::to_string).collect();
    format!("k{}", parts.join("."))
}

/// The key behind which a list goes on; none at its beginning.
pub(crate) fn key_after<const N: usize>(cursor: Option<&Word>) -> Step<Option<[i64; N]>> {
    let Some(Word(text)) = cursor.filter(|cursor| !cursor.0.is_empty()) else {
        return Ok(None);
    };
    let parts = text.strip_prefix('k').and_then(|key| {
        let parts: Result<Vec<i64>, _> = key.split('.').map(str::parse).collect();
        <[i64; N]>::try_from(parts.ok()?).ok()
    });
    match parts {
        Some(key) => Ok(Some(key)),
        None => stop(no_cursor(text)),
    }
}

pub(crate) fn no_cursor(text: &str) -> Refusal {
    bad_argument(
        "cursor",
        format!("`{}` is no cursor of this list", shorten(text, 60)),
        "pass the `cursor` of the former page, or leave it out",
    )
}

/// The `most` least items in their order, without sorting what is not shown.
pub(crate) fn least<T: Ord>(mut items: Vec<T>, most: usize) -> Vec<T> {
    if most < items.len() {
        items.select_nth_unstable(most);
        items.truncate(most);
    }
    items.sort_unstable();
    items
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pages {
    start: usize,
    limit: Option<usize>,
}

impl Pages {
    pub(crate) fn new(limit: Option<Limit>, cursor: Option<Word>) -> Step<Self> {
        Pages::read(limit.map(|limit| limit.0), cursor)
    }

    /// `limit` none: as much as fits.
    pub(crate) fn read(limit: Option<u32>, cursor: Option<Word>) -> Step<Self> {
        let start = match cursor {
            None => 0,
            Some(Word(text)) if text.is_empty() => 0,
            Some(Word(text)) => match text.strip_prefix('c').and_then(|place| place.parse().ok()) {
                Some(place) => place,
                None => return stop(no_cursor(&text)),
            },
        };
        Ok(Pages {
            start,
            limit: limit.map(|limit| limit as usize),
        })
    }

    /// The items that may be on the page, before their sizes are known.
    pub(crate) fn slice<'a, T>(&self, items: &'a [T]) -> &'a [T] {
        let rest = items.get(self.start.min(items.len())..).unwrap_or_default();
        rest.get(..self.limit.unwrap_or(MOST_FITTING).min(rest.len()))
            .unwrap_or_default()
    }

    /// How many items can be on the page, before their sizes are known.
    pub(crate) fn most(&self) -> usize {
        self.limit.unwrap_or(MOST_FITTING)
    }

    /// How many bytes the page may take.
    pub(crate) fn bytes(&self) -> usize {
        if self.limit.is_some() {
            usize::MAX
        } else {
            OUTPUT_BYTES
        }
    }

    pub(crate) fn bound(&self, fitting: usize) -> usize {
        self.limit.unwrap_or(usize::MAX).min(fitting)
    }

    /// The cursor behind `shown` items, where there are more.
    pub(crate) fn after(&self, shown: usize, total: usize) -> Option<String> {
        let place = self.start + shown;
        (shown > 0 && place < total).then(|| format!("c{place}"))
    }
}

/// How many of `items` fit into `bytes` of JSON; at least one where there is one.
pub(crate) fn fitting<T: Serialize>(items: &[T], bytes: usize) -> usize {
    let mut used = 0_usize;
    for (count, item) in items.iter().enumerate() {
        used = used.saturating_add(serde_json::to_string(item).map_or(0, |json| json.len() + 1));
        if used > bytes && count > 0 {
            return count;
        }
    }
    items.len()
}
