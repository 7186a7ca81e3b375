//! A tool with a form or a widget as an MCP App: a page that hosts render beside its result.
//!
//! All tools share one page, which contains the definition of the tool. Hosts that cannot render
//! it lose nothing: the text of the result is complete.

use std::sync::Arc;

use engine::ToolFilter;
use registry::Tool;
use rmcp::ErrorData;
use rmcp::model::{JsonObject, MetaObject, ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};

use super::{ListedTool, ToolList};
use crate::server::mcp_server::McpServer;

/// The name of the extension in the capabilities.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/ui";
pub(crate) const MIME_TYPE: &str = "text/html;profile=mcp-app";
const ADDRESS: &str = "ui://ghosthand/";
const PAGE: &str = include_str!("app.html");

/// The reference to the page in a tool's definition.
pub(crate) fn meta(tool: &Tool, name: &str) -> Option<MetaObject> {
    tool.ui.as_ref()?;
    let uri = uri(name);
    let meta = json!({
        "ui": { "resourceUri": uri, "visibility": ["model", "app"] },
        // Hosts that predate the final extension look here.
        "ui/resourceUri": uri,
    });
    meta.as_object().cloned().map(MetaObject)
}

fn uri(name: &str) -> String {
    format!("{ADDRESS}{name}")
}

/// Whether this is the URI of a page, existing or not.
pub(crate) fn is_page(uri: &str) -> bool {
    uri.starts_with(ADDRESS)
}

impl McpServer {
    /// The pages that this caller may see.
    pub(crate) fn pages(&self, allowed: &ToolFilter) -> Vec<Resource> {
        let tool_list = self.tool_list();
        let page = |(name, item): (&String, &ListedTool)| {
            let mut resource = Resource::new(uri(name), name.clone());
            resource.title = Some(label(&item.tool));
            resource.mime_type = Some(MIME_TYPE.to_owned());
            resource
        };
        with_page(&tool_list, allowed).map(page).collect()
    }

    pub(crate) fn page(
        &self,
        uri: &str,
        allowed: &ToolFilter,
    ) -> Result<ReadResourceResult, ErrorData> {
        let tool_list = self.tool_list();
        let name = uri.strip_prefix(ADDRESS).unwrap_or_default();
        let Some((_, item)) = with_page(&tool_list, allowed).find(|(known, _)| *known == name)
        else {
            let message = "there is no such resource; resources/list lists all of them";
            return Err(ErrorData::resource_not_found(message, Some(json!({ "uri": uri }))));
        };
        let contents = ResourceContents::TextResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(MIME_TYPE.to_owned()),
            text: html(item),
            // The page fetches nothing and needs no permission, so the host's default limits
            // suffice.
            meta: Some(MetaObject(object(&json!({ "ui": { "prefersBorder": true } })))),
        };
        Ok(ReadResourceResult::new(vec![contents]))
    }
}

fn with_page<'a>(
    tool_list: &'a Arc<ToolList>,
    allowed: &'a ToolFilter,
) -> impl Iterator<Item = (&'a String, &'a ListedTool)> {
    tool_list.tools.iter().filter(|(_, item)| item.tool.ui.is_some() && allowed.allows(item.id()))
}

fn html(item: &ListedTool) -> String {
    let tool = json!({
        "name": item.listed.name,
        "label": label(&item.tool),
        "inputSchema": item.listed.input_schema,
    });
    // Inside a script element, `<` could end it.
    PAGE.replace("__TOOL__", &tool.to_string().replace('<', "\\u003c"))
}

fn label(tool: &Tool) -> String {
    let label = tool.ui.as_ref().and_then(|ui| ui.get("label")?.as_str());
    label.unwrap_or_else(|| tool.contract.tool_id.as_str()).to_owned()
}

pub(crate) fn object(value: &Value) -> JsonObject {
    value.as_object().cloned().unwrap_or_default()
}
