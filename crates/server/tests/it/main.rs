//! The server over real sockets, with a scripted model at the far side.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on says where"
)]

mod agui;
mod auth;
mod call_tool;
mod cards;
mod conversation;
mod conversation_index;
mod export;
mod features;
mod kv;
mod openapi;
mod overload;
mod owners;
mod personas;
mod rendering;
mod rewind;
mod shutdown;
mod support;
mod telemetry;
