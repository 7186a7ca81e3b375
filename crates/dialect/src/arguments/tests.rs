//! TK-07 and TK-08: what is refused, what is filled in, and the messages.

use serde_json::json;

use super::*;

fn search() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["query"],
        "properties": {
            "query": {"type": "string", "minLength": 3, "maxLength": 20},
            "top_k": {"type": "integer", "minimum": 1, "maximum": 10, "default": 5},
            "filters": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "kind": {"enum": ["person", "lab"]},
                    "fresh": {"type": "boolean", "default": true}
                }
            }
        }
    })
}

#[track_caller]
fn check(schema: Value, args: Value, expected: &str) {
    check_with(schema, args, UnknownArguments::Refuse, expected);
}

#[track_caller]
fn check_with(schema: Value, args: Value, unknown: UnknownArguments, expected: &str) {
    let shown = match Arguments::compile(&schema).unwrap().check(args, unknown) {
        Ok(CheckedArguments { args, stripped }) if stripped.is_empty() => args.to_string(),
        Ok(CheckedArguments { args, stripped }) => format!("{args} without {}", stripped.join(" ")),
        Err(rejection) => format!("refused: {rejection}"),
    };
    assert_eq!(shown, expected);
}

/// TK-08
#[test]
fn tk_08_declared_defaults_are_filled_in() {
    check(search(), json!({"query": "clock"}), r#"{"query":"clock","top_k":5}"#);
    check(
        search(),
        json!({"query": "clock", "filters": {}}),
        r#"{"query":"clock","filters":{"fresh":true},"top_k":5}"#,
    );
    check(search(), json!({"query": "clock", "top_k": 2}), r#"{"query":"clock","top_k":2}"#);
}

/// TK-08
#[test]
fn tk_08_nothing_is_coerced() {
    check(
        search(),
        json!({"query": "clock", "top_k": "5"}),
        "refused: /top_k: `\"5\"` is a string; it must be an integer",
    );
    check(search(), json!({"query": 5}), "refused: /query: `5` is a number; it must be a string");
    let listed = json!({"properties": {"n": {"enum": [1, 2]}}});
    check(listed, json!({"n": "1"}), "refused: /n: `\"1\"` is not one of `1`, `2`");
    let empty = json!({"properties": {"n": {"minLength": 1}}});
    check(empty, json!({"n": ""}), "refused: /n: `\"\"` is too short; use at least 1 character");
    check(
        search(),
        json!("x"),
        "refused: the arguments: `\"x\"` is a string; it must be an object",
    );
}

/// TK-08
#[test]
fn tk_08_every_complaint_has_its_pointer_and_all_come_at_once() {
    check(
        search(),
        json!({"query": "ab", "top_k": 11, "filters": {"kind": "dog"}}),
        "refused: /query: `ab` is too short; use at least 3 characters; \
         /top_k: `11` is more than the maximum of 10; \
         /filters/kind: `dog` is not one of `person`, `lab`",
    );
    check(search(), json!({}), "refused: /query: is required but missing");
}

/// TK-07
#[test]
fn tk_07_unknown_arguments_are_refused_by_default() {
    check(
        search(),
        json!({"query": "clock", "topk": 3}),
        "refused: /topk: `topk` is unknown; leave it out, or use one of `query`, `top_k`, `filters`",
    );
    check(
        search(),
        json!({"query": "clock", "filters": {"colour": "red"}}),
        "refused: /filters/colour: `colour` is unknown; leave it out, or use one of `kind`, `fresh`",
    );
}

/// TK-07
#[test]
fn tk_07_unknown_arguments_can_be_stripped_instead() {
    check_with(
        search(),
        json!({"query": "clock", "topk": 3, "filters": {"colour": "red"}}),
        UnknownArguments::Strip,
        r#"{"query":"clock","filters":{"fresh":true},"top_k":5} without /topk /filters/colour"#,
    );
}

/// TK-08
#[test]
fn tk_08_the_six_formats_are_asserted() {
    let check = |format: &str, good: &[&str], bad: &[&str]| {
        let schema = json!({"type": "string", "format": format});
        let arguments = Arguments::compile(&schema).unwrap();
        for text in good {
            assert_eq!(arguments.complaints(&json!(text)), [], "{format} {text}");
        }
        for text in bad {
            assert_eq!(arguments.complaints(&json!(text)).len(), 1, "{format} {text}");
        }
    };
    check("email", &["ana@example.org"], &["ana", "ana@", "@example.org"]);
    check(
        "date-time",
        &["2026-03-01T09:00:00Z", "2026-03-01T09:00:00+02:00"],
        &["2026-03-01", "x"],
    );
    check("uri", &["https://example.org/a?b#c"], &["/a/b", "a b"]);
    check("uuid", &["3f2b8c1e-5d4a-4c6b-9e8f-1a2b3c4d5e6f"], &["3f2b8c1e", "x"]);
    check("ipv4", &["192.0.2.1"], &["192.0.2.256", "1.2.3"]);
    check("ipv6", &["2001:db8::1", "::1"], &["2001::db8::1", "1.2.3.4"]);
}

#[test]
fn the_complaint_about_a_union_is_that_of_the_nearest_branch() {
    let schema = json!({"type": "object", "properties": {"to": {"anyOf": [
        {"type": "string"},
        {"type": "object", "required": ["mail"], "properties": {"mail": {"type": "string"}}}
    ]}}});
    check(
        schema,
        json!({"to": {"mail": 3}}),
        "refused: /to: the object fits none of the allowed forms; the nearest: \
         /to/mail: `3` is a number; it must be a string",
    );
}

#[test]
fn long_values_are_quoted_short() {
    let long = "x".repeat(500);
    let schema = json!({"type": "object", "properties": {"a": {"maxLength": 5}}});
    check(
        schema,
        json!({"a": long}),
        &format!("refused: /a: `{}…` is too long; use at most 5 characters", "x".repeat(60)),
    );
}

#[test]
fn the_fault_of_an_invalid_schema_names_the_place() {
    let fault = |schema: Value| {
        let fault = Arguments::compile(&schema).unwrap_err();
        format!("{}: {}", fault.pointer, fault.message)
    };
    assert_eq!(
        fault(json!({"properties": {"a": {"type": "strin"}}})),
        "/properties/a/type: `strin` fits none of the allowed forms; the nearest: /properties/a/type: `strin` is not one of `array`, `boolean`, `integer`, `null`, `number`, `object`, `string`"
    );
    assert!(fault(json!({"$ref": "https://example.org/x.json"})).contains("reference"));
    assert!(fault(json!({"$ref": "#/$defs/x"})).contains("reference"));
}

#[test]
fn defaults_follow_references_and_cycles_end() {
    let schema = json!({
        "type": "object",
        "properties": {"node": {"$ref": "#/$defs/node"}},
        "$defs": {
            "node": {"type": "object", "properties": {
                "size": {"default": 1}, "next": {"$ref": "#/$defs/node"}}},
            "loop": {"$ref": "#/$defs/loop"}
        }
    });
    check(schema, json!({"node": {"next": {}}}), r#"{"node":{"next":{"size":1},"size":1}}"#);
}

/// TK-08
#[test]
fn tk_08_a_default_that_does_not_fit_is_left_out_and_not_reported() {
    let cursor = json!({"type": "object", "properties": {
        "q": {"type": "string"}, "cursor": {"type": "string", "default": null},
        "size": {"type": "integer", "default": 10}}});
    check(cursor.clone(), json!({"q": "x"}), r#"{"q":"x","size":10}"#);
    check(cursor, json!({"q": 1}), "refused: /q: `1` is a number; it must be a string");
    let required = json!({"type": "object", "required": ["a", "b"], "properties": {
        "a": {"type": "string", "default": null}, "b": {"type": "string", "default": "x"}}});
    check(required, json!({}), "refused: /a: is required but missing");
    let inside = json!({"type": "object", "properties": {"list": {"type": "array", "items": {
        "$ref": "#/$defs/item"}}}, "$defs": {"item": {"type": "object", "allOf": [
        {"properties": {"a": {"type": "string", "default": 1}, "b": {"default": 2}}}]}}});
    check(inside, json!({"list": [{}, {"b": 3}]}), r#"{"list":[{"b":2},{"b":3}]}"#);
}

/// TK-08
#[test]
fn tk_08_conflicting_defaults_are_added_in_order_while_the_whole_fits() {
    let props = json!({"a": {"default": 1}, "b": {"default": 2}, "c": {"default": 3}});
    let with =
        |keyword: &str, rule: Value| json!({"type": "object", "properties": props, keyword: rule});
    let one_of = json!([{"required": ["a"]}, {"required": ["b"]}]);
    check(with("oneOf", one_of.clone()), json!({}), r#"{"a":1,"c":3}"#);
    check(with("oneOf", one_of), json!({"b": 5}), r#"{"b":5,"c":3}"#);
    check(with("maxProperties", json!(2)), json!({"z": 0}), r#"{"z":0,"a":1}"#);
    check(with("dependentRequired", json!({"b": ["z"]})), json!({}), r#"{"a":1,"c":3}"#);
    check(with("not", json!({"required": ["c"]})), json!({}), r#"{"a":1,"b":2}"#);
    check(
        with("anyOf", json!([{"maxProperties": 1}, {"required": ["z"]}])),
        json!({}),
        r#"{"a":1}"#,
    );
}

#[test]
fn a_default_object_gets_its_own_defaults_if_they_fit() {
    let options = |rest: Value| {
        json!({"type": "object", "properties": {"options": {
            "type": "object", "default": {}, "properties": {
                "deep": {"type": "boolean", "default": true},
                "size": {"type": "integer", "default": rest}}}}})
    };
    check(options(json!(1)), json!({}), r#"{"options":{"deep":true,"size":1}}"#);
    check(options(json!("1")), json!({}), r#"{"options":{"deep":true}}"#);
}

#[test]
fn endless_or_unfitting_defaults_take_a_limited_time() {
    let endless = json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {
        "a": {"$ref": "#/$defs/n", "default": {}}, "b": {"$ref": "#/$defs/n", "default": {}}}}}});
    let arguments = Arguments::compile(&endless).unwrap();
    let filled = arguments.check(json!({}), UnknownArguments::Refuse).unwrap().args;
    assert!(filled.to_string().len() < 20_000, "{}", filled.to_string().len());

    let many: serde_json::Map<String, Value> =
        (0..60).map(|n| (format!("p{n}"), json!({"type": "string", "default": n % 2}))).collect();
    let clash = json!({"type": "object", "properties": {"l": {"type": "array", "items": {
        "type": "object", "maxProperties": 1, "properties": many}}}});
    let list: Vec<Value> = (0..20).map(|_| json!({})).collect();
    let arguments = Arguments::compile(&clash).unwrap();
    assert!(arguments.check(json!({"l": list}), UnknownArguments::Refuse).is_ok());
}

/// TK-08
#[test]
fn tk_08_an_integer_of_more_than_64_bits_is_refused_and_never_changed() {
    let schema = || {
        json!({"type": "object", "properties": {
        "n": {"type": "integer"}, "any": {"type": "array", "items": {"type": "number"}}}})
    };
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    check(schema(), parsed(r#"{"n":18446744073709551615}"#), r#"{"n":18446744073709551615}"#);
    check(
        schema(),
        parsed(r#"{"n":18446744073709551617}"#),
        "refused: /n: `1.8446744073709552e+19` is an integer of more than 64 bits, whose digits \
         cannot all be kept; send a smaller one",
    );
    let or_text = json!({"type": "object", "properties": {"n": {"type": ["integer", "string"]}}});
    check(
        or_text.clone(),
        parsed(r#"{"n":18446744073709551617}"#),
        "refused: /n: `1.8446744073709552e+19` is an integer of more than 64 bits, whose digits \
         cannot all be kept; send all its digits as a string, which fits here too",
    );
    check(or_text, parsed(r#"{"n":"18446744073709551617"}"#), r#"{"n":"18446744073709551617"}"#);
    check(schema(), parsed(r#"{"any":[6.02e23]}"#), r#"{"any":[6.02e+23]}"#);
}
