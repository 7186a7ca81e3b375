//! Tests of the wires with recordings, of bodies with goldens, of the client with a server.

#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    reason = "tests panic on failure"
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
