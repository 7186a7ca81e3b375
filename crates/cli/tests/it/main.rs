//! The whole program, run as a person runs it: exit code, stdout, stderr.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    reason = "a test stops at the first thing that is not as it should be, and starts programs"
)]

mod build;
mod call;
mod canary;
mod dialect;
mod envelope;
mod fixture;
mod goldens;
mod keywords;
mod killed;
mod limits;
mod lock;
mod new;
mod program;
mod samples;
mod store;
mod try_tools;
mod usage;
mod world;
