//! How themes are named and coloured.

use crate::refuse::{Step, bad_argument, stop};
use crate::text::shorten;
use unicode_normalization::UnicodeNormalization;

/// The colour of a theme that names none.
pub(crate) const DEFAULT_COLOR: &str = "#6b7280";
const NAME_CHARS: usize = 64;

/// A name as it is kept: lower case, parts joined by dashes. Case, blanks and underscores are put right; other signs
/// are refused, with what the name would be without them.
pub(crate) fn name(given: &str) -> Step<String> {
    let kept = folded(given);
    let bare = kept
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    let next = if bare.is_empty() {
        "give a name such as `search-quality`".to_owned()
    } else {
        format!("call it `{}`", shorten(&bare, NAME_CHARS))
    };
    if bare.is_empty() {
        return stop(bad_argument("name", "holds no letter and no digit", next));
    }
    if let Some(odd) = kept.chars().find(|c| !c.is_alphanumeric() && *c != '-') {
        return stop(bad_argument(
            "name",
            format!(
                "`{}` holds `{odd}`; letters, digits and dashes are taken",
                shorten(given, 80)
            ),
            next,
        ));
    }
    let length = kept.chars().count();
    if length > NAME_CHARS {
        return stop(bad_argument(
            "name",
            format!("is {length} characters long; at most {NAME_CHARS} are taken"),
            "give a shorter one; `description` has room",
        ));
    }
    Ok(kept)
}

/// A name with its case, blanks, underscores and dashes put right.
pub(crate) fn folded(given: &str) -> String {
    let lower: String = given.nfc().flat_map(char::to_lowercase).collect();
    let parts = lower
        .split(|c: char| matches!(c, '-' | '_') || c.is_whitespace())
        .filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

/// `#rrggbb`, in lower case; three digits stand for six.
pub(crate) fn color(given: &str) -> Step<String> {
    let digits = given
        .strip_prefix('#')
        .unwrap_or(given)
        .to_ascii_lowercase();
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match digits.len() {
        6 if is_hex => Ok(format!("#{digits}")),
        3 if is_hex => Ok(digits.chars().fold("#".to_owned(), |color, digit| {
            format!("{color}{digit}{digit}")
        })),
        _ => stop(bad_argument(
            "color",
            format!("`{}` is no colour", shorten(given, 40)),
            "write it as `#rrggbb`, such as `#0b7285`",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{color, name};

    #[test]
    fn names_are_put_right_or_refused() {
        for (given, kept) in [
            ("auth", "auth"),
            ("Search Quality", "search-quality"),
            ("a__b", "a-b"),
            ("-x-", "x"),
            ("Größe", "größe"),
        ] {
            assert_eq!(name(given).ok().as_deref(), Some(kept), "{given}");
        }
        for bad in ["", " ", "a/b", "a.b", "---", "🎉", &"x".repeat(65)] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn colours_have_six_digits() {
        for (given, kept) in [
            ("#0B7285", "#0b7285"),
            ("0b7285", "#0b7285"),
            ("#fa0", "#ffaa00"),
        ] {
            assert_eq!(color(given).ok().as_deref(), Some(kept), "{given}");
        }
        for bad in ["", "red", "#12", "#12345g", "#1234567", "#ééé"] {
            assert!(color(bad).is_err(), "{bad}");
        }
    }
}
