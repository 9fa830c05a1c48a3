//! Counts as a sentence says them.

/// `1 edge`, `2 edges`; `what` makes its plural with an s.
pub(crate) fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
