//! JSON as a person reads it: what fits stands on one line, the rest is indented. Every token is kept as it was, so that
//! numbers and escapes are compared and written exactly.
//!
//! Owns: white space. Never: the order of keys, the form of a number or of a text. The JSON must be well-formed.

/// No line is longer, where it can be broken.
const WIDTH: usize = 120;

/// Without white space between tokens.
#[must_use]
pub fn compact(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let (mut in_text, mut escaped) = (false, false);
    for sign in json.chars() {
        if in_text {
            text.push(sign);
            in_text = escaped || sign != '"';
            escaped = sign == '\\' && !escaped;
        } else if !sign.is_ascii_whitespace() {
            text.push(sign);
            in_text = sign == '"';
        }
    }
    text
}

/// Laid out, with a final newline.
#[must_use]
pub fn pretty(json: &str) -> String {
    laid(json, WIDTH)
}

/// Laid out with every member on a line of its own, for a comparison line by line.
#[must_use]
pub fn broken(json: &str) -> String {
    laid(json, 0)
}

fn laid(json: &str, width: usize) -> String {
    let mut text = String::new();
    lay(&compact(json), (width, 0, 0), &mut text);
    text.push('\n');
    text
}

/// Writes one value; `before` is the length of what stands on its line already, behind the indent.
fn lay(value: &str, (width, indent, before): (usize, usize, usize), text: &mut String) {
    let (open, close) = match value.as_bytes().first() {
        Some(b'{') => ('{', '}'),
        Some(b'[') => ('[', ']'),
        _ => return text.push_str(value),
    };
    let line = spaced(value);
    // One more for a comma.
    if value.len() <= 2 || indent + before + line.chars().count() < width {
        return text.push_str(&line);
    }
    text.push(open);
    let inner = indent + 2;
    for (at, part) in parts(value).into_iter().enumerate() {
        text.push_str(if at == 0 { "\n" } else { ",\n" });
        text.push_str(&" ".repeat(inner));
        let key = if open == '{' { key_length(part) } else { 0 };
        let (key, inside) = part.split_at(key);
        text.push_str(key);
        if !key.is_empty() {
            text.push(' ');
        }
        lay(inside, (width, inner, key.chars().count() + 1), text);
    }
    text.push('\n');
    text.push_str(&" ".repeat(indent));
    text.push(close);
}

/// The members of a compact array or object.
fn parts(value: &str) -> Vec<&str> {
    let inside = value
        .get(1..value.len().saturating_sub(1))
        .unwrap_or_default();
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    for (at, sign) in outside_texts(inside) {
        match sign {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(inside.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(inside.get(start..).filter(|last| !last.is_empty()));
    parts
}

/// Length of `"key":`.
fn key_length(member: &str) -> usize {
    outside_texts(member)
        .find(|(_, sign)| *sign == ':')
        .map_or(0, |(at, _)| at + 1)
}

/// On one line, with a space behind each comma and colon.
fn spaced(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + value.len() / 8);
    let mut start = 0;
    for (at, sign) in outside_texts(value) {
        if matches!(sign, ',' | ':') {
            text.push_str(value.get(start..=at).unwrap_or_default());
            text.push(' ');
            start = at + 1;
        }
    }
    text.push_str(value.get(start..).unwrap_or_default());
    text
}

/// The signs that are not inside a text.
fn outside_texts(json: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut in_text, mut escaped) = (false, false);
    json.char_indices().filter(move |(_, sign)| {
        if in_text {
            in_text = escaped || *sign != '"';
            escaped = *sign == '\\' && !escaped;
            return false;
        }
        in_text = *sign == '"';
        !in_text
    })
}

#[cfg(test)]
mod tests {
    use super::{compact, pretty};

    #[test]
    fn every_token_is_kept() {
        let json = r#"{ "b" : [1.50, -0, 1e9, "a \"b, {c}: \\" ], "a":null , "é" : {} }"#;
        let kept = r#"{"b":[1.50,-0,1e9,"a \"b, {c}: \\"],"a":null,"é":{}}"#;
        assert_eq!(compact(json), kept);
        assert_eq!(compact(&pretty(json)), kept);
    }

    #[test]
    fn what_fits_stands_on_one_line() {
        assert_eq!(
            pretty(r#"{"a":[1,2],"b":{}}"#),
            "{\"a\": [1, 2], \"b\": {}}\n"
        );
        let long = "x".repeat(100);
        let json = format!(r#"{{"key":[{{"a":"{long}"}},{{"b":1}}],"c":2}}"#);
        let laid = format!(
            "{{\n  \"key\": [\n    {{\"a\": \"{long}\"}},\n    {{\"b\": 1}}\n  ],\n  \"c\": 2\n}}\n"
        );
        assert_eq!(pretty(&json), laid);
        assert_eq!(pretty(&laid), laid);
    }
}
