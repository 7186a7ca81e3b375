//! Few tools in the context: one that finds tools, one that describes one, one that calls it.
//!
//! The three never change, so a client's list is never stale, and a model reads the
//! definition of a tool when it needs it and not before.

use contract::{ErrorType, ToolError, nearest};
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::caller::Caller;
use super::door::{Door, Offer};
use super::reply;
use super::shelf::{Item, Shelf};

const SEARCH: &str = "search_tools";
const DESCRIBE: &str = "describe_tool";
const CALL: &str = "call_tool";
/// How many tools a search finds.
const FOUND_MAX: usize = 10;

/// Where a request leads.
pub(super) enum Through {
    /// A call of a tool, perhaps out of `call_tool`.
    Call(CallToolRequestParams),
    Answer(CallToolResult),
}

pub(super) fn tools() -> Vec<Tool> {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let name = text("The name of the tool, as search_tools gave it.");
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
        json!({ "type": "object", "description": "Its arguments, as describe_tool gave them." });
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
            "Find tools for what you want to do. More tools are here than you see listed: \
             search before you say that something cannot be done.",
            json!({ "query": query }),
            json!(["query"]),
        )
        .with_annotations(reads()),
    ]
}

/// How long the definitions of the facade are.
pub fn facade_bytes() -> usize {
    serde_json::to_vec(&tools()).map_or(0, |bytes| bytes.len())
}

impl Door {
    /// Opens a request that came through the facade; others go on as they are.
    pub(super) fn through_facade(
        &self,
        request: CallToolRequestParams,
        shelf: &Shelf,
        caller: &Caller,
    ) -> Through {
        if self.0.options.offer != Offer::Facade {
            return Through::Call(request);
        }
        let args = request.arguments.as_ref();
        let text = |name: &str| args.and_then(|args| args.get(name)?.as_str());
        let seen: Vec<_> =
            shelf.items.values().filter(|item| caller.principal.tools.allows(item.id())).collect();
        let find = |name: &str| seen.iter().find(|item| item.listed.name == name).copied();
        match (request.name.as_ref(), text("name")) {
            (SEARCH, _) => Through::Answer(search(&seen, text("query").unwrap_or_default())),
            (DESCRIBE, Some(name)) => Through::Answer(match find(name) {
                Some(item) => describe(item),
                None => unknown(name, &seen),
            }),
            (CALL, Some(name)) if find(name).is_none() => Through::Answer(unknown(name, &seen)),
            (CALL, Some(name)) => {
                let name = name.to_owned();
                let arguments = args.and_then(|args| args.get("arguments"));
                let arguments = arguments.and_then(Value::as_object).cloned();
                Through::Call(inner(request, name, arguments))
            }
            (DESCRIBE | CALL, None) => {
                let message = "/name: is required, and is missing. Search for tools first.";
                let error = ToolError::before_start(ErrorType::Validation, message);
                Through::Answer(reply::failure(&error))
            }
            _ => Through::Call(request),
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

/// The tools that have most of the words, those in the name first.
fn search(seen: &[&Item], query: &str) -> CallToolResult {
    let words: Vec<_> = query.split(|c: char| !c.is_alphanumeric()).collect();
    let words: Vec<_> =
        words.iter().filter(|word| word.len() > 1).map(|word| word.to_lowercase()).collect();
    let mut ranked: Vec<_> = seen.iter().map(|item| (points(item, &words), *item)).collect();
    ranked.retain(|(points, _)| *points > 0 || words.is_empty());
    // Equal ones stay in the order of their names.
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
        (0, _) => "Nothing fits; try other words.".to_owned(),
        (shown, all) if shown < all => format!("{shown} of {all}; more words narrow it down."),
        (shown, _) => format!("{shown} found; read one with {DESCRIBE}."),
    };
    let data = json!({ "tools": found, "note": note });
    reply::success(&data, data.to_string())
}

fn points(item: &Item, words: &[String]) -> usize {
    let (id, summary) = (item.id(), item.tool.summary.to_lowercase());
    let one = |word: &String| match (id.contains(word.as_str()), summary.contains(word.as_str())) {
        (true, _) => 3,
        (false, true) => 1,
        (false, false) => 0,
    };
    words.iter().map(one).sum()
}

fn describe(item: &Item) -> CallToolResult {
    let Tool { name, description, input_schema, output_schema, annotations, .. } = &item.listed;
    let mut data = json!({
        "name": name, "description": description, "inputSchema": input_schema,
        "annotations": annotations
    });
    if let (Value::Object(data), Some(schema)) = (&mut data, output_schema) {
        data.insert("outputSchema".to_owned(), Value::Object(schema.as_ref().clone()));
    }
    reply::success(&data, data.to_string())
}

fn unknown(name: &str, seen: &[&Item]) -> CallToolResult {
    let near = nearest(name, seen.iter().map(|item| item.listed.name.as_ref()));
    let name: String = name.chars().take(80).collect();
    let fix =
        near.map_or_else(|| format!("use {SEARCH}"), |near| format!("did you mean `{near}`?"));
    let message = format!("There is no tool `{name}`; {fix}");
    reply::failure(&ToolError::before_start(ErrorType::NotFound, message))
}
