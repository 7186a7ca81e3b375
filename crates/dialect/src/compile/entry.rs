//! Writes one tool's entry in each provider's `tools` format.

use serde_json::{Map, Value, json};

use super::Enforcement;
use crate::target::{EntryForm, PassthroughReferences, SchemaRules, Target};

pub(super) fn entry(
    target: &Target,
    name: &str,
    description: &str,
    schema: Value,
    enforcement: Enforcement,
) -> Value {
    let mut tool = Map::new();
    let entry = target.entry;
    if matches!(entry, EntryForm::OpenAiResponses | EntryForm::OpenAiRealtime) {
        tool.insert("type".to_owned(), "function".into());
    }
    tool.insert("name".to_owned(), name.into());
    // A tool for Ollama always has a schema.
    if !description.is_empty() || entry == EntryForm::Ollama {
        tool.insert("description".to_owned(), description.into());
    }
    // Gemini refuses an object without properties; no parameters means no arguments.
    let properties = schema.get("properties").and_then(Value::as_object);
    let empty = properties.is_none_or(Map::is_empty) && entry == EntryForm::GeminiParameters;
    if !empty {
        let key = schema_pointer(entry).rsplit('/').next().unwrap_or_default();
        tool.insert(key.to_owned(), identified(target, name, schema));
    }
    // Without it, the Responses API would try strict mode on its own.
    if target.is_strict() || entry == EntryForm::OpenAiResponses {
        tool.insert("strict".to_owned(), (enforcement == Enforcement::Strict).into());
    }
    match entry {
        EntryForm::OpenAiChat | EntryForm::Ollama => {
            json!({ "type": "function", "function": tool })
        }
        EntryForm::Anthropic
        | EntryForm::OpenAiResponses
        | EntryForm::OpenAiRealtime
        | EntryForm::GeminiJsonSchema
        | EntryForm::GeminiParameters
        | EntryForm::Mcp
        | EntryForm::OpenApi => Value::Object(tool),
    }
}

/// The location of the schema in an entry.
pub(super) fn schema_pointer(entry: EntryForm) -> &'static str {
    match entry {
        EntryForm::Anthropic => "/input_schema",
        EntryForm::OpenAiChat | EntryForm::Ollama => "/function/parameters",
        EntryForm::OpenAiResponses | EntryForm::OpenAiRealtime | EntryForm::GeminiParameters => {
            "/parameters"
        }
        EntryForm::GeminiJsonSchema => "/parametersJsonSchema",
        EntryForm::Mcp => "/inputSchema",
        EntryForm::OpenApi => "/schema",
    }
}

/// All entries as the request's `tools` field.
pub(super) fn tools_field(target: EntryForm, entries: Vec<Value>) -> Value {
    match target {
        EntryForm::GeminiJsonSchema | EntryForm::GeminiParameters => {
            json!([{ "functionDeclarations": entries }])
        }
        EntryForm::Anthropic
        | EntryForm::OpenAiChat
        | EntryForm::OpenAiResponses
        | EntryForm::OpenAiRealtime
        | EntryForm::Mcp
        | EntryForm::Ollama
        | EntryForm::OpenApi => Value::Array(entries),
    }
}

/// A schema inside a larger document needs its own identifier for its references.
pub(crate) fn identified(target: &Target, name: &str, mut schema: Value) -> Value {
    let alone = match &target.schema {
        SchemaRules::Passthrough(rules) => rules.references == PassthroughReferences::Plain,
        SchemaRules::Lower(_) => true,
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
