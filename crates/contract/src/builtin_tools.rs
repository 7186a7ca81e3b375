//! The ids of tools that the program brings itself: no tool of a person may have one.

/// Looks up what was asked earlier in a conversation.
pub const QUERY_TOOL_MEMORY: &str = "query_tool_memory";

/// Gives an MCP client the rest of a result that was cut.
pub const READ_RESULT: &str = "read_result";

/// All of them.
pub const BUILTIN_TOOLS: [&str; 2] = [QUERY_TOOL_MEMORY, READ_RESULT];
