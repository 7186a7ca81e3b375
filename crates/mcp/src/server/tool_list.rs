//! The tools of one registry version as MCP clients see them.

pub(crate) mod app;
pub(crate) mod facade;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::{Category, Contract, SideEffects};
use dialect::{compile, target};
use registry::{Registry, RegistryVersion, Tool};
use rmcp::model::{Icon, JsonObject, ToolAnnotations};
use serde_json::{Value, json};

/// All tools, sorted by their MCP names.
pub(crate) struct ToolList {
    pub version: RegistryVersion,
    pub tools: BTreeMap<String, ListedTool>,
}

/// A tool and its MCP definition.
pub(crate) struct ListedTool {
    pub tool: Arc<Tool>,
    pub listed: rmcp::model::Tool,
}

impl ListedTool {
    pub(crate) fn id(&self) -> &str {
        self.tool.contract.tool_id.as_str()
    }

    /// Whether its contract alone makes an approval likely.
    pub(crate) fn may_ask(&self) -> bool {
        let contract = &self.tool.contract;
        contract.requires_confirmation || contract.side_effects == SideEffects::Writes
    }
}

impl ToolList {
    pub(crate) fn of(registry: &Registry) -> Self {
        let offered = registry::exposed_tools(registry);
        let sources: Vec<_> = offered.values().map(|tool| tool.source()).collect();
        let schemas = target("mcp").map(|target| compile(&sources, target));
        let schemas: BTreeMap<_, _> = schemas
            .iter()
            .flat_map(|set| &set.tools)
            .filter_map(|tool| Some((tool.name.as_str(), tool.schema()?.as_object()?.clone())))
            .collect();
        let tools = offered.iter().filter_map(|(name, tool)| {
            let schema = schemas.get(tool.contract.tool_id.as_str())?;
            let listed = listed(tool, name, schema.clone());
            Some((name.clone(), ListedTool { tool: Arc::clone(tool), listed }))
        });
        Self { version: registry.version().clone(), tools: tools.collect() }
    }
}

fn listed(tool: &Tool, name: &str, schema: JsonObject) -> rmcp::model::Tool {
    let contract = &tool.contract;
    let summary = Cow::from(tool.for_model().to_owned());
    let mut listed = rmcp::model::Tool::new(name.to_owned(), summary, schema)
        .with_title(title(contract))
        .with_annotations(annotations(contract))
        .with_icons(vec![icon(contract.category)]);
    if let Some(schema) = contract.returns.as_ref().and_then(output_schema) {
        listed = listed.with_raw_output_schema(Arc::new(schema));
    }
    match app::meta(tool, name) {
        Some(meta) => listed.with_meta(meta),
        None => listed,
    }
}

/// `kb_search` becomes `Kb search`.
fn title(contract: &Contract) -> String {
    let id = contract.tool_id.as_str();
    let last = id.rsplit('.').next().unwrap_or(id);
    let mut letters = last.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters.map(|c| if c == '_' { ' ' } else { c })).collect()
}

fn annotations(contract: &Contract) -> ToolAnnotations {
    let writes = contract.side_effects == SideEffects::Writes;
    ToolAnnotations::new()
        .read_only(!writes)
        .destructive(writes && contract.requires_confirmation)
        .idempotent(contract.idempotent)
        .open_world(!contract.capabilities.net.is_empty())
}

fn icon(category: Category) -> Icon {
    let path = match category {
        Category::Retrieval => "M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm3 7 4 4",
        Category::Action => "M9 1 3 9h4l-1 6 6-8H8z",
        Category::Utility => "M3 3h10v10H3zM3 7h10M7 3v10",
    };
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' \
         stroke='gray'><path d='{path}'/></svg>"
    );
    let svg = format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg));
    Icon::new(svg).with_mime_type("image/svg+xml").with_sizes(vec!["any".to_owned()])
}

/// Both protocols require an object as structured content, so any other type is wrapped in
/// `result`. A schema with references cannot be moved there and is left out.
fn output_schema(returns: &Value) -> Option<JsonObject> {
    let schema = returns.as_object()?;
    if schema.get("type").and_then(Value::as_str) == Some("object") {
        return Some(schema.clone());
    }
    if returns.to_string().contains("\"$ref\"") {
        return None;
    }
    let wrapped = json!({
        "type": "object", "properties": { "result": returns }, "required": ["result"]
    });
    wrapped.as_object().cloned()
}

#[cfg(test)]
mod tests;
