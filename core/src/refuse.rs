//! Refusals: what a caller did wrong and what to do next. Data, never a panic.

use deciduous_boundary::Refusal;

/// Why a tool stopped before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A fact is missing; the want is recorded and the tool runs again when it is known.
    Need,
    Refuse(Box<Refusal>),
}

/// What a step of a tool gives: a value, or the reason to stop.
pub(crate) type Step<T> = Result<T, Stop>;

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Stop::Refuse(Box::new(refusal))
    }
}

pub(crate) fn refusal(status: u16, message: impl Into<String>, next: impl Into<String>) -> Refusal {
    Refusal {
        status,
        message: message.into(),
        next: next.into(),
        errors: Default::default(),
    }
}

/// 400: the argument `field` is wrong because of `reason`.
pub(crate) fn bad_argument(
    field: &str,
    reason: impl Into<String>,
    next: impl Into<String>,
) -> Refusal {
    let reason = reason.into();
    let mut refused = refusal(400, format!("`{field}` {reason}"), next);
    refused.errors.insert(field.to_owned(), reason);
    refused
}

/// Stops with a refusal.
pub(crate) fn stop<T>(refused: Refusal) -> Step<T> {
    Err(refused.into())
}
