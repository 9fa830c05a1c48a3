//! Ranking of search hits.
