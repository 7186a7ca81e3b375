//! The flashcards page in a real browser, served by the real program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that is not as it should be, and starts programs"
)]

#[path = "../page/axe.rs"]
mod axe;
#[path = "../browser/browser.rs"]
#[allow(dead_code, reason = "these tests need a part of it")]
mod browser;
#[path = "../it/support/far_server.rs"]
mod far_server;
mod learner;
mod offline;
#[path = "../page/pad.rs"]
#[allow(dead_code, reason = "these tests need a part of it")]
mod pad;
#[path = "../it/support/program.rs"]
#[allow(dead_code, reason = "these tests need a part of it")]
mod program;
mod push;
mod reviewer;
mod shots;
mod story;
mod usage;
