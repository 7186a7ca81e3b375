//! The `parameters` of an item, made into what a contract holds.
//!
//! Authors of modules write for a provider that asks for little. What can be meant in one
//! way only is put right here: a missing type of the root, an open root, `required: true`
//! inside a property. What means nothing is left out, and said.

use contract::Pointer;
use serde_json::{Map, Value, json};

use crate::arrange::Holds;
use crate::check::is_known_keyword;

/// The schema as the contract holds it, and the keywords that were left out.
pub(super) struct Tidied {
    pub schema: Value,
    pub left_out: Vec<Pointer>,
}

/// How deep a schema is looked into; deeper ones are refused by the checks that follow.
const DEPTH_MAX: usize = 64;

pub(super) fn tidied(parameters: Option<&Value>) -> Tidied {
    let mut left_out = Vec::new();
    let schema = match parameters {
        None | Some(Value::Null) => json!({}),
        Some(schema) => tidy(schema, &Pointer::root(), 0, &mut left_out),
    };
    let Value::Object(mut root) = schema else { return Tidied { schema, left_out } };
    if root.is_empty() || (root.contains_key("properties") && !root.contains_key("type")) {
        root.insert("type".to_owned(), json!("object"));
    }
    if !root.contains_key("properties") {
        root.insert("properties".to_owned(), json!({}));
    }
    let says = ["additionalProperties", "unevaluatedProperties"];
    if !says.iter().any(|key| root.contains_key(*key)) {
        root.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Tidied { schema: Value::Object(root), left_out }
}

fn tidy(schema: &Value, at: &Pointer, depth: usize, left_out: &mut Vec<Pointer>) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    if depth > DEPTH_MAX {
        return schema.clone();
    }
    let mut out = Map::new();
    let mut lifted = Vec::new();
    for (key, value) in keywords {
        let place = at.join(key);
        if key == "$schema" {
            continue;
        }
        if !is_known_keyword(key) || (key == "required" && value.is_boolean()) {
            left_out.push(place);
            continue;
        }
        let inner = |value: &Value, at: &Pointer, left_out: &mut Vec<Pointer>| {
            tidy(value, at, depth + 1, left_out)
        };
        let value = match (Holds::of(key), value) {
            (Holds::Schema, value) => inner(value, &place, left_out),
            (Holds::Schemas, Value::Array(items)) => {
                let item =
                    |(index, item): (usize, &Value)| inner(item, &place.join(index), left_out);
                Value::Array(items.iter().enumerate().map(item).collect())
            }
            (Holds::NamedSchemas, Value::Object(named)) => {
                let mut schemas = Map::new();
                for (name, schema) in named {
                    if key == "properties" && schema.get("required") == Some(&Value::Bool(true)) {
                        lifted.push(name.clone());
                    }
                    schemas.insert(name.clone(), inner(schema, &place.join(name), left_out));
                }
                Value::Object(schemas)
            }
            (Holds::Schemas | Holds::NamedSchemas | Holds::Data, value) => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    if !lifted.is_empty() {
        let required = out.entry("required").or_insert_with(|| json!([]));
        if let Value::Array(names) = required {
            for name in lifted {
                if !names.iter().any(|known| *known == name) {
                    names.push(Value::String(name));
                }
            }
        }
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(parameters: Value, expected: Value, left_out: &[&str]) {
        let found = tidied(Some(&parameters));
        assert_eq!(found.schema, expected);
        let places: Vec<_> = found.left_out.iter().map(ToString::to_string).collect();
        assert_eq!(places, left_out);
    }

    #[test]
    fn what_can_only_be_meant_one_way_is_put_right() {
        let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(tidied(None).schema, empty);
        check(Value::Null, empty.clone(), &[]);
        check(json!({"type": "object"}), empty, &[]);
        check(
            json!({"properties": {"a": {"type": "string", "required": true, "example": "x"}}}),
            json!({
                "properties": {"a": {"type": "string"}}, "required": ["a"],
                "type": "object", "additionalProperties": false
            }),
            &["/properties/a/required", "/properties/a/example"],
        );
    }

    #[test]
    fn what_an_author_says_stays() {
        let open = json!({"type": "object", "properties": {}, "additionalProperties": true});
        check(open.clone(), open, &[]);
        check(
            json!({"type": "string"}),
            json!({"type": "string", "properties": {}, "additionalProperties": false}),
            &[],
        );
        check(json!([1]), json!([1]), &[]);
    }
}
