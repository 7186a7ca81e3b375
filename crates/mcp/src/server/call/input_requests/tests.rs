//! Questions and answers in MCP's encoding.

use contract::Asks;
use serde_json::{Value, json};

use super::*;

fn asks(asked: Value) -> Asks {
    Asks::of_answer(&json!({ "ask": asked })).unwrap().unwrap()
}

#[test]
fn every_question_round_trips_through_the_protocol_types() {
    let one_of = json!([{ "const": "a", "title": "A" }]);
    let schema = json!({ "type": "object", "properties": {
        "text": { "type": "string", "minLength": 1, "format": "email", "default": "a@b.c" },
        "number": { "type": "number", "minimum": 0.5, "default": 95.5 },
        "whole": { "type": "integer", "maximum": 9, "default": 3 },
        "flag": { "type": "boolean", "title": "T", "description": "D", "default": true },
        "plain": { "type": "string", "enum": ["a", "b"], "default": "b" },
        "titled": { "type": "string", "oneOf": one_of },
        "old": { "type": "string", "enum": ["a"], "enumNames": ["A"] },
        "many": { "type": "array", "minItems": 1, "items": { "type": "string", "enum": ["a"] } },
        "many_titled": { "type": "array", "items": { "anyOf": one_of } },
    }, "required": ["text"] });
    let asks = asks(json!({
        "person": { "message": "Who?", "schema": schema },
        "model": { "kind": "model", "message": "Hi", "system": "Be kind.", "maxTokens": 100 },
        "folders": { "kind": "folders" },
    }));
    for (name, question) in asks.iter() {
        let spelled = spelled(question);
        let request: InputRequest = serde_json::from_value(spelled.clone()).unwrap();
        let mut back = serde_json::to_value(request).unwrap();
        if let Some(params) = back.get_mut("params").and_then(Value::as_object_mut) {
            params.remove("mode");
        }
        for (field, value) in spelled["params"].as_object().into_iter().flatten() {
            assert_eq!(&back["params"][field], value, "{name}: {back}");
        }
        let request: Result<ServerRequest, _> = serde_json::from_value(spelled);
        assert!(request.is_ok(), "{name}");
    }
}

#[test]
fn answers_are_read_by_the_kind_of_their_question() {
    let asks = asks(json!({
        "person": { "message": "Who?", "schema":
            { "type": "object", "properties": { "name": { "type": "string" } } } },
        "model": { "kind": "model", "message": "Hi" },
        "folders": { "kind": "folders" },
    }));
    let check = |name: &str, response: Value, expected: Option<Value>| {
        let replied = replied(asks.get(name).unwrap(), &response);
        assert_eq!(replied.map(|replied| json!(replied)), expected, "{name} {response}");
    };
    let accepted = |content: Value| Some(json!({ "action": "accept", "content": content }));
    check(
        "person",
        json!({ "action": "accept", "content": { "name": "Ana" } }),
        accepted(json!({ "name": "Ana" })),
    );
    check(
        "person",
        json!({ "action": "decline" }),
        Some(json!({ "action": "decline", "content": null })),
    );
    check("person", json!({ "action": "shrug" }), None);
    check("person", json!(12345), None);
    let text = json!({ "type": "text", "text": "Paris" });
    check(
        "model",
        json!({ "role": "assistant", "content": text }),
        accepted(json!({ "text": "Paris" })),
    );
    check("model", json!({ "content": [text, text] }), accepted(json!({ "text": "ParisParis" })));
    check("model", json!({ "content": { "type": "image" } }), None);
    let roots = json!([{ "uri": "file:///a", "name": "A" }]);
    check("folders", json!({ "roots": roots }), accepted(json!({ "folders": roots })));
    check("folders", json!({}), None);
}
