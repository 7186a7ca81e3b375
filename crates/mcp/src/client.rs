//! Imports the tools of other MCP servers: pinned, limited and subject to our policy.
//!
//! In: the operator's configuration ([`ServerConfig`]) and the approved definitions
//! ([`McpLock`]). Out: tools for the registry ([`import_tools`]) and a host that runs them
//! ([`McpHost`]).
//!
//! Must hold: a definition without a person's approval is never offered or called; a server's
//! claims about its tools decide at most whether a person is asked; everything a server sends is
//! bounded by our limits.

mod connection;
mod definition;
mod host;
mod listing;
mod mcp_lock;
mod oauth;
mod package_runner;
mod readable_files;
mod sanitize;
mod server_config;
mod to_tool;

pub use connection::fault::{ConnectionFault, NotInstalled};
pub use connection::{Connection, ConnectionState, OnListing};
pub use definition::Definition;
pub use host::{McpHost, call_pinned, failed_call, load_seen, not_dry, place_of, save_seen};
pub use listing::Listing;
pub use mcp_lock::{DefinitionChange, MCP_LOCK_FILE, McpLock, McpLockFault};
pub use oauth::{
    Grant, KeeperLock, KeepsLogin, KeptLogin, Login, LoginFault, LoginFile, LoginState, LoginStore,
    OAuth, Redirect, keeps_tokens_private,
};
pub use sanitize::sanitize;
pub use server_config::{
    AskWhen, BadServerName, Effect, ElicitationPolicy, Endpoint, Formats, Limits, ServerConfig,
    ServerName, ServerProgram,
};
pub use to_tool::{ImportedTools, MCP_HANDLER_PREFIX, import_tools};
