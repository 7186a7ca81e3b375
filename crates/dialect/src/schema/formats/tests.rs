//! Formats, and things that only look like them.

use serde_json::{Value, json};

use super::formats_as_notes;

#[track_caller]
fn check(before: Value, after: Value) {
    assert_eq!(formats_as_notes(&before), after);
}

#[test]
fn a_format_becomes_a_note() {
    check(
        json!({ "type": "string", "format": "uuid" }),
        json!({ "type": "string", "description": "format: uuid" }),
    );
    check(
        json!({ "properties": { "at": { "format": "date", "description": "When" } } }),
        json!({ "properties": { "at": { "description": "When (format: date)" } } }),
    );
    check(
        json!({ "anyOf": [{ "format": "uri" }, { "items": [{ "format": "ipv4" }] }] }),
        json!({ "anyOf": [
            { "description": "format: uri" },
            { "items": [{ "description": "format: ipv4" }] },
        ] }),
    );
}

#[test]
fn a_property_or_a_value_of_that_name_is_kept() {
    let same = json!({
        "properties": { "format": { "enum": [{ "format": "uuid" }] } },
        "required": ["format"],
        "default": { "format": "png" },
        "examples": [{ "format": "uuid" }],
    });
    check(same.clone(), same);
}
