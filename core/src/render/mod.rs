//! Renderings: views for a terminal, and documents (DOT, Markdown).

pub(crate) mod view;
