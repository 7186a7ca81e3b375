//! The result of a call as text, for wires whose results are text.

use contract::CallResult;
use serde_json::{Value, json};

/// The content as the model reads it: text unchanged, anything else as JSON.
pub(super) fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            content.to_string()
        }
    }
}

/// The same for wires that cannot flag an error: the text says it.
pub(super) fn marked_text(result: &CallResult) -> String {
    match result.is_error {
        true => json!({ "error": result.content }).to_string(),
        false => content_text(&result.content),
    }
}
