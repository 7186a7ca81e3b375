//! Lenient accessors for foreign JSON: a missing value is empty, never a panic.

use serde_json::{Map, Value};

pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn count(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

/// Removes a field and returns it.
pub(super) fn take(value: &mut Value, key: &str) -> Option<Value> {
    value.get_mut(key).map(Value::take)
}

/// Merges a delta into an item: strings and lists are appended to, new fields are set.
pub(super) fn grow(item: &mut Map<String, Value>, delta: Map<String, Value>) {
    for (key, piece) in delta {
        match (item.get_mut(&key), piece) {
            (Some(Value::String(text)), Value::String(more)) => text.push_str(&more),
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (Some(_), Value::Null) => {}
            (_, piece) => {
                item.insert(key, piece);
            }
        }
    }
}
