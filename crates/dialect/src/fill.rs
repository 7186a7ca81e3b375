//! Fills in what a call left out, and takes out what a contract does not name.
//!
//! Both walk the schema by keyword position, through `properties`, `items`, `allOf` and
//! local references. Neither goes into `anyOf`, `oneOf` or conditions: which branch
//! holds is for the validator to say.

use serde_json::Value;

use crate::position::joined;

/// How deep a value is followed: more than any contract may nest.
const DEPTH_MAX: usize = 64;

/// Puts each declared default where the value has nothing.
pub(crate) fn fill_defaults(root: &Value, value: &mut Value) {
    each_schema(root, root, value, 0, &mut |schema, value| {
        let (Some(Value::Object(properties)), Value::Object(fields)) =
            (schema.get("properties"), value)
        else {
            return;
        };
        for (name, property) in properties {
            if let Some(default) = property.get("default")
                && !fields.contains_key(name)
            {
                fields.insert(name.clone(), default.clone());
            }
        }
    });
}

/// Takes out each property that a closed object does not name; returns their pointers.
pub(crate) fn strip_unknown(root: &Value, value: &mut Value) -> Vec<String> {
    let mut stripped = Vec::new();
    strip(root, root, value, "", 0, &mut stripped);
    stripped
}

fn strip(
    root: &Value,
    schema: &Value,
    value: &mut Value,
    place: &str,
    depth: usize,
    out: &mut Vec<String>,
) {
    let Some(schema) = resolve(root, schema).filter(|_| depth < DEPTH_MAX) else { return };
    match value {
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let patterned = schema.get("patternProperties").is_some();
            let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
            if closed && !patterned {
                let known = |name: &str| properties.is_some_and(|map| map.contains_key(name));
                let gone: Vec<_> = fields.keys().filter(|name| !known(name)).cloned().collect();
                for name in gone {
                    fields.shift_remove(&name);
                    out.push(joined(place, &name));
                }
            }
            for (name, property) in properties.into_iter().flatten() {
                if let Some(field) = fields.get_mut(name) {
                    strip(root, property, field, &joined(place, name), depth + 1, out);
                }
            }
        }
        Value::Array(items) => {
            let Some(item_schema) = schema.get("items") else { return };
            for (index, item) in items.iter_mut().enumerate() {
                strip(root, item_schema, item, &joined(place, &index.to_string()), depth + 1, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Calls `visit` for the value and everything in it, with each schema that must hold there.
fn each_schema(
    root: &Value,
    schema: &Value,
    value: &mut Value,
    depth: usize,
    visit: &mut impl FnMut(&Value, &mut Value),
) {
    if depth >= DEPTH_MAX {
        return;
    }
    let Some(schema) = resolve(root, schema) else { return };
    visit(schema, value);
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        each_schema(root, part, value, depth + 1, visit);
    }
    match value {
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                if let Some(field) = fields.get_mut(name) {
                    each_schema(root, property, field, depth + 1, visit);
                }
            }
        }
        Value::Array(items) => {
            if let Some(item_schema) = schema.get("items") {
                for item in items {
                    each_schema(root, item_schema, item, depth + 1, visit);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Follows local references; a chain that does not end resolves to nothing.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..DEPTH_MAX {
        match schema.get("$ref") {
            Some(Value::String(reference)) => {
                schema = root.pointer(reference.strip_prefix('#')?)?;
            }
            _ => return Some(schema),
        }
    }
    None
}
