//! Ghostpen's clients of other people's servers: Notion and web search.
//!
//! Start at [`notion::Client`] and [`search::Search`].

pub mod notion;
pub mod search;
