//! Providers on loopback: added with a real request, listed, removed, found.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "a failing test reports where"
)]

mod embedding;
mod keeping;
mod listing;
mod local;
mod rebinding;
mod world;
