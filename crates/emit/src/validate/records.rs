//! Finds the schema of one record, so that records can be checked without their list.
//!
//! In: the whole schema and the pointer to the list in an answer. Out: a self-contained
//! schema. Must hold: the path has no union or condition, because below one a record could
//! fit alone and not fit in the whole.

use contract::Pointer;
use serde_json::{Map, Value};

/// The longest chain of references.
const REFERENCES_MAX: usize = 64;
/// Keywords that make a value depend on more than one schema.
const COMPOSITION: [&str; 7] =
    ["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "prefixItems"];

/// `root` is a normalised schema.
pub(super) fn record_schema(root: &Value, list: &Pointer) -> Option<Value> {
    let mut schema = resolve(root, root)?;
    for step in list.steps() {
        schema = resolve(root, schema.get("properties")?.get(step)?)?;
    }
    Some(self_contained(root, schema.get("items")?.as_object()?))
}

/// The schema with references followed; none if it is a composition.
fn resolve<'s>(root: &'s Value, schema: &'s Value) -> Option<&'s Map<String, Value>> {
    let mut schema = schema.as_object()?;
    for _ in 0..REFERENCES_MAX {
        if COMPOSITION.iter().any(|keyword| schema.contains_key(*keyword)) {
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

/// A subschema with all its definitions. References to `#` point to a copy of the root.
fn self_contained(root: &Value, part: &Map<String, Value>) -> Value {
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
