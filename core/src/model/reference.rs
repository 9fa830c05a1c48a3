//! How a caller names a node.
//!
//! A number or all digits (`42`, `"42"`, `"#42"`) is always the local number; a full UUID is itself; anything else is
//! a prefix of a UUID, at least 6 characters holding a letter. `@` in front makes any prefix one. Nothing is guessed.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeRef {
    Number(u32),
    /// Lower case, with hyphens.
    ChangeId(String),
    /// Lower-case hexadecimal digits and hyphens.
    Prefix(String),
}

impl NodeRef {
    pub(crate) fn read(value: &Value) -> Option<NodeRef> {
        match value {
            Value::Number(number) => number
                .as_u64()
                .or_else(|| {
                    // Some clients write every number as a float.
                    let float = number.as_f64().filter(|float| float.fract() == 0.0);
                    float
                        .filter(|float| (1.0..=f64::from(u32::MAX)).contains(float))
                        .map(|float| float as u64)
                })
                .and_then(|number| u32::try_from(number).ok())
                .filter(|number| *number > 0)
                .map(NodeRef::Number),
            Value::String(text) => NodeRef::parse(text.trim()),
            _ => None,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<NodeRef> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return digits
                .parse()
                .ok()
                .filter(|number| *number > 0)
                .map(NodeRef::Number);
        }
        let (forced, prefix) = text
            .strip_prefix('@')
            .map_or((false, text), |rest| (true, rest));
        let prefix = prefix.to_ascii_lowercase();
        let legal = prefix
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        if prefix.len() == 36 && uuid::Uuid::try_parse(&prefix).is_ok() {
            return Some(NodeRef::ChangeId(prefix));
        }
        let lettered = prefix.bytes().any(|byte| byte.is_ascii_alphabetic());
        (legal && (6..36).contains(&prefix.len()) && (forced || lettered))
            .then_some(NodeRef::Prefix(prefix))
    }
}

impl std::fmt::Display for NodeRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NodeRef::Number(number) => write!(f, "#{number}"),
            NodeRef::ChangeId(id) => f.write_str(id),
            NodeRef::Prefix(prefix) => write!(f, "@{prefix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NodeRef;

    #[test]
    fn digits_are_numbers_and_nothing_else() {
        assert_eq!(NodeRef::parse("#42"), Some(NodeRef::Number(42)));
        assert_eq!(NodeRef::parse("248612"), Some(NodeRef::Number(248_612)));
        assert_eq!(
            NodeRef::parse("@248612"),
            Some(NodeRef::Prefix("248612".into()))
        );
        assert_eq!(
            NodeRef::parse("24861a"),
            Some(NodeRef::Prefix("24861a".into()))
        );
        for bad in [
            "",
            "#",
            "0",
            "-1",
            "abc",
            "24861g",
            "4294967296",
            "@",
            "@12345",
        ] {
            assert_eq!(NodeRef::parse(bad), None, "{bad}");
        }
    }
}
