//! Valid and invalid questions.

use serde_json::{Value, json};

use super::*;

#[track_caller]
fn check(asked: Value, expected: &str) {
    let result = match Asks::of_answer(&json!({ "ask": asked })).unwrap() {
        Ok(asks) => {
            let words = asks.kinds().iter().map(|kind| kind.as_str()).collect::<Vec<_>>();
            words.join(" ")
        }
        Err(bad) => bad.to_string(),
    };
    assert_eq!(result, expected);
}

fn form(field: Value) -> Value {
    let schema = json!({ "type": "object", "properties": { "f": field } });
    json!({ "q": { "message": "What?", "schema": schema } })
}

#[test]
fn only_a_response_with_ask_and_without_ok_asks() {
    assert_eq!(Asks::of_answer(&json!({ "ok": true, "ask": {}, "data": 1 })), None);
    assert_eq!(Asks::of_answer(&json!({ "data": 1 })), None);
    assert_eq!(Asks::of_answer(&json!("ask")), None);
}

#[test]
fn every_plain_form_can_be_asked() {
    for field in [
        json!({ "type": "string", "minLength": 1, "maxLength": 9, "default": "a" }),
        json!({ "type": "string", "format": "email", "title": "T", "description": "D" }),
        json!({ "type": "number", "minimum": 0, "maximum": 1.5, "default": 0.5 }),
        json!({ "type": "integer", "default": 3 }),
        json!({ "type": "boolean", "default": true }),
        json!({ "type": "string", "enum": ["a", "b"], "default": "a" }),
        json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"] }),
        json!({ "type": "string", "oneOf": [{ "const": "a", "title": "A" }] }),
        json!({ "type": "array", "items": { "type": "string", "enum": ["a"] }, "maxItems": 1 }),
        json!({ "type": "array", "items": { "anyOf": [{ "const": "a", "title": "A" }] } }),
    ] {
        check(form(field), "person");
    }
}

#[test]
fn schemas_that_no_form_can_show_are_refused() {
    let refused = |field: Value, why: &str| check(form(field), &format!("the question `q`: {why}"));
    refused(
        json!({ "type": "object" }),
        "`schema` has a field `f` that is not a string, number, integer, boolean, or a list of \
         options",
    );
    refused(
        json!({ "type": "string", "pattern": "(a+)+$" }),
        "`schema` is more than a form: its field `f` has `pattern`, which cannot be shown",
    );
    refused(
        json!({ "type": "array", "items": { "type": "string" } }),
        "`schema` has a list `f` without options to choose from",
    );
    let wrong = "`schema` has a field `f` whose options cannot be shown";
    refused(json!({ "type": "string", "enum": [] }), wrong);
    refused(json!({ "type": "string", "enum": [1] }), wrong);
    refused(json!({ "type": "string", "enum": ["a"], "enumNames": [] }), wrong);
    refused(json!({ "type": "string", "oneOf": [{ "const": "a" }] }), wrong);
    refused(
        json!({ "type": "string", "format": "regex" }),
        "`schema` has a field `f` whose format is unknown",
    );
    let schema = json!({ "type": "object", "properties": { "f": { "type": "string" } },
                         "required": ["g"] });
    check(
        json!({ "q": { "message": "What?", "schema": schema } }),
        "the question `q`: `schema` has a `required` field that is not declared",
    );
    let long = "x".repeat(17_000);
    refused(json!({ "type": "string", "title": long }), "`schema` has more than 16384 bytes");
}

#[test]
fn models_and_folders_can_be_asked() {
    check(
        json!({ "m": { "kind": "model", "message": "Hi", "maxTokens": 100, "system": "Be kind." },
                "f": { "kind": "folders" } }),
        "model folders",
    );
    check(
        json!({ "m": { "kind": "model", "message": "Hi", "maxTokens": 0 } }),
        "the question `m`: `maxTokens` must be a whole number from 1 to 8192",
    );
    check(
        json!({ "f": { "kind": "folders", "message": "?" } }),
        "the question `f` has an unknown field `message`",
    );
}

#[test]
fn the_number_and_the_names_of_questions_have_limits() {
    check(json!({}), "`ask` must be an object with 1 to 8 questions");
    check(json!([1]), "`ask` must be an object with 1 to 8 questions");
    let nine: Value = (0..9).map(|n| (format!("q{n}"), json!({ "kind": "folders" }))).collect();
    check(nine, "`ask` must be an object with 1 to 8 questions");
    check(
        json!({ "a b": { "kind": "folders" } }),
        "`a b` is not a valid question name; use 1 to 64 of A-Z, a-z, 0-9, `_`, `-` and `.`",
    );
    check(json!({ "q": 1 }), "the question `q` must be an object");
    check(
        json!({ "q": { "kind": "people" } }),
        "the kind of the question `q`: `people` is not one of `person`, `model`, `folders`",
    );
    check(
        json!({ "q": { "message": " ", "schema": form(json!({ "type": "string" }))["q"]["schema"] } }),
        "the question `q`: `message` must be a string of 1 to 2000 characters",
    );
}
