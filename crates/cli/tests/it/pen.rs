//! Ghostpen through the whole program.

mod answers;
mod approvals;
mod dot_env;
mod edits;
mod offline;
mod page_api;
mod profiles;
mod resume;
mod reuse;
mod session;
mod support;
mod tools;
