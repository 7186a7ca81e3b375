//! Small checks of JSON values that every wire needs.

use serde_json::Value;

/// The faults, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Lines(Vec<String>);

impl Lines {
    pub(crate) fn say(&mut self, place: &str, what: &str) {
        self.0.push(format!("{place}: {what}"));
    }

    pub(crate) fn into_found(self) -> Vec<String> {
        self.0
    }
}

/// Refuses unknown fields, and values that are not objects.
pub(crate) fn known(lines: &mut Lines, place: &str, value: &Value, known: &[&str]) {
    let Some(fields) = value.as_object() else {
        lines.say(place, "must be an object");
        return;
    };
    for key in fields.keys().filter(|key| !known.contains(&key.as_str())) {
        let at = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        lines.say(&at, "unknown field, extra inputs are not permitted");
    }
}

/// A required, non-empty text.
pub(crate) fn text<'a>(lines: &mut Lines, place: &str, value: &'a Value, key: &str) -> &'a str {
    match value.get(key).map(Value::as_str) {
        Some(Some(text)) if !text.is_empty() => text,
        Some(Some(_)) => {
            lines.say(&format!("{place}.{key}"), "must not be empty");
            ""
        }
        Some(None) => {
            lines.say(&format!("{place}.{key}"), "must be a string");
            ""
        }
        None => {
            lines.say(&format!("{place}.{key}"), "field required");
            ""
        }
    }
}

/// The items of a required, non-empty list.
pub(crate) fn list<'a>(lines: &mut Lines, place: &str, value: &'a Value) -> &'a [Value] {
    match value.as_array().map(Vec::as_slice) {
        Some([]) => {
            lines.say(place, "at least one item is required");
            &[]
        }
        Some(items) => items,
        None => {
            lines.say(place, "must be a list");
            &[]
        }
    }
}

/// One of these values, if the field is present.
pub(super) fn word(lines: &mut Lines, value: &Value, place: &str, key: &str, words: &[&str]) {
    let Some(found) = value.get(key).filter(|found| !found.is_null()) else { return };
    if !found.as_str().is_some_and(|found| words.contains(&found)) {
        let what = format!("must be one of {}, not {found}", words.join(", "));
        lines.say(&format!("{place}{key}"), &what);
    }
}

/// A boolean, if the field is present.
pub(super) fn flag(lines: &mut Lines, value: &Value, key: &str) {
    if value.get(key).is_some_and(|found| !found.is_boolean() && !found.is_null()) {
        lines.say(key, "must be true or false");
    }
}

/// An integer of at least `min`, if the field is present.
pub(super) fn count(lines: &mut Lines, value: &Value, place: &str, key: &str, min: u64) {
    let Some(found) = value.get(key).filter(|found| !found.is_null()) else { return };
    if found.as_u64().is_none_or(|found| found < min) {
        lines.say(&format!("{place}{key}"), &format!("must be a whole number of at least {min}"));
    }
}
