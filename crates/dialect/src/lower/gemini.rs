//! Writes a wire schema as Gemini's `Schema` message.
//!
//! Must hold: types are in capitals, one per schema; null is `nullable`; `anyOf` has no siblings.

use serde_json::{Map, Value, json};

pub(crate) fn proto(schema: Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::with_capacity(schema.len());
    let mut branches = None;
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("type", Value::String(name)) => {
                out.insert(keyword, name.to_uppercase().into());
            }
            ("type", Value::Array(names)) => {
                let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                if let Some(name) = names.iter().find(|name| **name != "null") {
                    out.insert(keyword, name.to_uppercase().into());
                }
                if names.contains(&"null") {
                    out.insert("nullable".to_owned(), json!(true));
                }
            }
            ("properties", Value::Object(properties)) => {
                let spelled = properties.into_iter().map(|(name, value)| (name, spell(value)));
                out.insert(keyword, Value::Object(spelled.collect()));
            }
            ("items", value) => {
                out.insert(keyword, spell(value));
            }
            ("anyOf", Value::Array(list)) => branches = Some(list),
            (_, value) => {
                out.insert(keyword, value);
            }
        }
    }
    match branches {
        Some(list) => union(&out, list),
        None => out,
    }
}

fn spell(value: Value) -> Value {
    match value {
        Value::Object(schema) => Value::Object(proto(schema)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            value
        }
    }
}

/// `anyOf` allows no siblings: null and the description move into its first branch.
fn union(around: &Map<String, Value>, list: Vec<Value>) -> Map<String, Value> {
    let null = json!({ "type": "null" });
    let nullable = list.contains(&null);
    let mut branches: Vec<Map<String, Value>> = Vec::with_capacity(list.len());
    for branch in list.into_iter().filter(|branch| *branch != null) {
        if let Value::Object(branch) = branch {
            let spelled = proto(branch);
            // A nested union is flattened.
            match spelled.get("anyOf") {
                Some(Value::Array(inner)) => {
                    branches.extend(inner.iter().filter_map(Value::as_object).cloned());
                }
                _ => branches.push(spelled),
            }
        }
    }
    if let Some(first) = branches.first_mut() {
        if nullable {
            first.insert("nullable".to_owned(), json!(true));
        }
        if let Some(text) = around.get("description").and_then(Value::as_str) {
            let own = first.get("description").and_then(Value::as_str);
            let text = own.map_or(text.to_owned(), |own| format!("{text} {own}"));
            first.insert("description".to_owned(), text.into());
        }
    }
    match <[Map<String, Value>; 1]>::try_from(branches) {
        Ok([only]) => only,
        Err(branches) => {
            let mut out = Map::new();
            out.insert("anyOf".to_owned(), branches.into_iter().map(Value::Object).collect());
            out
        }
    }
}
