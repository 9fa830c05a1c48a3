//! Text: what may be stored, how it is split for search, how hits are ranked, how it is shortened.

pub(crate) mod check;
mod count;
pub(crate) mod query;
pub(crate) mod rank;
mod shorten;
mod stem;
mod stop;
mod tokenize;
mod wrap;

pub(crate) use count::counted;
pub(crate) use shorten::shorten;
pub(crate) use stem::stem;
pub(crate) use tokenize::folded_words;
pub use tokenize::{distinct, tokens};
pub(crate) use wrap::{columns, wrap};
