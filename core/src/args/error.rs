//! What is wrong with arguments, on the way from serde's words to a refusal's.

use crate::args::nearest;
use crate::refuse::{bad_argument, refusal};
use crate::text::shorten;
use deciduous_boundary::Refusal;
use std::fmt::Display;

#[derive(Debug)]
pub(crate) enum ArgError {
    Unknown {
        name: String,
        nearest: Option<&'static str>,
        known: Vec<&'static str>,
    },
    Missing(&'static str),
    Wrong {
        name: String,
        reason: String,
    },
}

impl ArgError {
    pub(super) fn unknown(name: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known: Vec<_> = known.collect();
        ArgError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, known.iter().copied()),
            known,
        }
    }

    pub(super) fn wrong(name: &str, error: &impl Display) -> Self {
        let text = error.to_string();
        // serde_json adds where in the argument's own text it stood, which helps nobody here.
        let reason = text
            .rsplit_once(" at line ")
            .map_or(text.as_str(), |(reason, _)| reason);
        ArgError::Wrong {
            name: name.to_owned(),
            reason: reason.to_owned(),
        }
    }

    pub(super) fn refusal(self) -> Refusal {
        match self {
            ArgError::Unknown {
                name,
                nearest,
                known,
            } => {
                let next = match nearest {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if known.is_empty() => "this tool takes no arguments".to_owned(),
                    None => format!("known are: {}", known.join(", ")),
                };
                let name = shorten(&name, 80);
                let mut refused = refusal(400, format!("Unrecognized key `{name}`"), next);
                refused.errors.insert(name, "Unrecognized key".to_owned());
                refused
            }
            ArgError::Missing(name) => {
                bad_argument(name, "is required", format!("call again with `{name}`"))
            }
            ArgError::Wrong { name, reason } => {
                bad_argument(&name, reason, format!("correct `{name}` and call again"))
            }
        }
    }
}

impl Display for ArgError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ArgError::Unknown { name, .. } => write!(f, "Unrecognized key `{name}`"),
            ArgError::Missing(name) => write!(f, "`{name}` is required"),
            ArgError::Wrong { name, reason } => write!(f, "`{name}` {reason}"),
        }
    }
}

impl std::error::Error for ArgError {}

impl serde::de::Error for ArgError {
    fn custom<T: Display>(message: T) -> Self {
        ArgError::wrong("", &message)
    }

    fn missing_field(field: &'static str) -> Self {
        ArgError::Missing(field)
    }
}
