//! The server over real sockets, with a scripted model at the far side.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on says where"
)]

mod agui;
mod call;
mod cards;
mod client;
mod document;
mod door;
mod files;
mod forms;
mod frozen;
mod game;
mod keys;
mod owners;
mod parting;
mod people;
mod rendering;
mod shelf;
mod spans;
mod taken;
mod talk;
mod world;
