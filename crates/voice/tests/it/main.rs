//! Whole sessions, on every road, by scripts.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that is not as it should be, and reads well"
)]

mod support;

mod approvals;
mod calls;
mod connections;
mod endings;
mod forms;
mod interruptions;
mod roads;

mod docs;
mod properties;
mod sdk_types;
