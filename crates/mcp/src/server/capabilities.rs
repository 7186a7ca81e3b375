//! The capabilities that the server declares: exactly what it implements.

#![expect(deprecated, reason = "current clients check for logging")]

use rmcp::model::ServerCapabilities;
use serde_json::json;

use super::mcp_server::Inner;
use super::tool_list::app;

pub(crate) fn of(server: &Inner) -> ServerCapabilities {
    let usual = ServerCapabilities::builder()
        .enable_logging()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_resources();
    let mut capabilities = match server.library_watch {
        None => usual.build(),
        Some(_) => usual
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .build(),
    };
    let apps = app::object(&json!({ "mimeTypes": [app::MIME_TYPE] }));
    capabilities.extensions = Some([(app::EXTENSION.to_owned(), apps)].into());
    capabilities
}
