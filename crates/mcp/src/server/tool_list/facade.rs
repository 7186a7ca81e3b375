//! Replaces the tool list by three tools that find, describe and call all others.
//!
//! The three never change, so a client's list is never stale, and a model reads a tool's
//! definition only when it needs it.

use contract::{ErrorType, ToolError, nearest};
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{ListedTool, ToolList};
use crate::server::call::call_result;
use crate::server::caller::Caller;
use crate::server::mcp_server::{McpServer, ToolExposure};

const SEARCH: &str = "search_tools";
const DESCRIBE: &str = "describe_tool";
const CALL: &str = "call_tool";
/// How many tools a search returns.
const FOUND_MAX: usize = 10;

/// A request after the facade.
pub(crate) enum Resolved {
    /// A call of a tool, possibly unwrapped from `call_tool`.
    Call(CallToolRequestParams),
    Answer(CallToolResult),
}

pub(crate) fn tools() -> Vec<Tool> {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let name = text("The name of the tool, as search_tools returned it.");
    let tool = |id: &'static str, what: &'static str, properties: Value, required: Value| {
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "properties": properties, "required": required
        });
        Tool::new(id, what, schema.as_object().cloned().unwrap_or_default())
    };
    let reads = || ToolAnnotations::new().read_only(true).open_world(false);
    let query = text("What you want to do, in a few words. Empty lists the first tools.");
    let arguments =
        json!({ "type": "object", "description": "Its arguments, as described by describe_tool." });
    vec![
        tool(
            CALL,
            "Call a tool by name. Describe it first, unless you know its arguments.",
            json!({ "name": name, "arguments": arguments }),
            json!(["name"]),
        )
        .with_annotations(ToolAnnotations::new().read_only(false)),
        tool(
            DESCRIBE,
            "Read what a tool does and which arguments it takes.",
            json!({ "name": name }),
            json!(["name"]),
        )
        .with_annotations(reads()),
        tool(
            SEARCH,
            "Find tools for a task. More tools are available than are listed: search before you say \
             that something cannot be done.",
            json!({ "query": query }),
            json!(["query"]),
        )
        .with_annotations(reads()),
    ]
}

/// The size of the facade's definitions.
pub fn facade_bytes() -> usize {
    serde_json::to_vec(&tools()).map_or(0, |bytes| bytes.len())
}

impl McpServer {
    /// Unwraps a request to the facade; other requests pass through.
    pub(crate) fn resolve_facade(
        &self,
        request: CallToolRequestParams,
        tool_list: &ToolList,
        caller: &Caller,
    ) -> Resolved {
        if self.0.options.exposure != ToolExposure::Facade {
            return Resolved::Call(request);
        }
        let args = request.arguments.as_ref();
        let text = |name: &str| args.and_then(|args| args.get(name)?.as_str());
        let seen: Vec<_> = tool_list
            .tools
            .values()
            .filter(|item| caller.principal.tools.allows(item.id()))
            .collect();
        let find = |name: &str| seen.iter().find(|item| item.listed.name == name).copied();
        match (request.name.as_ref(), text("name")) {
            (SEARCH, _) => Resolved::Answer(search(&seen, text("query").unwrap_or_default())),
            (DESCRIBE, Some(name)) => Resolved::Answer(match find(name) {
                Some(item) => describe(item),
                None => unknown(name, &seen),
            }),
            (CALL, Some(name)) if find(name).is_none() => Resolved::Answer(unknown(name, &seen)),
            (CALL, Some(name)) => {
                let name = name.to_owned();
                let arguments = args.and_then(|args| args.get("arguments"));
                let arguments = arguments.and_then(Value::as_object).cloned();
                Resolved::Call(inner(request, name, arguments))
            }
            (DESCRIBE | CALL, None) => {
                let message = "/name: is required but missing. Search for tools first.";
                let error = ToolError::before_start(ErrorType::Validation, message);
                Resolved::Answer(call_result::failure(&error))
            }
            _ => Resolved::Call(request),
        }
    }
}

fn inner(
    request: CallToolRequestParams,
    name: String,
    arguments: Option<JsonObject>,
) -> CallToolRequestParams {
    let mut inner = request;
    inner.name = name.into();
    inner.arguments = arguments;
    inner
}

/// The tools that match most words; matches in the name count more.
fn search(seen: &[&ListedTool], query: &str) -> CallToolResult {
    let words: Vec<_> = query.split(|c: char| !c.is_alphanumeric()).collect();
    let words: Vec<_> =
        words.iter().filter(|word| word.len() > 1).map(|word| word.to_lowercase()).collect();
    let mut ranked: Vec<_> = seen.iter().map(|item| (points(item, &words), *item)).collect();
    ranked.retain(|(points, _)| *points > 0 || words.is_empty());
    // Ties stay in the order of their names.
    ranked.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
    let found: Vec<_> = ranked
        .iter()
        .take(FOUND_MAX)
        .map(|(_, item)| {
            let first = item.tool.summary.lines().next().unwrap_or_default();
            json!({ "name": item.listed.name, "does": first })
        })
        .collect();
    let note = match (found.len(), ranked.len()) {
        (0, _) => "No match; try other words.".to_owned(),
        (shown, all) if shown < all => format!("{shown} of {all}; more words narrow it down."),
        (shown, _) => format!("{shown} found; describe one with {DESCRIBE}."),
    };
    let data = json!({ "tools": found, "note": note });
    call_result::success(&data, data.to_string())
}

fn points(item: &ListedTool, words: &[String]) -> usize {
    let (id, summary) = (item.id(), item.tool.summary.to_lowercase());
    let one = |word: &String| match (id.contains(word.as_str()), summary.contains(word.as_str())) {
        (true, _) => 3,
        (false, true) => 1,
        (false, false) => 0,
    };
    words.iter().map(one).sum()
}

fn describe(item: &ListedTool) -> CallToolResult {
    let Tool { name, description, input_schema, output_schema, annotations, .. } = &item.listed;
    let mut data = json!({
        "name": name, "description": description, "inputSchema": input_schema,
        "annotations": annotations
    });
    if let (Value::Object(data), Some(schema)) = (&mut data, output_schema) {
        data.insert("outputSchema".to_owned(), Value::Object(schema.as_ref().clone()));
    }
    call_result::success(&data, data.to_string())
}

fn unknown(name: &str, seen: &[&ListedTool]) -> CallToolResult {
    let near = nearest(name, seen.iter().map(|item| item.listed.name.as_ref()));
    let name: String = name.chars().take(80).collect();
    let fix =
        near.map_or_else(|| format!("use {SEARCH}"), |near| format!("did you mean `{near}`?"));
    let message = format!("There is no tool `{name}`; {fix}");
    call_result::failure(&ToolError::before_start(ErrorType::NotFound, message))
}
