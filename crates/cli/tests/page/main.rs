//! The page in a real browser, served by the real program over Ghostpad's own tools.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that is not as it should be, and starts programs"
)]

mod accessibility;
mod approvals;
mod axe;
#[path = "../browser/browser.rs"]
mod browser;
mod composing;
mod conversation;
mod cook;
mod device;
mod forms;
mod html_sandbox;
mod icons;
mod markdown;
mod message_actions;
#[path = "../it/mcp/support/oauth_server.rs"]
#[allow(dead_code, reason = "these tests need a part of it")]
mod oauth_server;
#[allow(dead_code, reason = "the tests of other pages need the rest")]
mod pad;
mod panels;
#[path = "../it/support/program.rs"]
#[allow(dead_code, reason = "these tests need a part of it")]
mod program;
mod shots;
mod streaming;
mod visibility;
mod voice;
