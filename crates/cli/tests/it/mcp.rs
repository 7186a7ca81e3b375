//! MCP both ways, through the whole program.

#![allow(
    clippy::needless_pass_by_value,
    clippy::print_stderr,
    reason = "a test reads best by value, and says when it was skipped"
)]

mod app;
mod elicitation;
mod http;
mod import;
mod install;
mod library;
mod logging;
mod mounted;
mod oauth_login;
mod page_servers;
mod real_servers;
mod schemas;
mod self_approval;
mod stdio;
pub(crate) mod support;
mod third_party;
