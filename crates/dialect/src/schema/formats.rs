//! Turns the formats of a schema into notes: formats are described, not enforced.
//!
//! JSON Schema leaves it open whether `format` is enforced, and most authors never had theirs
//! enforced: their server accepts an id that is almost a UUID.

use serde_json::{Map, Value};

use crate::schema::subschemas::{Position, position};

/// The same schema, with each `format` stated in the description.
pub fn formats_as_notes(schema: &Value) -> Value {
    let rewritten = schema.as_object().map(|map| Value::Object(keywords(map)));
    rewritten.unwrap_or_else(|| schema.clone())
}

fn keywords(map: &Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::with_capacity(map.len());
    for (keyword, value) in map.iter().filter(|(keyword, _)| *keyword != "format") {
        out.insert(keyword.clone(), inside(keyword, value));
    }
    if let Some(format) = map.get("format").and_then(Value::as_str) {
        let note = format!("format: {format}");
        let text = map.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = if text.is_empty() { note } else { format!("{text} ({note})") };
        out.insert("description".to_owned(), description.into());
    }
    out
}

/// The value of a keyword, with the schemas in it rewritten.
fn inside(keyword: &str, value: &Value) -> Value {
    let each = |list: &[Value]| Value::Array(list.iter().map(formats_as_notes).collect());
    match (position(keyword).map(|(position, _)| position), value) {
        (Some(Position::Schema | Position::SchemaOrList), Value::Object(_)) => {
            formats_as_notes(value)
        }
        (Some(Position::List | Position::SchemaOrList), Value::Array(list)) => each(list),
        (Some(Position::Map | Position::Dependencies), Value::Object(map)) => {
            let one = |(name, schema): (&String, &Value)| (name.clone(), formats_as_notes(schema));
            Value::Object(map.iter().map(one).collect())
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests;
