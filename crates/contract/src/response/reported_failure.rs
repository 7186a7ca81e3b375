//! Detects data that was returned as a success and reports a failure.
//!
//! Many handlers never throw: they return `{"success": false, "message": …}`. Such a result
//! is an error for the model, the person, the memory and the ledger.
//!
//! Data reports a failure if it is an object, and at its top level
//! - `ok` or `success` is `false`, or
//! - there is a non-empty `error`, and only text about the error next to it.
//!
//! A field that the tool's `returns` describes is data: there `{"ok": false}` is a result,
//! such as that of a tool that checks whether a server is up.

use serde_json::{Map, Value};

/// Flags that are true on success.
const FLAGS: [&str; 2] = ["ok", "success"];
const ERROR: &str = "error";
/// Fields next to `error` that are not data.
const ABOUT_ERRORS: [&str; 9] =
    ["code", "detail", "details", "hint", "message", "reason", "status", "title", "type"];
/// The fields that may hold the message, best first.
const SENTENCES: [&str; 4] = ["message", ERROR, "reason", "detail"];

/// The message of the failure, if the data is one, with everything else it has.
pub fn failure_in(data: &Value, returns: Option<&Value>) -> Option<String> {
    let fields = data.as_object()?;
    let described = returns.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let is_data = |name: &str| described.is_some_and(|described| described.contains_key(name));
    let flagged =
        FLAGS.iter().any(|flag| fields.get(*flag) == Some(&Value::Bool(false)) && !is_data(flag));
    let only_an_error = fields.get(ERROR).is_some_and(says_something)
        && !is_data(ERROR)
        && fields.keys().map(String::as_str).all(is_about_errors);
    (flagged || only_an_error).then(|| sentence(fields))
}

fn is_about_errors(name: &str) -> bool {
    name == ERROR || FLAGS.contains(&name) || ABOUT_ERRORS.contains(&name)
}

fn says_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) | Value::Number(_) => true,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// The rest of the data follows the message as JSON.
fn sentence(fields: &Map<String, Value>) -> String {
    let text_of = |name: &&str| -> Option<String> {
        let value = fields.get(*name)?;
        let text = value.as_str().or_else(|| value.get("message")?.as_str())?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let found = SENTENCES.iter().find_map(|name| Some((*name, text_of(name)?)));
    let is_message = |name: &str| match &found {
        Some((place, _)) => name == *place && fields.get(name).is_some_and(Value::is_string),
        None => false,
    };
    let rest: Map<String, Value> = fields
        .iter()
        .filter(|(name, _)| !FLAGS.contains(&name.as_str()) && !is_message(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let text = found.as_ref().map_or("The tool says that it failed.", |(_, text)| text.as_str());
    match rest.is_empty() {
        true => text.to_owned(),
        false => format!("{text} {}", Value::Object(rest)),
    }
}

#[cfg(test)]
mod tests;
