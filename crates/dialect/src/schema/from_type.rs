//! Contract parameters from a Rust type, so that a native tool needs no hand-written
//! schema.
//!
//! In: a type that derives `schemars::JsonSchema`. Out: 2020-12 parameters. Must hold:
//! no `$schema`; references only where the type is recursive; objects are closed unless
//! the type is a map or flattens one; widths of integers are bounds; doc comments are
//! descriptions. The same type gives the same bytes.

use std::borrow::Cow;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::schema::subschemas::{Reach, inner_schemas, position};

/// The parameters of a tool whose arguments are a `T`.
pub fn parameters_of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    if let Value::Object(map) = &mut schema {
        // The name of the type is useless to a model.
        map.shift_remove("title");
    }
    finish(&mut schema, Reach::Part);
    schema
}

/// Closes objects and turns widths into bounds, inner schemas first.
fn finish(schema: &mut Value, reach: Reach) {
    let Value::Object(map) = schema else { return };
    let inner: Vec<(String, Option<String>)> = inner_schemas(map)
        .into_iter()
        .map(|inner| (inner.keyword.to_owned(), inner.segment.map(Cow::into_owned)))
        .collect();
    let united = ["anyOf", "oneOf", "allOf", "$ref", "if"].iter().any(|key| map.contains_key(*key));
    for (keyword, segment) in inner {
        let reach = match position(&keyword) {
            // Branches beside properties are closed from outside, otherwise each would forbid
            // the properties around it.
            Some((_, Reach::SameValue)) if map.contains_key("properties") => Reach::SameValue,
            Some((_, Reach::SameValue)) => reach,
            Some((_, Reach::Part)) | None => Reach::Part,
        };
        let slot = match (map.get_mut(&keyword), segment) {
            (Some(Value::Object(entries)), Some(name)) if keyword_is_map(&keyword) => {
                entries.get_mut(&name)
            }
            (Some(Value::Array(list)), Some(index)) => {
                index.parse::<usize>().ok().and_then(|index| list.get_mut(index))
            }
            (slot, _) => slot,
        };
        if let Some(slot) = slot {
            finish(slot, reach);
        }
    }
    bound_width(map);
    let named = map.get("properties").is_some();
    let is_decided = map.contains_key("additionalProperties")
        || map.contains_key("unevaluatedProperties")
        || map.contains_key("patternProperties");
    if named && !is_decided && reach == Reach::Part {
        let keyword = if united { "unevaluatedProperties" } else { "additionalProperties" };
        map.insert(keyword.to_owned(), json!(false));
    }
}

fn keyword_is_map(keyword: &str) -> bool {
    matches!(keyword, "properties" | "patternProperties" | "$defs" | "dependentSchemas")
}

/// `format: uint8` and similar formats state a width; every provider understands bounds.
fn bound_width(map: &mut Map<String, Value>) {
    let Some(format) = map.get("format").and_then(Value::as_str) else { return };
    let (least, most) = match format {
        "uint8" => (json!(0), json!(u8::MAX)),
        "uint16" => (json!(0), json!(u16::MAX)),
        "uint32" => (json!(0), json!(u32::MAX)),
        "uint64" | "uint" => (json!(0), json!(u64::MAX)),
        "int8" => (json!(i8::MIN), json!(i8::MAX)),
        "int16" => (json!(i16::MIN), json!(i16::MAX)),
        "int32" => (json!(i32::MIN), json!(i32::MAX)),
        "int64" | "int" => (json!(i64::MIN), json!(i64::MAX)),
        "uint128" => (json!(0), Value::Null),
        "int128" | "float" | "double" => (Value::Null, Value::Null),
        _ => return,
    };
    map.shift_remove("format");
    for (keyword, bound) in [("minimum", least), ("maximum", most)] {
        if !bound.is_null() && !map.contains_key(keyword) {
            map.insert(keyword.to_owned(), bound);
        }
    }
}

#[cfg(test)]
mod tests;
