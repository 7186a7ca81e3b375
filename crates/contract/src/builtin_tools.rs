//! The ids of built-in tools, which no other tool may have.

/// Looks up earlier calls of a conversation.
pub const QUERY_TOOL_MEMORY: &str = "query_tool_memory";

/// Returns the rest of a truncated result to an MCP client.
pub const READ_RESULT: &str = "read_result";

/// All of them.
pub const BUILTIN_TOOLS: [&str; 2] = [QUERY_TOOL_MEMORY, READ_RESULT];
