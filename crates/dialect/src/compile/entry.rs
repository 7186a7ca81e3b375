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
    let strict = enforcement == Enforcement::Strict;
    let describe = |tool: &mut Map<String, Value>| {
        if !description.is_empty() {
            tool.insert("description".to_owned(), description.into());
        }
    };
    let put = |tool: &mut Map<String, Value>, key: &str, value: Value| {
        tool.insert(key.to_owned(), value);
    };
    match target.entry {
        Entry::Anthropic => {
            put(&mut tool, "name", name.into());
            describe(&mut tool);
            put(&mut tool, "input_schema", schema);
            if target.is_strict() {
                put(&mut tool, "strict", strict.into());
            }
        }
        Entry::OpenAiChat => {
            let mut function = Map::new();
            put(&mut function, "name", name.into());
            describe(&mut function);
            put(&mut function, "parameters", schema);
            if target.is_strict() {
                put(&mut function, "strict", strict.into());
            }
            put(&mut tool, "type", "function".into());
            put(&mut tool, "function", Value::Object(function));
        }
        Entry::OpenAiResponses => {
            put(&mut tool, "type", "function".into());
            put(&mut tool, "name", name.into());
            describe(&mut tool);
            put(&mut tool, "parameters", schema);
            // Left out, the server would try strict mode by itself.
            put(&mut tool, "strict", strict.into());
        }
        Entry::OpenAiRealtime => {
            put(&mut tool, "type", "function".into());
            put(&mut tool, "name", name.into());
            describe(&mut tool);
            put(&mut tool, "parameters", schema);
        }
        Entry::GeminiJsonSchema => {
            put(&mut tool, "name", name.into());
            describe(&mut tool);
            put(&mut tool, "parametersJsonSchema", schema);
        }
        Entry::GeminiParameters => {
            put(&mut tool, "name", name.into());
            describe(&mut tool);
            // An object without properties is refused; no parameters means no arguments.
            let empty =
                schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
            if !empty {
                put(&mut tool, "parameters", schema);
            }
        }
        Entry::Mcp => {
            put(&mut tool, "name", name.into());
            describe(&mut tool);
            put(&mut tool, "inputSchema", schema);
        }
        Entry::Ollama => {
            let mut function = Map::new();
            put(&mut function, "name", name.into());
            put(&mut function, "description", description.into());
            put(&mut function, "parameters", schema);
            put(&mut tool, "type", "function".into());
            put(&mut tool, "function", Value::Object(function));
        }
        Entry::OpenApi => {
            put(&mut tool, "name", name.into());
            describe(&mut tool);
            put(&mut tool, "schema", identified(target, name, schema));
        }
    }
    Value::Object(tool)
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
