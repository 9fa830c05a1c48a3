//! The nearest known name to a misspelt one.

/// The candidate that differs least from `name`, when it differs little.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let fold = |name: &str| name.to_lowercase().replace('-', "_");
    // A name far longer than any candidate is near none of them, and costs its square to compare.
    let folded = fold(name.get(..200).unwrap_or(name));
    if folded.len() > 400 {
        return None;
    }
    candidates
        .map(|candidate| (fold(candidate), candidate))
        .map(|(known, candidate)| (distance(&folded, &known), known, candidate))
        .filter(|(far, known, _)| {
            *far <= 1 + known.len() / 4 || folded.len() > 2 && begins_a_word(known, &folded)
        })
        .map(|(far, _, candidate)| (far, candidate))
        .min_by_key(|(far, _)| *far)
        .map(|(_, candidate)| candidate)
}

/// `type` begins a word of `node_type`; `done` does not in `abandoned`.
fn begins_a_word(known: &str, part: &str) -> bool {
    let breaks = |c: char| !c.is_alphanumeric();
    known.match_indices(part).any(|(at, _)| {
        known
            .get(..at)
            .is_some_and(|before| before.is_empty() || before.ends_with(breaks))
    })
}

/// Levenshtein's distance in characters.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = i;
        let mut last = i + 1;
        if let Some(first) = row.first_mut() {
            *first = last;
        }
        for (cell, b) in row.iter_mut().skip(1).zip(&right) {
            let changed = diagonal + usize::from(a != *b);
            diagonal = *cell;
            last = changed.min(last + 1).min(diagonal + 1);
            *cell = last;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_none() {
        let known = ["node_type", "title", "edge_type", "branch"];
        assert_eq!(nearest("nodetype", known.into_iter()), Some("node_type"));
        assert_eq!(nearest("node-type", known.into_iter()), Some("node_type"));
        assert_eq!(nearest("titel", known.into_iter()), Some("title"));
        assert_eq!(nearest("zzz", known.into_iter()), None);
    }
}
