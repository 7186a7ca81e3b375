//! Orders the keys of a schema, so that the order of keywords does not change the bytes.
//!
//! Keywords are sorted. Required properties come first, in the order of `required`, then the
//! others in the order of the file: models fill arguments in schema order, and this lets an
//! author choose it. The order of keys changes neither digests nor versions.

use serde_json::{Map, Value};

/// A schema with its keys in order; data inside it is sorted by key.
pub(crate) fn arranged(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return sorted(schema) };
    let mut keys: Vec<_> = keywords.keys().collect();
    keys.sort_unstable();
    let arrange = |key: &String| {
        let value = &keywords[key];
        let value = match KeywordValue::of(key) {
            KeywordValue::Schema => arranged(value),
            KeywordValue::Schemas => match value.as_array() {
                Some(items) => Value::Array(items.iter().map(arranged).collect()),
                None => arranged(value),
            },
            KeywordValue::NamedSchemas if key == "properties" => {
                properties(value, keywords.get("required"))
            }
            KeywordValue::NamedSchemas => named(value),
            KeywordValue::Data => sorted(value),
        };
        (key.clone(), value)
    };
    Value::Object(keys.into_iter().map(arrange).collect())
}

fn named(value: &Value) -> Value {
    let Value::Object(schemas) = value else { return sorted(value) };
    let mut names: Vec<_> = schemas.keys().collect();
    names.sort_unstable();
    let entry = |name: &String| (name.clone(), arranged(&schemas[name]));
    Value::Object(names.into_iter().map(entry).collect())
}

fn properties(value: &Value, required: Option<&Value>) -> Value {
    let Value::Object(schemas) = value else { return sorted(value) };
    let rank = |name: &str| {
        let list = required.and_then(Value::as_array);
        list.and_then(|list| list.iter().position(|item| item == name)).unwrap_or(usize::MAX)
    };
    let mut names: Vec<_> = schemas.keys().collect();
    names.sort_by_key(|name| rank(name));
    let entry = |name: &String| (name.clone(), arranged(&schemas[name]));
    Value::Object(names.into_iter().map(entry).collect())
}

/// Any JSON with its keys sorted.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_str());
            let entries = entries.into_iter().map(|(key, value)| (key.clone(), sorted(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// What the value of a schema keyword is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeywordValue {
    Schema,
    /// A list of schemas.
    Schemas,
    /// Schemas by name.
    NamedSchemas,
    Data,
}

impl KeywordValue {
    pub(crate) fn of(keyword: &str) -> Self {
        match keyword {
            "items"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "contains"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contentSchema" => KeywordValue::Schema,
            "prefixItems" | "allOf" | "anyOf" | "oneOf" => KeywordValue::Schemas,
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                KeywordValue::NamedSchemas
            }
            _ => KeywordValue::Data,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn required_properties_come_first_in_order_and_the_rest_as_written() {
        let schema = json!({
            "type": "object",
            "required": ["why", "answer"],
            "properties": {
                "zeta": {"type": "string", "default": {"b": 1, "a": 2}},
                "answer": {"type": "string"},
                "alpha": {"type": "string"},
                "why": {"type": "string"}
            }
        });
        let arranged = arranged(&schema);
        let order: Vec<_> = arranged["properties"].as_object().unwrap().keys().collect();
        assert_eq!(order, ["why", "answer", "zeta", "alpha"]);
        let keywords: Vec<_> = arranged.as_object().unwrap().keys().collect();
        assert_eq!(keywords, ["properties", "required", "type"]);
        assert_eq!(arranged["properties"]["zeta"]["default"].to_string(), r#"{"a":2,"b":1}"#);
    }

    #[test]
    fn a_property_called_properties_is_ordinary() {
        let schema = json!({"properties": {"properties": {"required": ["x"], "type": "object"}}});
        assert_eq!(
            arranged(&schema).to_string(),
            r#"{"properties":{"properties":{"required":["x"],"type":"object"}}}"#
        );
    }
}
