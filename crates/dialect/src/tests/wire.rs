//! Reads a wire schema as JSON Schema, so that a validator can check wire values.

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use crate::{CompiledTool, Strictness, Target, ToolSource, compile};

pub(crate) fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .offline()
        .build(schema)
        .map_err(|error| error.to_string())
}

/// A validator for what the model may send to this tool.
pub(crate) fn wire_validator(target: &Target, schema: Option<&Value>) -> Validator {
    let nothing = json!({ "type": "object", "additionalProperties": false });
    let schema = schema.unwrap_or(&nothing);
    let proto = matches!(target.name, "gemini-parameters" | "gemini-live");
    let schema = if proto { from_proto(schema) } else { schema.clone() };
    validator(&schema).unwrap_or_else(|error| panic!("{}: {schema}: {error}", target.name))
}

/// Gemini's `Schema` message as JSON Schema.
fn from_proto(schema: &Value) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut out = Map::new();
    let mut nullable = false;
    for (keyword, value) in map {
        match keyword.as_str() {
            "type" => {
                out.insert(keyword.clone(), json!(value.as_str().unwrap().to_lowercase()));
            }
            "nullable" => nullable = value == &json!(true),
            "properties" => {
                let map = value.as_object().unwrap();
                let inner = map.iter().map(|(name, schema)| (name.clone(), from_proto(schema)));
                out.insert(keyword.clone(), Value::Object(inner.collect()));
            }
            "items" => {
                out.insert(keyword.clone(), from_proto(value));
            }
            "anyOf" => {
                let list = value.as_array().unwrap().iter().map(from_proto).collect();
                out.insert(keyword.clone(), Value::Array(list));
            }
            _ => {
                out.insert(keyword.clone(), value.clone());
            }
        }
    }
    if nullable { json!({ "anyOf": [out, { "type": "null" }] }) } else { Value::Object(out) }
}

/// The objections of an independent implementation of the provider's rules to one tool.
pub(crate) fn refusals(parameters: &Value, target: &Target) -> Vec<fake_providers::rules::Refusal> {
    let source =
        ToolSource { name: "tool", description: "A tool.", parameters, strict: Strictness::Wanted };
    fake_providers::rules::refusals(target.name, &compile(&[source], target).tools_field())
}

pub(crate) fn compile_one(
    parameters: &Value,
    target: &Target,
) -> Result<CompiledTool, Vec<crate::Loss>> {
    let source =
        ToolSource { name: "tool", description: "A tool.", parameters, strict: Strictness::Wanted };
    let mut set = compile(&[source], target);
    match set.tools.pop() {
        Some(tool) => Ok(tool),
        None => Err(set.refused.remove(0).faults),
    }
}
