//! MCP both ways, through the whole program.

#![allow(
    clippy::needless_pass_by_value,
    clippy::print_stderr,
    reason = "a test reads best by value, and says when it was skipped"
)]

mod app;
mod asking;
mod client;
mod fixtures;
mod importing;
mod installing;
mod listening;
mod over_http;
mod peers;
mod serving;
