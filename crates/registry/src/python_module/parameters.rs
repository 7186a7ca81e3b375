//! Normalises the `parameters` of an item for a contract.
//!
//! Authors of modules write for lenient providers. Unambiguous omissions are corrected here: a
//! missing type of the root, an open root, `required: true` inside a property. Meaningless
//! keywords are left out and reported.

use contract::Pointer;
use serde_json::{Map, Value, json};

use crate::check::is_known_keyword;
use crate::schema_order::KeywordValue;

/// The schema for the contract, and the keywords that were left out.
pub(crate) struct NormalisedParameters {
    pub schema: Value,
    pub left_out: Vec<Pointer>,
    /// Python type names, and what they were read as.
    pub read_as: Vec<(Pointer, &'static str)>,
}

/// The name of a type in Python and in JSON Schema.
const TYPES: [(&str, &str); 6] = [
    ("str", "string"),
    ("int", "integer"),
    ("float", "number"),
    ("bool", "boolean"),
    ("list", "array"),
    ("dict", "object"),
];

/// How deep a schema is processed; later checks refuse deeper ones.
const DEPTH_MAX: usize = 64;

pub(crate) fn tidied(parameters: Option<&Value>) -> NormalisedParameters {
    let mut notes = Notes::default();
    let schema = match parameters {
        None | Some(Value::Null) => json!({}),
        Some(schema) => tidy(schema, &Pointer::root(), 0, &mut notes),
    };
    let Notes { left_out, read_as } = notes;
    let Value::Object(mut root) = schema else {
        return NormalisedParameters { schema, left_out, read_as };
    };
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
    NormalisedParameters { schema: Value::Object(root), left_out, read_as }
}

/// What to report about a corrected schema.
#[derive(Default)]
struct Notes {
    left_out: Vec<Pointer>,
    read_as: Vec<(Pointer, &'static str)>,
}

fn tidy(schema: &Value, at: &Pointer, depth: usize, notes: &mut Notes) -> Value {
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
            notes.left_out.push(place);
            continue;
        }
        // `None` in Python means no default.
        if key == "default" && value.is_null() && !allows_null(keywords) {
            continue;
        }
        if let Some((_, kind)) = TYPES.iter().find(|(python, _)| key == "type" && value == python) {
            notes.read_as.push((place, kind));
            out.insert(key.clone(), json!(kind));
            continue;
        }
        let inner =
            |value: &Value, at: &Pointer, notes: &mut Notes| tidy(value, at, depth + 1, notes);
        let value = match (KeywordValue::of(key), value) {
            (KeywordValue::Schema, value) => inner(value, &place, notes),
            (KeywordValue::Schemas, Value::Array(items)) => {
                let item = |(index, item): (usize, &Value)| inner(item, &place.join(index), notes);
                Value::Array(items.iter().enumerate().map(item).collect())
            }
            (KeywordValue::NamedSchemas, Value::Object(named)) => {
                let mut schemas = Map::new();
                for (name, schema) in named {
                    if key == "properties" && schema.get("required") == Some(&Value::Bool(true)) {
                        lifted.push(name.clone());
                    }
                    schemas.insert(name.clone(), inner(schema, &place.join(name), notes));
                }
                Value::Object(schemas)
            }
            (KeywordValue::Schemas | KeywordValue::NamedSchemas | KeywordValue::Data, value) => {
                value.clone()
            }
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

/// Whether `null` could be a value here.
fn allows_null(keywords: &Map<String, Value>) -> bool {
    match keywords.get("type") {
        Some(Value::String(kind)) => kind == "null",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
        _ => true,
    }
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
    fn unambiguous_omissions_are_corrected() {
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
    fn python_type_names_and_a_default_of_none_are_understood() {
        let found = tidied(Some(&json!({"type": "dict", "properties": {
            "n": {"type": "int", "default": null}, "m": {"type": ["string", "null"], "default": null}
        }})));
        assert_eq!(found.schema["type"], "object");
        assert_eq!(found.schema["properties"]["n"], json!({"type": "integer"}));
        assert_eq!(found.schema["properties"]["m"]["default"], Value::Null);
        let read: Vec<_> = found.read_as.iter().map(|(at, kind)| format!("{at} {kind}")).collect();
        assert_eq!(read, ["/type object", "/properties/n/type integer"]);
    }

    #[test]
    fn explicit_values_are_kept() {
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
