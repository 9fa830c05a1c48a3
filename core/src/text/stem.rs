//! Light English stemming: plurals and the commonest verb endings, nothing that changes a word's sense.

/// The stem of a lower-case word. Words that are short or not plain ASCII letters stay as they are.
pub(crate) fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let base = singular(word);
    ["ing", "ed"]
        .iter()
        .find_map(|ending| base.strip_suffix(ending))
        .map_or(base, |rest| verb(rest).unwrap_or(base))
}

fn singular(word: &str) -> &str {
    if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word;
    }
    for ending in ["sses", "shes", "ches", "xes", "zes"] {
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
