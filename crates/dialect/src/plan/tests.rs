//! Arguments encoded and decoded, and common mistakes of models.

#![expect(clippy::needless_pass_by_value, reason = "tables read better with their JSON in place")]

use serde_json::{Value, json};

use crate::target;
use crate::tests::wire::compile_one;

#[track_caller]
fn check_decode(target_name: &str, schema: Value, wire: Value, expected: Value) {
    let tool = compile_one(&schema, target(target_name).unwrap()).unwrap();
    let found = match tool.plan.decode(&wire) {
        Ok(value) => value,
        Err(fault) => json!(fault.to_string()),
    };
    assert_eq!(found, expected, "{target_name}: {}", tool.wire);
}

fn search() -> Value {
    json!({"type": "object", "properties": {
        "unit": {"type": "string", "enum": ["Celsius", "Fahrenheit"]},
        "filter": {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": false},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "any": {}, "text": {"type": "string"}}})
}

#[test]
fn stringified_objects_are_parsed_where_only_an_object_fits() {
    check_decode(
        "anthropic",
        search(),
        json!({"filter": "{\"a\": 1}"}),
        json!({"filter": {"a": 1}}),
    );
    check_decode(
        "anthropic",
        search(),
        json!("{\"filter\": {\"a\": 1}}"),
        json!({"filter": {"a": 1}}),
    );
    check_decode(
        "openai-responses-strict",
        search(),
        json!({"filter": "{\"a\": 1}", "unit": null}),
        json!({"filter": {"a": 1}}),
    );
    check_decode(
        "anthropic",
        search(),
        json!({"text": "{\"a\": 1}"}),
        json!({"text": "{\"a\": 1}"}),
    );
    check_decode("anthropic", search(), json!({"any": "{\"a\": 1}"}), json!({"any": "{\"a\": 1}"}));
}

#[test]
fn upper_case_is_repaired_only_for_providers_that_change_it() {
    check_decode(
        "anthropic-strict",
        search(),
        json!({"unit": "celsius"}),
        json!({"unit": "Celsius"}),
    );
    check_decode(
        "openai-responses",
        search(),
        json!({"unit": "celsius"}),
        json!({"unit": "celsius"}),
    );
    let twins = json!({"type": "object", "properties": {"v": {"enum": ["a", "A", "b"]}}});
    check_decode("anthropic", twins.clone(), json!({"v": "A"}), json!({"v": "A"}));
    check_decode("anthropic", twins, json!({"v": "B"}), json!({"v": "b"}));
}

#[test]
fn the_fault_of_an_undecodable_value_says_what_to_change() {
    check_decode(
        "anthropic-strict",
        search(),
        json!({"labels": [{"key": "a", "value": "1"}, {"key": "a", "value": "2"}]}),
        json!("/labels: the key `a` appears twice"),
    );
    check_decode(
        "anthropic-strict",
        search(),
        json!({"labels": [{"key": "a"}]}),
        json!("/labels/0: each entry must be `{\"key\": …, \"value\": …}`"),
    );
    let tool = compile_one(&search(), target("gemini-parameters").unwrap()).unwrap();
    let fault = tool.plan.decode(&json!({"any": "{\"a\""})).unwrap_err();
    assert_eq!(fault.pointer, "/any");
    assert!(fault.what.starts_with("the string must be JSON"), "{fault}");
}

#[test]
fn absent_and_null_are_distinguished() {
    let schema = json!({"type": "object", "properties": {"note": {"type": ["string", "null"]}}});
    let tool = compile_one(&schema, target("openai-chat-strict").unwrap()).unwrap();
    for (args, wire) in [
        (json!({}), json!({"note": null})),
        (json!({"note": null}), json!({"note": {"explicit_null": true}})),
        (json!({"note": "x"}), json!({"note": "x"})),
    ] {
        assert_eq!(tool.plan.encode(&args).unwrap(), wire);
        assert_eq!(tool.plan.decode(&wire).unwrap(), args);
    }
}

#[test]
fn a_value_that_the_contract_refuses_is_never_encoded_as_another() {
    let schema = json!({"type": "object", "properties": {"unit": {"type": "string", "enum": ["C", "F"]}, "n": {"type": "integer", "enum": [1, 7]}}});
    let strict = compile_one(&schema, target("openai-chat-strict").unwrap()).unwrap();
    assert!(strict.plan.encode(&json!({"unit": null})).is_err());
    let gemini = compile_one(&schema, target("gemini-parameters").unwrap()).unwrap();
    assert_eq!(gemini.plan.encode(&json!({"n": 7})).unwrap(), json!({"n": "7"}));
    assert!(gemini.plan.encode(&json!({"n": "7"})).is_err());
    let anthropic = compile_one(&schema, target("anthropic").unwrap()).unwrap();
    assert!(anthropic.plan.encode(&json!({"unit": "c"})).is_err());
}

#[test]
fn a_plan_prints_what_happens_and_where() {
    let tool = compile_one(&search(), target("openai-chat-strict").unwrap()).unwrap();
    let text = tool.plan.to_string();
    assert!(text.contains("/labels: object as a list of key and value"), "{text}");
    assert!(text.contains("/any: JSON in a string"), "{text}");
    let json = serde_json::to_value(&tool.plan).unwrap();
    assert!(json["shape"]["root"]["object"]["fields"].is_array(), "{json}");
    let mcp = compile_one(&search(), target("mcp").unwrap()).unwrap();
    assert_eq!(mcp.plan.to_string(), "the arguments are sent unchanged");
}
