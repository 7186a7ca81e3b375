//! The engine against real servers: the conformance suite, SQLite beside it, and faults.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test reports where")]

mod conformance;
mod export;
mod faults;
mod model;
mod nodes;
mod open;
mod subject;
