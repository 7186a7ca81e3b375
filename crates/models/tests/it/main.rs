//! The wires against recordings, the bodies against goldens, the client against a server.

#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that is not as it should be, and reads well"
)]

mod asking;
mod batches;
mod bodies;
mod conversation;
mod exchange;
mod far_side;
mod faults;
mod goldens;
mod hostile;
mod listing;
mod no_answer;
mod recordings;
mod rounds;
mod scenarios;
mod server;
mod tls;
