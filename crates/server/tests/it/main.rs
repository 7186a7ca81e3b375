//! The server over real sockets, with a scripted model.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "a failing test reports where"
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
mod models;
mod openapi;
mod overload;
mod owners;
mod personas;
mod rendering;
mod rewind;
mod shutdown;
mod support;
mod telemetry;
