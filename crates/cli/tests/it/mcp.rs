//! MCP both ways, through the whole program.

#![allow(
    clippy::needless_pass_by_value,
    clippy::print_stderr,
    reason = "a test reads best by value, and says when it was skipped"
)]

mod app;
mod asking;
mod client;
mod far_login;
mod fixtures;
mod fronted;
mod importing;
mod installing;
mod library;
mod listening;
mod logging;
mod logging_in;
mod over_http;
mod own_questions;
mod peers;
mod schemas;
mod served;
mod servers;
mod serving;
mod suite;
