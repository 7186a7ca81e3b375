//! Finds the schema of one record, so that records can be checked without their list.
//!
//! In: the whole schema and the place of the list in an answer. Out: a schema that stands
//! alone. Must hold: the way there is plain; through a union or a condition a record could
//! fit here and yet not fit there.

use contract::Pointer;
use serde_json::{Map, Value};

/// How long a chain of references may be.
const REFERENCES_MAX: usize = 64;
/// What makes a place depend on more than its own keywords.
const NOT_PLAIN: [&str; 7] =
    ["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "prefixItems"];

/// `root` is a normalised schema.
pub(super) fn record_schema(root: &Value, list: &Pointer) -> Option<Value> {
    let mut place = plain(root, root)?;
    for step in list.steps() {
        place = plain(root, place.get("properties")?.get(step)?)?;
    }
    Some(alone(root, place.get("items")?.as_object()?))
}

/// The schema that holds at a place, references followed.
fn plain<'s>(root: &'s Value, schema: &'s Value) -> Option<&'s Map<String, Value>> {
    let mut schema = schema.as_object()?;
    for _ in 0..REFERENCES_MAX {
        if NOT_PLAIN.iter().any(|keyword| schema.contains_key(*keyword)) {
            return None;
        }
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        if schema.contains_key("properties") || schema.contains_key("items") {
            return None;
        }
        schema = root.pointer(reference.strip_prefix('#')?)?.as_object()?;
    }
    None
}

/// A part of a schema, with what it refers to. `#` is the whole, which is now elsewhere.
fn alone(root: &Value, part: &Map<String, Value>) -> Value {
    let mut whole = root.clone();
    let definitions = whole.as_object_mut().and_then(|whole| whole.shift_remove("$defs"));
    let mut definitions = match definitions {
        Some(Value::Object(definitions)) => definitions,
        Some(_) | None => Map::new(),
    };
    let name = free_name(&definitions);
    definitions.insert(name.clone(), whole);
    let mut part = part.clone();
    part.insert("$defs".to_owned(), Value::Object(definitions));
    let mut part = Value::Object(part);
    move_root_references(&mut part, &format!("#/$defs/{name}"));
    part
}

fn free_name(taken: &Map<String, Value>) -> String {
    let mut name = "whole".to_owned();
    while taken.contains_key(&name) {
        name.push('_');
    }
    name
}

fn move_root_references(schema: &mut Value, to: &str) {
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                if key == "$ref" && value == "#" {
                    *value = Value::from(to);
                }
                move_root_references(value, to);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_root_references(item, to)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
