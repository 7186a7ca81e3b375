//! What the door says it can do. It says nothing that it does not do.

#![expect(deprecated, reason = "clients of today look for logging")]

use rmcp::model::ServerCapabilities;
use serde_json::json;

use super::app;
use super::door::Inner;

pub(super) fn of(door: &Inner) -> ServerCapabilities {
    let usual = ServerCapabilities::builder()
        .enable_logging()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_resources();
    let mut capabilities = match door.offered {
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
