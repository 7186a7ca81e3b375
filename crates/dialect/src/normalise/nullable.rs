//! Turns OpenAPI's `nullable: true` into a type, a value or a branch that allows null.

use serde_json::{Map, Value, json};

use crate::schema::subschemas::describes;

pub(super) fn openapi_nullable(map: &Map<String, Value>) -> bool {
    map.get("nullable") == Some(&Value::Bool(true))
}

/// Makes a rewritten schema allow null. Returns the new location of its own rules if they had to
/// move into a branch.
pub(super) fn allow_null(schema: &mut Map<String, Value>) -> Option<&'static str> {
    let rules: Vec<&String> = schema.keys().filter(|keyword| !describes(keyword)).collect();
    if rules.is_empty() {
        return None;
    }
    let plain = |keyword: &str| {
        !matches!(keyword, "$ref" | "allOf" | "anyOf" | "oneOf" | "not" | "if" | "dependentSchemas")
    };
    let typed =
        schema.contains_key("type") || schema.contains_key("enum") || schema.contains_key("const");
    if rules.iter().all(|keyword| plain(keyword)) {
        if typed {
            widen(schema);
        }
        return None;
    }
    let mut branch = Map::new();
    let mut outside = Map::new();
    for (keyword, value) in std::mem::take(schema) {
        let side = if describes(&keyword) { &mut outside } else { &mut branch };
        side.insert(keyword, value);
    }
    outside.insert("anyOf".to_owned(), json!([branch, { "type": "null" }]));
    *schema = outside;
    Some("/anyOf/0")
}

fn widen(schema: &mut Map<String, Value>) {
    match schema.get_mut("type") {
        Some(Value::Array(names)) if !names.contains(&json!("null")) => names.push(json!("null")),
        Some(Value::String(name)) if name != "null" => {
            let types = json!([name, "null"]);
            schema.insert("type".to_owned(), types);
        }
        _ => {}
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if let Some(value) = schema.get("const").filter(|value| !value.is_null()).cloned() {
        schema.shift_remove("const");
        schema.insert("enum".to_owned(), json!([value, null]));
    }
}
