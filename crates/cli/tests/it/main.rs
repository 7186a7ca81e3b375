//! The whole program, run as a person runs it: exit code, stdout, stderr.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as it should be, and starts programs"
)]

mod calls;
mod cards;
mod chat;
mod command_line;
mod mcp;
mod pen;
mod python;
#[path = "../../../registry/tests/it/python_reader.rs"]
mod python_reader;
#[path = "../../src/render/faults.rs"]
mod render;
mod serve;
mod support;
mod tools;
mod voice;
