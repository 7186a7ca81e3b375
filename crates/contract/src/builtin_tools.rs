//! The ids of built-in tools, which no other tool may have.

/// Looks up earlier calls of a conversation.
pub const QUERY_TOOL_MEMORY: &str = "query_tool_memory";

/// Returns the rest of a truncated result to an MCP client.
pub const READ_RESULT: &str = "read_result";

/// Searches the documents of a person's folders.
pub const SEARCH_DOCUMENTS: &str = "search_documents";

/// Reads a part of such a document.
pub const READ_DOCUMENT: &str = "read_document";

/// All of them.
pub const BUILTIN_TOOLS: [&str; 4] =
    [QUERY_TOOL_MEMORY, READ_RESULT, SEARCH_DOCUMENTS, READ_DOCUMENT];
