//! Renderings: views for a terminal, and documents (DOT, Markdown).

pub(crate) mod story;
pub(crate) mod view;
