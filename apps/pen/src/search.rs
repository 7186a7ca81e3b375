//! Web search.
