//! Writes one tool's entry as each provider wants it in `tools`.

use serde_json::{Map, Value, json};

use super::Enforcement;
use crate::target::{CarriedReferences, Entry, SchemaRules, Target};

pub(super) fn entry(
    target: &Target,
    name: &str,
    description: &str,
    schema: Value,
    enforcement: Enforcement,
) -> Value {
    let mut tool = Map::new();
    let entry = target.entry;
    if matches!(entry, Entry::OpenAiResponses | Entry::OpenAiRealtime) {
        tool.insert("type".to_owned(), "function".into());
    }
    tool.insert("name".to_owned(), name.into());
    // Ollama's tool always has one.
    if !description.is_empty() || entry == Entry::Ollama {
        tool.insert("description".to_owned(), description.into());
    }
    // Gemini refuses an object without properties; no parameters means no arguments.
    let properties = schema.get("properties").and_then(Value::as_object);
    let empty = properties.is_none_or(Map::is_empty) && entry == Entry::GeminiParameters;
    if !empty {
        let key = schema_pointer(entry).rsplit('/').next().unwrap_or_default();
        tool.insert(key.to_owned(), identified(target, name, schema));
    }
    // Left out at Responses, the server would try strict mode by itself.
    if target.is_strict() || entry == Entry::OpenAiResponses {
        tool.insert("strict".to_owned(), (enforcement == Enforcement::Strict).into());
    }
    match entry {
        Entry::OpenAiChat | Entry::Ollama => json!({ "type": "function", "function": tool }),
        Entry::Anthropic
        | Entry::OpenAiResponses
        | Entry::OpenAiRealtime
        | Entry::GeminiJsonSchema
        | Entry::GeminiParameters
        | Entry::Mcp
        | Entry::OpenApi => Value::Object(tool),
    }
}

/// Where the schema stands in an entry.
pub(super) fn schema_pointer(entry: Entry) -> &'static str {
    match entry {
        Entry::Anthropic => "/input_schema",
        Entry::OpenAiChat | Entry::Ollama => "/function/parameters",
        Entry::OpenAiResponses | Entry::OpenAiRealtime | Entry::GeminiParameters => "/parameters",
        Entry::GeminiJsonSchema => "/parametersJsonSchema",
        Entry::Mcp => "/inputSchema",
        Entry::OpenApi => "/schema",
    }
}

/// All entries as the request's `tools` field has them.
pub(super) fn tools_field(target: Entry, entries: Vec<Value>) -> Value {
    match target {
        Entry::GeminiJsonSchema | Entry::GeminiParameters => {
            json!([{ "functionDeclarations": entries }])
        }
        Entry::Anthropic
        | Entry::OpenAiChat
        | Entry::OpenAiResponses
        | Entry::OpenAiRealtime
        | Entry::Mcp
        | Entry::Ollama
        | Entry::OpenApi => Value::Array(entries),
    }
}

/// A schema inside a larger document needs a name of its own for its references.
pub(crate) fn identified(target: &Target, name: &str, mut schema: Value) -> Value {
    let alone = match &target.schema {
        SchemaRules::Carry(rules) => rules.references == CarriedReferences::Plain,
        SchemaRules::Shape(_) => true,
    };
    if !alone
        && schema.to_string().contains("\"$ref\"")
        && let Value::Object(map) = &mut schema
    {
        let id = format!("urn:ghosthand:tool:{name}");
        map.shift_insert(0, "$id".to_owned(), id.into());
    }
    schema
}
