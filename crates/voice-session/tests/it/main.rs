//! Sessions in real time: real sockets, a real engine and store; the far sides are played.

#![allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")]
#![allow(clippy::wildcard_enum_match_arm, reason = "tests look at one case")]

mod answers;
mod roads;
mod sockets;
mod support;
