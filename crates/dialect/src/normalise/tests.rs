//! Every draft in its normal form, and what is refused.

#![expect(clippy::needless_pass_by_value, reason = "tables read better with their JSON in place")]

use std::path::Path;

use serde_json::{Value, json};

use super::normalise;
use crate::Arguments;

#[track_caller]
fn check(schema: Value, expected: Value) {
    match normalise(&schema) {
        Ok(found) => {
            assert_eq!(found.schema, expected, "{schema}");
            let again = normalise(&found.schema).unwrap();
            assert_eq!(
                again.schema.to_string(),
                found.schema.to_string(),
                "second run of {schema}"
            );
        }
        Err(faults) => panic!("{schema}: {faults:?}"),
    }
}

#[track_caller]
fn check_fault(schema: Value, expected: &str) {
    let faults = normalise(&schema).expect_err(&schema.to_string());
    let found: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(found.iter().any(|fault| fault.contains(expected)), "{schema}: {found:?}");
}

#[test]
fn older_forms_become_the_new_one() {
    check(
        json!({"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}),
        json!({"type": "number", "exclusiveMinimum": 0, "maximum": 9}),
    );
    check(
        json!({"type": ["array"], "items": [{"type": "string"}], "additionalItems": false}),
        json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}),
    );
    check(
        json!({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}),
        json!({"dependentSchemas": {"c": {"required": ["d"]}}, "dependentRequired": {"a": ["b"]}}),
    );
    check(
        json!({"definitions": {"N": {"type": "string"}}, "properties": {"n": {"$ref": "#/definitions/N"}}}),
        json!({"properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {"N": {"type": "string"}}}),
    );
    check(json!({"example": 1, "xml": {}}), json!({"examples": [1]}));
    check(json!({"then": {"type": "string"}, "minItems": 2.0}), json!({"minItems": 2}));
}

#[test]
fn nullable_is_a_type_a_value_or_a_branch() {
    check(json!({"type": "string", "nullable": true}), json!({"type": ["string", "null"]}));
    check(
        json!({"type": "string", "enum": ["a"], "nullable": true}),
        json!({"type": ["string", "null"], "enum": ["a", null]}),
    );
    check(
        json!({"description": "d", "nullable": true, "allOf": [{"type": "string"}]}),
        json!({"description": "d", "anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}]}),
    );
    check(json!({"nullable": true, "description": "x"}), json!({"description": "x"}));
}

#[test]
fn a_key_is_a_keyword_only_in_a_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "$ref": {"type": "string"}, "properties": {"type": "string"}, "nullable": {"type": "integer"},
            "definitions": {"const": {"$ref": "#/nowhere"}}, "items": {"enum": [{"id": "x"}]}
        },
        "required": ["$ref"]
    });
    check(schema.clone(), schema);
}

#[test]
fn references_are_resolved_in_every_notation() {
    let text = json!({"type": "string"});
    for reference in ["#/properties/a", "#/%70roperties/a", "#mark", "urn:x:y#/properties/a"] {
        check(
            json!({"$id": "urn:x:y", "properties": {"a": {"type": "string", "$anchor": "mark"}, "b": {"$ref": reference}}}),
            json!({"properties": {"a": text, "b": {"$ref": "#/$defs/a"}}, "$defs": {"a": text}}),
        );
    }
    check(
        json!({"x/y": {"a~b": {"type": "string"}}, "items": {"$ref": "#/x~1y/a~0b"}}),
        json!({"x/y": {"a~b": {"type": "string"}}, "items": {"$ref": "#/$defs/a_b"}, "$defs": {"a_b": text}}),
    );
    check(
        json!({"$id": "http://a/b/root.json", "$defs": {"c": {"$id": "c.json", "type": "array", "items": {"$ref": "#/$defs/d"}, "$defs": {"d": {"type": "string"}}}}, "items": {"$ref": "c.json"}}),
        json!({"items": {"$ref": "#/$defs/c"}, "$defs": {"c": {"type": "array", "items": {"$ref": "#/$defs/d"}}, "d": text}}),
    );
    check(
        json!({"properties": {"next": {"$ref": "#"}}}),
        json!({"properties": {"next": {"$ref": "#"}}}),
    );
    check(
        json!({"$dynamicAnchor": "node", "properties": {"next": {"$dynamicRef": "#node"}}}),
        json!({"properties": {"next": {"$ref": "#"}}}),
    );
    // A tree that extends another one: its children are trees of the extended kind.
    check(
        json!({"$id": "http://a/strict", "$dynamicAnchor": "node", "$ref": "tree", "$defs": {"tree": {"$id": "tree", "$dynamicAnchor": "node", "properties": {"next": {"$dynamicRef": "#node"}}}}}),
        json!({"$ref": "#/$defs/tree", "$defs": {"tree": {"properties": {"next": {"$ref": "#"}}}}}),
    );
}

#[test]
fn a_schema_is_copied_for_each_meaning_of_a_dynamic_reference() {
    let list = |name: &str, item: Value| json!({"$id": name, "$ref": "list", "$defs": {"item": {"$dynamicAnchor": "item", "type": item}}});
    check(
        json!({"properties": {"a": list("texts", json!("string")), "b": list("numbers", json!("number")), "c": {"$ref": "list"}},
            "$defs": {"list": {"$id": "list", "type": "array", "items": {"$dynamicRef": "#item"}, "$defs": {"any": {"$dynamicAnchor": "item"}}}}}),
        json!({"properties": {"a": {"$ref": "#/$defs/list"}, "b": {"$ref": "#/$defs/list_2"}, "c": {"$ref": "#/$defs/list_3"}},
            "$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/item"}},
                "list_2": {"type": "array", "items": {"$ref": "#/$defs/item_2"}},
                "list_3": {"type": "array", "items": {"$ref": "#/$defs/any"}},
                "item": {"type": "string"}, "item_2": {"type": "number"}, "any": {}}}),
    );
    // The older form, which has no name.
    let tree = json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "http://a/tree", "$recursiveAnchor": true, "properties": {"next": {"$recursiveRef": "#"}}});
    check(
        json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "http://a/root", "properties": {"plain": {"$ref": "tree"}, "strict": {"$id": "strict", "$recursiveAnchor": true, "$ref": "tree", "required": ["next"]}}, "$defs": {"tree": tree}}),
        json!({"properties": {"plain": {"$ref": "#/$defs/tree"}, "strict": {"$ref": "#/$defs/tree_2", "required": ["next"]}},
            "$defs": {"tree": {"properties": {"next": {"$ref": "#/$defs/tree"}}},
                "tree_2": {"properties": {"next": {"$ref": "#/$defs/strict"}}},
                "strict": {"$ref": "#/$defs/tree_2", "required": ["next"]}}}),
    );
}

#[test]
fn too_many_targets_of_dynamic_references_are_a_fault() {
    // Each of many resources has one of many anchors, or not, in every combination.
    let mut defs = serde_json::Map::new();
    for anchor in 0..10 {
        for side in 0..2 {
            let next: Vec<Value> =
                (0..2).map(|next| json!({"$ref": format!("r{}_{next}", anchor + 1)})).collect();
            defs.insert(
                format!("r{anchor}_{side}"),
                json!({"$id": format!("r{anchor}_{side}"), "properties": {"p": {"anyOf": next}},
                    "$defs": {"x": {"$dynamicAnchor": format!("n{anchor}"), "$dynamicRef": format!("#n{anchor}")}}}),
            );
        }
    }
    for side in 0..2 {
        let last = format!("r10_{side}");
        defs.insert(last.clone(), json!({"$id": last}));
    }
    check_fault(
        json!({"properties": {"a": {"$ref": "r0_0"}, "b": {"$ref": "r0_1"}}, "$defs": defs}),
        "dynamic references have more than 200 combinations of targets",
    );
}

/// The suite's schema, with its remote documents under `$defs`.
#[expect(clippy::disallowed_methods, reason = "only tests read the public suite")]
fn with_remotes(schema: &Value, remotes: &Path) -> Value {
    let mut schema = schema.clone();
    for name in ["tree", "extendible-dynamic-ref", "detached-dynamicref", "detached-ref"] {
        if !schema.to_string().contains(&format!("{name}.json")) {
            continue;
        }
        let mut remote: Value =
            serde_json::from_slice(&std::fs::read(remotes.join(format!("{name}.json"))).unwrap())
                .unwrap();
        remote["$id"] = json!(format!("http://localhost:1234/draft2020-12/{name}.json"));
        schema["$defs"][name] = remote;
    }
    schema
}

/// The cases of the public suite, normalised.
#[test]
#[expect(clippy::disallowed_methods, reason = "only tests read the public suite")]
fn dynamic_references_pass_the_public_suite() {
    let suite = testkit::packages::folder("json-schema-suite").join("sources");
    let suite = suite.join("jsonschema-4.26.0/json");
    let mut checks = 0;
    for file in [
        "draft2020-12/dynamicRef.json",
        "draft2020-12/optional/dynamicRef.json",
        "draft2019-09/recursiveRef.json",
    ] {
        let text = std::fs::read(suite.join("tests").join(file)).unwrap();
        let groups: Vec<Value> = serde_json::from_slice(&text).unwrap();
        for group in &groups {
            let schema = with_remotes(&group["schema"], &suite.join("remotes/draft2020-12"));
            let read = normalise(&schema)
                .unwrap_or_else(|faults| panic!("{}: {faults:?}", group["description"]));
            let arguments = Arguments::compile(&read.schema).unwrap();
            for test in group["tests"].as_array().unwrap() {
                let place = format!("{file}: {} / {}", group["description"], test["description"]);
                let fits = arguments.complaints(&test["data"]).is_empty();
                assert_eq!(Value::Bool(fits), test["valid"], "{place}: {}", read.schema);
                checks += 1;
            }
        }
    }
    assert!(checks > 60, "{checks}");
}

#[test]
fn a_reference_hides_its_siblings_only_in_older_drafts() {
    let body = json!({"definitions": {"N": {"type": "integer"}}, "items": {"$ref": "#/definitions/N", "maximum": 3, "description": "d"}});
    let mut seven = body.clone();
    seven["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    check(
        seven,
        json!({"items": {"$ref": "#/$defs/N", "description": "d"}, "$defs": {"N": {"type": "integer"}}}),
    );
    check(
        body,
        json!({"items": {"$ref": "#/$defs/N", "maximum": 3, "description": "d"}, "$defs": {"N": {"type": "integer"}}}),
    );
}

#[test]
fn an_invalid_keyword_is_a_fault_with_its_place() {
    check_fault(
        json!({"items": {"$ref": "http://example.org/x.json"}}),
        "/items/$ref: the reference `http://example.org/x.json` leads out",
    );
    check_fault(json!({"items": {"$ref": "#/$defs/no"}}), "names nothing");
    check_fault(json!({"$ref": "#"}), "leads back to itself");
    check_fault(
        json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}, "items": {"$ref": "#/$defs/a"}}),
        "leads back to itself",
    );
    check_fault(
        json!({"properties": {"a": {"type": "String"}}}),
        "/properties/a/type: `String` is not a JSON type; did you mean `string`?",
    );
    check_fault(
        json!({"properties": {"a": {"type": "string", "required": true}}}),
        "`required` must be a list",
    );
    check_fault(json!({"properties": [1]}), "`properties` must be an object");
    check_fault(json!({"pattern": "(a"}), "/pattern: the pattern is invalid");
    check_fault(json!({"items": 5}), "a schema must be an object");
    check_fault(json!({"anyOf": []}), "`anyOf` must be a list");
}

#[test]
fn a_moved_part_is_reported_at_its_original_place() {
    let found = normalise(&json!({
        "definitions": {"N": {"items": [{"type": "string"}]}}, "properties": {"n": {"$ref": "#/definitions/N"}}
    }))
    .unwrap();
    assert_eq!(found.origin("/$defs/N/prefixItems/0/type"), "/definitions/N/items/0/type");
    assert_eq!(found.origin("/properties/n"), "/properties/n");
}

#[test]
fn an_endless_schema_is_refused_in_bounded_time() {
    let mut deep = json!({"type": "string"});
    for _ in 0..(super::DEPTH_MAX + 2) {
        deep = json!({"items": deep});
    }
    check_fault(deep, "nested too deep");
    let wide: serde_json::Map<String, Value> =
        (0..30_000).map(|index| (format!("p{index}"), json!({"type": "string"}))).collect();
    check_fault(json!({"properties": wide}), "too many parts");
}
