//! Sessions in real time: real sockets, a real engine and store; the far sides are played.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that is not as it should be, and reads well"
)]

mod answers;
mod forms;
mod roads;
mod sockets;
mod support;
