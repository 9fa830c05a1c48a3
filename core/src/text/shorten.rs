//! Shortening for messages and pictures, never in the middle of a character.

/// At most `most` characters, the last of them an ellipsis where something was left out.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let cut = text
                .char_indices()
                .nth(most.saturating_sub(1))
                .map_or(0, |(at, _)| at);
            format!("{}…", text.get(..cut).unwrap_or_default().trim_end())
        }
    }
}
