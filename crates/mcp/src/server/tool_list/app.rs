//! A tool with a form or a widget as an MCP App: a page that hosts draw beside its result.
//!
//! The page is the same for every tool and carries the tool's own definition. Whoever cannot
//! draw it loses nothing: the result's text is complete.

use std::sync::Arc;

use engine::ToolFilter;
use registry::Tool;
use rmcp::ErrorData;
use rmcp::model::{JsonObject, MetaObject, ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};

use super::door::Door;
use super::shelf::{Item, Shelf};

/// The extension's name among capabilities.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/ui";
pub(super) const MIME_TYPE: &str = "text/html;profile=mcp-app";
const ADDRESS: &str = "ui://ghosthand/";
const PAGE: &str = include_str!("app.html");

/// What a listed tool says about its page.
pub(super) fn meta(tool: &Tool, name: &str) -> Option<MetaObject> {
    tool.ui.as_ref()?;
    let uri = uri(name);
    let meta = json!({
        "ui": { "resourceUri": uri, "visibility": ["model", "app"] },
        // Hosts of before the extension was final look here.
        "ui/resourceUri": uri,
    });
    meta.as_object().cloned().map(MetaObject)
}

fn uri(name: &str) -> String {
    format!("{ADDRESS}{name}")
}

/// Is this the address of a page, be it there or not?
pub(super) fn is_page(uri: &str) -> bool {
    uri.starts_with(ADDRESS)
}

impl Door {
    /// The pages this caller may see.
    pub(super) fn pages(&self, allowed: &ToolFilter) -> Vec<Resource> {
        let shelf = self.shelf();
        let page = |(name, item): (&String, &Item)| {
            let mut resource = Resource::new(uri(name), name.clone());
            resource.title = Some(label(&item.tool));
            resource.mime_type = Some(MIME_TYPE.to_owned());
            resource
        };
        with_page(&shelf, allowed).map(page).collect()
    }

    pub(super) fn page(
        &self,
        uri: &str,
        allowed: &ToolFilter,
    ) -> Result<ReadResourceResult, ErrorData> {
        let shelf = self.shelf();
        let name = uri.strip_prefix(ADDRESS).unwrap_or_default();
        let Some((_, item)) = with_page(&shelf, allowed).find(|(known, _)| *known == name) else {
            let message = "there is no such resource; resources/list has all there are";
            return Err(ErrorData::resource_not_found(message, Some(json!({ "uri": uri }))));
        };
        let contents = ResourceContents::TextResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(MIME_TYPE.to_owned()),
            text: html(item),
            // Nothing is fetched and nothing is asked for: the host's own limits are enough.
            meta: Some(MetaObject(object(&json!({ "ui": { "prefersBorder": true } })))),
        };
        Ok(ReadResourceResult::new(vec![contents]))
    }
}

fn with_page<'a>(
    shelf: &'a Arc<Shelf>,
    allowed: &'a ToolFilter,
) -> impl Iterator<Item = (&'a String, &'a Item)> {
    shelf.items.iter().filter(|(_, item)| item.tool.ui.is_some() && allowed.allows(item.id()))
}

fn html(item: &Item) -> String {
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

pub(super) fn object(value: &Value) -> JsonObject {
    value.as_object().cloned().unwrap_or_default()
}
