//! Light English stemming: plurals and the commonest verb endings, nothing that changes a word's sense.

/// The stem of a lower-case word. Words that are short or not plain ASCII letters stay as they are.
pub(crate) fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let base = singular(word);
    let base = ["ing", "ed"]
        .iter()
        .find_map(|ending| base.strip_suffix(ending))
        .map_or(base, |rest| verb(rest).unwrap_or(base));
    bare(base)
}

fn singular(word: &str) -> &str {
    if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word;
    }
    if let Some(rest) = ["ies", "ied"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .filter(|rest| rest.len() >= 3)
    {
        return rest;
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) {
            return word.strip_suffix("es").unwrap_or(word);
        }
    }
    word.strip_suffix('s')
        .filter(|rest| rest.len() >= 3)
        .unwrap_or(word)
}

/// What is left of a verb without its ending, when it still looks like one: `cached` and `caching` give `cach`.
fn verb(rest: &str) -> Option<&str> {
    let vowel = rest.bytes().any(|byte| b"aeiouy".contains(&byte));
    if rest.len() < 3 || !vowel {
        return None;
    }
    let bytes = rest.as_bytes();
    match bytes {
        [.., a, b] if a == b && !b"lsz".contains(b) => rest.get(..rest.len() - 1),
        _ => Some(rest),
    }
}

/// Without the last letter that the endings above take along: `cache` as `caches`, `policy` as `policies`.
fn bare(word: &str) -> &str {
    match word.as_bytes() {
        [.., _, _, _, _, b'e'] => word.strip_suffix('e').unwrap_or(word),
        [_, .., _, before, b'y'] if !b"aeiou".contains(before) => {
            word.strip_suffix('y').unwrap_or(word)
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn forms_of_one_word_are_one_term() {
        for forms in [
            &["cache", "caches", "cached", "caching"][..],
            &["policy", "policies"],
            &["query", "queries", "queried", "querying"],
            &["retry", "retries", "retrying"],
            &["copy", "copies", "copied"],
            &["box", "boxes"],
            &["size", "sizes"],
            &["class", "classes"],
            &["match", "matches", "matched", "matching"],
            &["database", "databases"],
            &["token", "tokens"],
            &["plan", "plans", "planned", "planning"],
        ] {
            let stems: Vec<&str> = forms.iter().map(|word| stem(word)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
        }
    }

    #[test]
    fn other_words_stay_apart() {
        for (a, b) in [
            ("note", "not"),
            ("status", "stat"),
            ("process", "proces"),
            ("thing", "th"),
            ("is", "i"),
        ] {
            assert_ne!(stem(a), stem(b), "{a} {b}");
        }
    }
}
