//! Single keywords, lowered for targets.

#![expect(clippy::needless_pass_by_value, reason = "tables read better with their JSON in place")]

use serde_json::{Value, json};

use crate::tests::wire::compile_one;
use crate::{LossKind, target};

/// The wire schema of one property `v`, required.
#[track_caller]
fn check(target_name: &str, schema: Value, expected: Value) {
    let contract = json!({"type": "object", "properties": {"v": schema}, "required": ["v"]});
    let tool = compile_one(&contract, target(target_name).unwrap()).unwrap();
    let found = tool.schema().and_then(|schema| schema.pointer("/properties/v")).cloned();
    assert_eq!(found.unwrap(), expected, "{target_name}: {}", tool.wire);
}

#[test]
fn bounds_are_kept_made_inclusive_or_noted() {
    let whole = json!({"type": "integer", "exclusiveMinimum": 0, "maximum": 9});
    check(
        "gemini-parameters",
        whole.clone(),
        json!({"type": "INTEGER", "minimum": 1, "maximum": 9}),
    );
    check(
        "openai-chat-strict",
        whole.clone(),
        json!({"type": "integer", "exclusiveMinimum": 0, "maximum": 9}),
    );
    check(
        "anthropic-strict",
        whole,
        json!({"type": "integer", "description": "[more than 0; at most 9]"}),
    );
    let real = json!({"type": "number", "exclusiveMinimum": 0, "description": "A share"});
    check(
        "gemini",
        real,
        json!({"type": "number", "description": "A share [more than 0]", "minimum": 0}),
    );
}

#[test]
fn listed_values_take_the_form_that_the_target_supports() {
    let numbers = json!({"enum": [1, 5]});
    check("gemini", numbers.clone(), json!({"type": "integer", "enum": [1, 5]}));
    check("gemini-parameters", numbers, json!({"type": "STRING", "enum": ["1", "5"]}));
    check(
        "gemini-parameters",
        json!({"const": 2}),
        json!({"type": "INTEGER", "minimum": 2, "maximum": 2}),
    );
    check(
        "openai-chat-strict",
        json!({"enum": [{"a": 1}, "x"]}),
        json!({"type": "string", "enum": ["{\"a\":1}", "x"]}),
    );
    check(
        "openai-chat-strict",
        json!({"enum": ["a", null]}),
        json!({"type": ["string", "null"], "enum": ["a", null]}),
    );
    check(
        "anthropic-strict",
        json!({"enum": ["a", null]}),
        json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
    );
    check(
        "gemini-parameters",
        json!({"enum": ["a", null]}),
        json!({"type": "STRING", "enum": ["a"], "nullable": true}),
    );
}

#[test]
fn unions_have_no_siblings_where_the_target_forbids_them() {
    let union = json!({"description": "Either", "anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]});
    check(
        "gemini-parameters",
        union.clone(),
        json!({"anyOf": [{"type": "STRING", "nullable": true, "description": "Either"}, {"type": "INTEGER"}]}),
    );
    check(
        "openai-chat-strict",
        union,
        json!({"type": ["string", "integer", "null"], "description": "Either"}),
    );
}

#[test]
fn maps_are_pairs_and_free_values_are_strings() {
    check(
        "openai-chat-strict",
        json!({"type": "object", "additionalProperties": {"type": "integer"}, "description": "Scores"}),
        json!({"type": "array", "description": "Scores [one entry per key]", "items": {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "integer"}}, "required": ["key", "value"], "additionalProperties": false}}),
    );
    check(
        "openai-chat-strict",
        json!({"description": "Whatever"}),
        json!({"type": "string", "description": "Whatever [JSON text]"}),
    );
    check(
        "gemini",
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
    );
}

#[test]
fn losses_name_the_place_in_the_authors_schema() {
    let contract = json!({"type": "object", "additionalProperties": false, "definitions": {"P": {"type": "integer", "minimum": 1}}, "properties": {"v": {"$ref": "#/definitions/P"}}});
    let tool = compile_one(&contract, target("anthropic-strict").unwrap()).unwrap();
    let places: Vec<&str> = tool.losses.iter().map(|loss| loss.pointer.as_str()).collect();
    assert_eq!(places, ["/definitions/P/minimum"]);
}

#[test]
fn an_object_that_is_closed_only_on_the_wire_is_reported() {
    let open =
        json!({"type": "object", "properties": {"a": {"properties": {"b": {"type": "string"}}}}});
    let found = |name: &str| {
        let tool = compile_one(&open, target(name).unwrap()).unwrap();
        let losses = tool.losses.into_iter().filter(|loss| loss.fate == LossKind::Noted);
        losses.map(|loss| (loss.pointer, loss.keyword)).collect::<Vec<_>>()
    };
    let closed = |place: &str| (place.to_owned(), "additionalProperties".to_owned());
    let read = ("/properties/a".to_owned(), "type".to_owned());
    for name in ["openai-chat-strict", "anthropic-strict", "gemini-parameters"] {
        let all = found(name);
        assert!(all.contains(&closed("")) && all.contains(&closed("/properties/a")), "{all:?}");
        assert!(all.contains(&read), "{name}: {all:?}");
    }
    assert_eq!(found("openai-chat"), []);
    assert_eq!(found("gemini"), [read]);
}
