//! The facts of a graph: types, unions, recursion.

#![expect(clippy::needless_pass_by_value, reason = "tables read better with their JSON in place")]

use serde_json::{Value, json};

use super::{RootKind, build};
use crate::normalise::normalise;

/// The graph as lines: `path: types`, with `!` for required and `~` for recursive.
fn drawn(schema: &Value) -> String {
    let schema = normalise(schema).unwrap().schema;
    let graph = build(&schema, RootKind::AnyValue).unwrap();
    let mut lines = Vec::new();
    let mut waiting = vec![(String::new(), graph.root, 0)];
    while let Some((path, id, depth)) = waiting.pop() {
        let node = graph.node(id);
        let mut line = format!("{path}: {:?}", node.types);
        if node.recursion == super::facts::Recursion::Recursive {
            line.push('~');
        }
        for rule in &node.validator_only {
            line.push_str(&format!(" [{}]", rule.keyword));
        }
        lines.push(line);
        if depth > 3 || node.types.is_empty() {
            continue;
        }
        if let Some(alternatives) = &node.alternatives {
            for (index, branch) in alternatives.branches.iter().enumerate() {
                waiting.push((format!("{path}|{index}"), branch.to, depth + 1));
            }
            continue;
        }
        for field in &node.object.fields {
            let mark = if field.presence == super::Presence::Required { "!" } else { "" };
            waiting.push((format!("{path}.{}{mark}", field.name), field.edge.to, depth + 1));
        }
    }
    lines.sort();
    lines.join("\n")
}

#[track_caller]
fn check(schema: Value, expected: &[&str]) {
    assert_eq!(drawn(&schema), expected.join("\n"), "{schema}");
}

#[test]
fn all_of_and_references_are_one_node() {
    check(
        json!({"allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}],
               "$defs": {"A": {"type": "object", "properties": {"a": {"type": "integer"}}}}}),
        &[".a: integer", ".b!: string", ": object"],
    );
    check(
        json!({"allOf": [{"properties": {"a": {"type": ["integer", "null"]}}, "additionalProperties": false},
                         {"properties": {"a": {"type": "number"}, "b": {}}}]}),
        &[".a: integer", ".b: ", ": object"],
    );
}

#[test]
fn an_impossible_value_is_recognised() {
    check(json!({"type": "integer", "minimum": 5, "maximum": 4}), &[": "]);
    check(json!({"properties": {"a": false}, "required": ["a"], "type": "object"}), &[": "]);
    check(
        json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}),
        &[": "],
    );
    check(json!({"enum": ["a"], "type": "integer"}), &[": "]);
    check(
        json!({"type": "array", "minItems": 3, "prefixItems": [{}, {}], "items": false}),
        &[": "],
    );
}

#[test]
fn recursion_is_an_edge() {
    check(
        json!({"type": "object", "properties": {"next": {"$ref": "#"}}}),
        &[
            ".next.next.next.next: object~",
            ".next.next.next: object~",
            ".next.next: object~",
            ".next: object~",
            ": object~",
        ],
    );
}

#[test]
fn the_branches_of_a_union_have_the_rules_around_it() {
    check(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "oneOf": [
            {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
            {"properties": {"c": {"type": "integer"}}, "required": ["c"]}]}),
        &[
            ": object",
            "|0.a: string",
            "|0.b!: integer",
            "|0: object",
            "|1.a: string",
            "|1.c!: integer",
            "|1: object",
        ],
    );
    check(
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
               "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        &[".a: string", ".b: string", ": object [oneOf]"],
    );
}

#[test]
fn keys_that_only_a_condition_names_are_fields() {
    check(
        json!({"type": "object", "properties": {"kind": {"enum": ["a", "b"]}},
               "if": {"properties": {"kind": {"const": "a"}}},
               "then": {"properties": {"x": {"type": "string"}}, "required": ["x"]}}),
        &[".kind: string", ".x: string", ": object [if]"],
    );
}
