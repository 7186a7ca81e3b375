//! Schemas that are hard to transform, beyond the corpus, at every target.

#![expect(clippy::needless_pass_by_value, reason = "tables read better with their JSON in place")]

use serde_json::{Value, json};

use super::corpus::check_case;
use super::wire::compile_one;
use crate::targets;

#[track_caller]
fn check(name: &str, schema: Value, accept: Value, reject: Value) {
    let mut problems = Vec::new();
    for target in targets() {
        let accept = accept.as_array().unwrap();
        let reject = reject.as_array().unwrap();
        let fate = check_case(name, &schema, accept, reject, target, &mut problems);
        if fate == "refused" {
            let faults = compile_one(&schema, target).err();
            problems.push(format!("{name} at {}: refused: {faults:?}", target.name));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[track_caller]
fn check_refused(schema: Value, expected: &str) {
    for target in targets() {
        match compile_one(&schema, target) {
            Ok(tool) => panic!("{}: {schema} became {}", target.name, tool.wire),
            Err(faults) => {
                let text = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
                assert!(text.contains(expected), "{}: {text}", target.name);
                assert!(faults.iter().all(|fault| fault.fix.is_some()));
            }
        }
    }
}

#[test]
fn keys_that_look_like_keywords() {
    check(
        "keyword keys",
        json!({"type": "object", "properties": {
            "$ref": {"type": "string"}, "title": {"type": "string"}, "properties": {"type": "object", "properties": {"type": {"const": "object"}}, "required": ["type"]},
            "__proto__": {"type": "integer"}, "required": {"type": "array", "items": {"type": "string"}},
            "anyOf": {"type": "boolean"}, "$defs": {"type": "string"}, "": {"type": "string"}
        }, "required": ["$ref", "properties"]}),
        json!([
            {"$ref": "#/x", "properties": {"type": "object"}},
            {"$ref": "a", "title": "t", "properties": {"type": "object"}, "__proto__": 1, "required": ["a"], "anyOf": true, "$defs": "x", "": "e"}
        ]),
        json!([{"$ref": 1, "properties": {"type": "object"}}, {"properties": {"type": "object"}}, {"$ref": "x", "properties": {"type": "array"}}]),
    );
}

#[test]
fn renamed_keys_do_not_collide() {
    check(
        "collisions",
        json!({"type": "object", "properties": {"a b": {"type": "string"}, "a_b": {"type": "integer"}, "a.b": {"type": "boolean"}, "a/b": {"type": "null"}}, "required": ["a b"]}),
        json!([{"a b": "x", "a_b": 1, "a.b": true, "a/b": null}, {"a b": "x"}]),
        json!([{"a_b": 1}, {"a b": 1}]),
    );
}

#[test]
fn recursion_of_every_kind() {
    check(
        "tree",
        json!({"type": "object", "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#"}}}, "required": ["value", "children"]}),
        json!([{"value": 1, "children": []}, {"value": 1, "children": [{"value": 2, "children": [{"value": 3, "children": [{"value": 4, "children": [{"value": 5, "children": [{"value": 6, "children": []}]}]}]}]}]}]),
        json!([{"value": 1}, {"value": 1, "children": [{"value": "x", "children": []}]}]),
    );
    check(
        "mutual",
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {
            "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}, "n": {"type": "integer"}}},
            "B": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/A"}}]}}}),
        json!([{}, {"a": {"b": [{"b": [{"b": "x"}]}, {"n": 1}]}}, {"a": {"b": "[]"}}]),
        json!([{"a": {"b": 1}}]),
    );
    check(
        "through allOf",
        json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "required": ["n"], "$defs": {
            "N": {"allOf": [{"$ref": "#/$defs/Base"}, {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}]},
            "Base": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}}),
        json!([{"n": {"id": "a"}}, {"n": {"id": "a", "next": {"id": "b", "next": {"id": "c", "next": {"id": "d", "next": {"id": "e", "next": {"id": "f"}}}}}}}]),
        json!([{"n": {}}, {"n": {"id": "a", "next": {}}}]),
    );
    check(
        "any JSON, defined",
        json!({"type": "object", "properties": {"v": {"$ref": "#/$defs/J"}}, "required": ["v"], "$defs": {"J": {"anyOf": [
            {"type": "null"}, {"type": "boolean"}, {"type": "number"}, {"type": "string"},
            {"type": "array", "items": {"$ref": "#/$defs/J"}}, {"type": "object", "additionalProperties": {"$ref": "#/$defs/J"}}]}}}),
        json!([{"v": null}, {"v": "x"}, {"v": [1, [2, {"a": [null]}]]}, {"v": {"a": {"b": {"c": {"d": {"e": 1}}}}}}, {"v": {"key": "a", "value": 1}}, {"v": [{"key": "a", "value": 1}]}]),
        json!([{}]),
    );
}

#[test]
fn references_of_every_kind() {
    check(
        "anchors and ids",
        json!({"$id": "https://example.org/root", "type": "object", "properties": {
            "a": {"$ref": "#word"}, "b": {"$ref": "other"}, "c": {"$ref": "#/properties/d"}, "d": {"type": "integer"}, "e": {"$ref": "#/%24defs/a~1b~0c"}},
            "$defs": {"W": {"$anchor": "word", "type": "string"}, "O": {"$id": "other", "type": "boolean"}, "a/b~c": {"type": "null"}}}),
        json!([{"a": "x", "b": true, "c": 1, "d": 2, "e": null}]),
        json!([{"a": 1}, {"b": 1}, {"c": "x"}, {"e": 1}]),
    );
    check(
        "description beside a reference",
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/T", "description": "The first", "default": {"x": 1}}, "b": {"$ref": "#/$defs/T"}}, "$defs": {"T": {"type": "object", "description": "A thing", "properties": {"x": {"type": "integer"}}}}}),
        json!([{}, {"a": {"x": 1}, "b": {}}]),
        json!([{"a": 1}]),
    );
}

#[test]
fn null_in_every_place() {
    check(
        "nulls",
        json!({"type": "object", "properties": {
            "only": {"type": "null"}, "listed": {"enum": ["a", null, 1]}, "lone": {"const": null},
            "deep": {"anyOf": [{"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "integer"}], "description": "d", "default": null},
            "object": {"type": ["object", "null"], "properties": {"x": {"type": ["integer", "null"]}}},
            "openapi": {"type": "string", "enum": ["p"], "nullable": true}},
            "required": ["only"]}),
        json!([{"only": null}, {"only": null, "listed": null, "lone": null, "deep": null, "object": null, "openapi": null},
               {"only": null, "listed": 1, "deep": 5, "object": {"x": null}, "openapi": "p"}, {"only": null, "object": {}}, {"only": null, "deep": "x", "object": {"x": 1}}]),
        json!([{}, {"only": 1}, {"only": null, "listed": "b"}, {"only": null, "lone": 0}, {"only": null, "openapi": "q"}]),
    );
}

#[test]
fn objects_that_are_open_closed_and_both() {
    check(
        "declared and patterned keys",
        json!({"type": "object", "properties": {"m": {"type": "object", "properties": {"id": {"type": "integer"}}, "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": {"type": "boolean"}, "required": ["id"]}}}),
        json!([{}, {"m": {"id": 1}}, {"m": {"id": 1, "x-a": "b", "other": true}}, {"m": {"id": 1, "additional_properties": true, "key": false}}]),
        json!([{"m": {}}, {"m": {"id": 1, "x-a": 1}}, {"m": {"id": 1, "other": "s"}}]),
    );
    check(
        "free root",
        json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "propertyNames": {"pattern": "^[a-z]+$"}}),
        json!([{"a": 1}, {"input": 2, "b": 3}]),
        json!([{}, {"a": "x"}, {"A": 1}]),
    );
    check(
        "unevaluated",
        json!({"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}}], "properties": {"b": {"type": "string"}}, "unevaluatedProperties": false}),
        json!([{}, {"a": "x", "b": "y"}]),
        json!([{"c": 1}, {"a": 1}]),
    );
    check(
        "conditions",
        json!({"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind"], "if": {"properties": {"kind": {"const": "a"}}}, "then": {"properties": {"x": {"type": "string"}}, "required": ["x"]}, "else": {"properties": {"y": {"type": "integer"}}},
               "dependentSchemas": {"y": {"properties": {"z": {"type": "boolean"}}, "required": ["z"]}}}),
        json!([{"kind": "a", "x": "s"}, {"kind": "b"}, {"kind": "b", "y": 1, "z": true}]),
        json!([{"kind": "a"}, {"kind": "b", "y": 1}]),
    );
}

#[test]
fn tuples_and_lists() {
    check(
        "tuples",
        json!({"type": "object", "properties": {
            "mixed": {"type": "array", "prefixItems": [{"type": "string"}, {"type": ["integer", "null"]}], "items": false, "minItems": 1},
            "rest": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
            "open": {"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "object"}]},
            "old": {"type": "array", "items": [{"type": "string"}, {"type": "number"}], "additionalItems": false},
            "empty": {"type": "array", "maxItems": 0}, "never": {"type": "array", "items": false}}}),
        json!([{}, {"mixed": ["a"]}, {"mixed": ["a", null]}, {"mixed": ["a", 1], "rest": ["x", 1, 2], "open": [true, {"k": []}, "more", 5], "old": ["s", 1.5], "empty": [], "never": []},
               {"rest": [], "open": [], "old": []}]),
        json!([{"mixed": []}, {"mixed": ["a", 1, 2]}, {"rest": ["x", "y"]}, {"old": ["s", 1, 1]}, {"empty": [1]}]),
    );
}

#[test]
fn unions_of_every_kind() {
    check(
        "maps, lists of pairs, and texts",
        json!({"type": "object", "properties": {"v": {"anyOf": [
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "array", "items": {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "string"}}, "required": ["key", "value"], "additionalProperties": false}},
            {"type": "string"}]}}, "required": ["v"]}),
        json!([{"v": {"a": "b"}}, {"v": [{"key": "a", "value": "b"}]}, {"v": "[]"}, {"v": {}}, {"v": []}]),
        json!([{"v": 1}, {"v": {"a": 1}}]),
    );
    check(
        "open objects that mix",
        json!({"type": "object", "properties": {"v": {"anyOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}]}}, "required": ["v"]}),
        json!([{"v": {"a": "x"}}, {"v": {"b": "x"}}, {"v": {"a": "x", "b": "y"}}]),
        json!([{"v": {}}, {"v": {"a": 1}}]),
    );
    check(
        "documented variants",
        json!({"type": "object", "properties": {"v": {"oneOf": [{"const": "a", "description": "First"}, {"const": "b", "description": "Second"}, {"type": "null"}]}}}),
        json!([{}, {"v": "a"}, {"v": "b"}, {"v": null}]),
        json!([{"v": "c"}]),
    );
    check(
        "objects and numbers in a list of values",
        json!({"type": "object", "properties": {"v": {"enum": [{"a": 1}, [1, 2], "x", "1", 1, 1.5, true, null, ""]}}, "required": ["v"]}),
        json!([{"v": {"a": 1}}, {"v": {"a": 1.0}}, {"v": [1, 2]}, {"v": "x"}, {"v": "1"}, {"v": 1}, {"v": 1.5}, {"v": true}, {"v": null}, {"v": ""}]),
        json!([{"v": {"a": 2}}, {"v": "y"}, {"v": false}, {"v": 2}, {"v": "true"}, {"v": "null"}]),
    );
    check(
        "root union with fields around it",
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "oneOf": [
            {"properties": {"mode": {"const": "x"}, "n": {"type": "integer"}}, "required": ["mode", "n"]},
            {"properties": {"mode": {"const": "y"}, "s": {"type": "string"}}, "required": ["mode"]}]}),
        json!([{"id": "1", "mode": "x", "n": 1}, {"id": "1", "mode": "y"}, {"id": "1", "mode": "y", "s": "t"}]),
        json!([{"id": "1"}, {"id": "1", "mode": "x"}, {"mode": "y"}]),
    );
}

#[test]
fn numbers_at_the_edge() {
    check(
        "bounds",
        json!({"type": "object", "properties": {
            "a": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10}, "b": {"type": "integer", "minimum": -9223372036854775808i64, "maximum": 18446744073709551615u64},
            "c": {"type": "number", "exclusiveMinimum": 0.5, "multipleOf": 0.25}, "d": {"allOf": [{"type": "integer", "minimum": 3}, {"minimum": 5, "maximum": 9}, {"exclusiveMaximum": 9}]},
            "e": {"type": "integer", "enum": [1, 2, 3]}, "f": {"type": "integer", "const": -7}, "g": {"type": "integer", "enum": [1, 5]}, "h": {"const": 2.5}}}),
        json!([{"a": 1, "b": 18446744073709551615u64, "c": 0.75, "d": 5, "e": 2, "f": -7, "g": 5, "h": 2.5}, {"a": 9, "b": -9223372036854775808i64, "d": 8}, {"a": 5.0}]),
        json!([{"a": 0}, {"a": 10}, {"c": 0.5}, {"d": 9}, {"d": 4}, {"e": 4}, {"f": 7}, {"g": 3}, {"h": 2}]),
    );
}

#[test]
fn small_things() {
    for target in targets() {
        let tool = compile_one(&json!(null), target).unwrap();
        assert_eq!(tool.plan.encode(&json!({})).unwrap(), json!({}), "{}", target.name);
    }
    check("true", json!(true), json!([{}, {"a": 1}]), json!([]));
    check("empty", json!({}), json!([{}, {"a": [1]}]), json!([]));
    check(
        "closed and empty",
        json!({"type": "object", "additionalProperties": false}),
        json!([{}]),
        json!([{"a": 1}]),
    );
    check(
        "formats and defaults that do not fit",
        json!({"type": "object", "properties": {"a": {"type": "string", "format": "made-up", "default": 5}, "b": {"type": "integer", "format": "int32", "default": null}}}),
        json!([{}, {"a": "x", "b": 1}]),
        json!([{"a": 1}]),
    );
    check(
        "untyped rules",
        json!({"type": "object", "properties": {"v": {"minimum": 3, "minLength": 2, "description": "odd"}}}),
        json!([{"v": 3}, {"v": "ab"}, {"v": null}, {"v": [1]}]),
        json!([{"v": 2}, {"v": "a"}]),
    );
}

#[test]
fn schemas_that_no_target_can_express() {
    check_refused(
        json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}}),
        "/properties/a/$ref: the reference `https://example.org/a.json` leads out of the schema",
    );
    check_refused(json!({"type": "string"}), "no arguments can fit");
    check_refused(
        json!({"type": "object", "properties": {"a": {"enum": []}}, "required": ["a"]}),
        "no arguments can fit",
    );
    check_refused(
        json!({"type": "object", "properties": {"a": {"allOf": [{"minimum": 5, "type": "integer"}, {"maximum": 4}]}}, "required": ["a"]}),
        "no arguments can fit",
    );
    check_refused(
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"], "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]}}}),
        "no arguments can fit",
    );
    check_refused(json!([1]), "a schema must be an object");
    check_refused(
        json!({"type": "object", "properties": {"a": {"type": "text"}}}),
        "`text` is not a JSON type",
    );
}

#[test]
fn a_deep_schema_is_compiled_or_refused_but_never_crashes() {
    for depth in [20, 60, 70, 100, 119, 200] {
        let mut schema = json!({"type": "string"});
        for _ in 0..depth {
            schema = json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
        }
        for target in targets() {
            let _ = compile_one(&schema, target);
        }
    }
    let mut definitions = serde_json::Map::new();
    for index in 0..3_000 {
        definitions.insert(format!("d{index}"), json!({"type": "object", "properties": {"n": {"$ref": format!("#/$defs/d{}", (index + 1) % 3_000)}}}));
    }
    let schema = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    for target in targets() {
        let _ = compile_one(&schema, target);
    }
}
