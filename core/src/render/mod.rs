//! Renderings: views for a terminal, and documents (DOT, Markdown).

pub(crate) mod dot;
pub(crate) mod excerpt;
#[cfg(test)]
mod hostile;
mod markdown;
pub(crate) mod story;
pub(crate) mod view;
pub(crate) mod writeup;
