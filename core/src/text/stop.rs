//! Words that carry no meaning of their own in a question or a query: the one list of them.

/// Lower case, sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "get", "had", "has", "have", "how", "i", "if",
    "in", "instead", "into", "is", "it", "its", "made", "make", "me", "my", "of", "on", "or",
    "our", "say", "should", "so", "tell", "than", "that", "the", "their", "them", "there", "these",
    "they", "this", "those", "to", "us", "use", "used", "was", "we", "were", "what", "when",
    "where", "which", "who", "whose", "why", "will", "with", "would", "you", "your",
];

/// Whether a word, in lower case and before stemming, says nothing by itself.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{STOP_WORDS, is_stop_word};

    #[test]
    fn the_list_is_sorted_as_its_search_needs() {
        assert!(STOP_WORDS.is_sorted_by(|a, b| a < b));
        assert!(is_stop_word("why") && !is_stop_word("auth"));
    }
}
