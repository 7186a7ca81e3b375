//! Serves our tools, prompts and resources to MCP clients.
//!
//! In: requests of a client. Out: lists, results, questions to a person.
//!
//! Must hold: callers with the same permissions get the same list in the same order, and a call
//! runs only if the engine's verdict allows it.
//!
//! Start at [`McpServer`]; `call.rs` shows the whole path of a call.

mod call;
mod caller;
mod capabilities;
mod completion;
pub mod http;
mod library_watch;
mod mcp_server;
mod prompts;
mod protocol_version;
mod resources;
mod session;
mod stdio;
mod tool_list;

pub use caller::Principal;
pub use mcp_server::{
    Approvals, CONVERSATION_PREFIX, McpServer, McpServerFault, McpServerOptions, ToolExposure,
};
pub use stdio::serve_stdio;
pub use tool_list::facade::facade_bytes;
