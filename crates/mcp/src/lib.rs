//! The neighbours: our tools out to MCP hosts, other servers' tools in, under our policy.
//!
//! - [`serve`]: a door to the engine for MCP clients of both protocol eras, over standard
//!   input and output or over HTTP.
//! - [`library`]: the prompts and resources of a project.
//! - [`import`]: the tools of other servers, pinned and fenced, as tools of ours.
//!
//! Must hold: a call from a neighbour is checked, judged and recorded like any other, and
//! `rmcp` is known in this crate alone.
//!
//! Start at [`serve::Door`].

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

pub mod import;
pub mod library;
pub mod serve;
