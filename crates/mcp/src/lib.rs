//! MCP in both directions: serves our tools to MCP clients and imports the tools of other
//! servers.
//!
//! - [`server`]: an MCP server over stdio or HTTP, for both generations of the protocol.
//! - [`client`]: the tools of other servers, pinned, sandboxed and subject to our policy.
//! - [`library`]: the prompts and resources of a project.
//!
//! Must hold: a call that arrives over MCP is checked, decided and recorded like any other, and
//! only this crate depends on `rmcp`.
//!
//! Start at [`server::McpServer`] and [`client::McpHost`].

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

pub mod client;
pub mod library;
pub mod server;
