//! Adds notes to the description for what the wire schema cannot express.

use serde_json::{Map, Value};

use super::Lowered;
use crate::plan::Step;

/// A default longer than this is not repeated in a description.
const DEFAULT_CHARS_MAX: usize = 120;

/// The schema with its notes in the description, and its step.
pub(crate) fn written(lowered: Lowered) -> (Map<String, Value>, Step) {
    let Lowered { schema, step, description, notes } = lowered;
    let Some(text) = described(description, &notes) else { return (schema, step) };
    let schema = if schema.contains_key("$ref") { alone(schema) } else { schema };
    let mut schema = schema;
    // The type comes first, as usual.
    let place = usize::from(schema.contains_key("type"));
    schema.shift_insert(place, "description".to_owned(), text.into());
    (schema, step)
}

/// A reference allows no siblings, so it moves into a separate branch.
fn alone(reference: Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(reference)]));
    out
}

pub(crate) fn described(description: Option<String>, notes: &[String]) -> Option<String> {
    let description = description.filter(|text| !text.trim().is_empty());
    if notes.is_empty() {
        return description;
    }
    let rules = format!("[{}]", notes.join("; "));
    Some(match description {
        Some(text) => format!("{text} {rules}"),
        None => rules,
    })
}

pub(crate) fn default_note(value: &Value) -> Option<String> {
    let text = value.to_string();
    (text.chars().count() <= DEFAULT_CHARS_MAX).then(|| format!("default {text}"))
}
