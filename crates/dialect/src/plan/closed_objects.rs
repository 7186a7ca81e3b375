//! Closes objects: next to named properties, unknown ones are refused.
//!
//! JSON Schema leaves such objects open, and closed wire objects cannot carry unknown keys. A
//! check that chooses a branch therefore uses the closed schema first. In: a normalised schema.
//! Out: the same with unspecified objects closed. Must hold: in doubt it closes too much rather
//! than too little; the open schema is used next.

use serde_json::{Map, Value, json};

use crate::schema::subschemas::{Reach, inner_schemas, position};

/// A normalised schema in which every object with named properties is closed.
pub(crate) fn closed(schema: &Value) -> Value {
    value_schema(schema, schema)
}

/// A schema inside `root` that describes a whole value, closed.
pub(super) fn closed_value(root: &Value, schema: &Value) -> Value {
    value_schema(root, schema)
}

/// A schema that describes a whole value.
fn value_schema(root: &Value, schema: &Value) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut facts = Facts::default();
    look(root, map, 0, &mut facts);
    let mut out = rewritten(root, map, facts.named && (facts.open || facts.closed));
    if facts.named && !facts.open && !facts.closed {
        out.insert("unevaluatedProperties".to_owned(), json!(false));
    }
    Value::Object(out)
}

/// The same schema with its parts closed; `each` closes the objects with named properties one by one.
fn rewritten(root: &Value, map: &Map<String, Value>, each: bool) -> Map<String, Value> {
    let mut out = map.clone();
    for inner in inner_schemas(map) {
        let Some((_, reach)) = position(inner.keyword) else { continue };
        let definition = inner.keyword == "$defs";
        let part = match (inner.schema, reach) {
            (Value::Object(part), Reach::SameValue)
                if inner.keyword != "not" && inner.keyword != "if" =>
            {
                Value::Object(rewritten(root, part, each))
            }
            (Value::Object(part), _) if definition => {
                // A reference to it closes it as a whole; mixed parts can only be closed here.
                let mut facts = Facts::default();
                look(root, part, 0, &mut facts);
                let mixed = facts.named && (facts.open || facts.closed);
                Value::Object(rewritten(root, part, mixed))
            }
            (_, Reach::Part) => value_schema(root, inner.schema),
            (other, _) => other.clone(),
        };
        match (&inner.segment, out.get_mut(inner.keyword)) {
            (Some(segment), Some(Value::Object(map))) => {
                map.insert(segment.clone().into_owned(), part);
            }
            (Some(segment), Some(Value::Array(list))) => {
                let slot = segment.parse::<usize>().ok().and_then(|index| list.get_mut(index));
                if let Some(slot) = slot {
                    *slot = part;
                }
            }
            _ => {
                out.insert(inner.keyword.to_owned(), part);
            }
        }
    }
    // A schema with properties or items and no type is read as one for objects or
    // for lists.
    let has = |keywords: &[&str]| keywords.iter().any(|keyword| map.contains_key(*keyword));
    if !has(&["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"]) {
        if has(&["properties", "required", "patternProperties", "additionalProperties"]) {
            out.insert("type".to_owned(), json!("object"));
        } else if has(&["items", "prefixItems"]) {
            out.insert("type".to_owned(), json!("array"));
        }
    }
    let is_decided = ["additionalProperties", "unevaluatedProperties", "patternProperties"]
        .iter()
        .any(|keyword| map.contains_key(*keyword));
    if each && !is_decided && map.contains_key("properties") {
        out.insert("additionalProperties".to_owned(), json!(false));
    } else if each && !is_decided && map.contains_key("$ref") {
        let mut facts = Facts::default();
        look(root, map, 0, &mut facts);
        if facts.named && !facts.open && !facts.closed {
            out.insert("unevaluatedProperties".to_owned(), json!(false));
        }
    }
    out
}

#[derive(Default)]
struct Facts {
    named: bool,
    open: bool,
    closed: bool,
}

/// The rules of all schemas of one value for its keys.
fn look(root: &Value, map: &Map<String, Value>, depth: usize, facts: &mut Facts) {
    if depth > 20 {
        return;
    }
    facts.named |=
        map.get("properties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        match map.get(keyword) {
            Some(Value::Bool(false)) => facts.closed = true,
            Some(_) => facts.open = true,
            None => {}
        }
    }
    facts.open |=
        map.contains_key("patternProperties") && !map.contains_key("additionalProperties");
    if let Some(name) = map.get("$ref").and_then(Value::as_str)
        && let Some(Value::Object(target)) = root.pointer(&name[1..])
    {
        look(root, target, depth + 1, facts);
    }
    for inner in inner_schemas(map) {
        let same = position(inner.keyword).is_some_and(|(_, reach)| reach == Reach::SameValue);
        if let (Value::Object(part), true) = (inner.schema, same && inner.keyword != "not") {
            look(root, part, depth + 1, facts);
        }
    }
}
