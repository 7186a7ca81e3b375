//! TK-05: what every target makes of every keyword, kept in `crates/dialect/goldens`.
//! `cargo xtask goldens` rewrites the files.

use std::fmt::Write;
use std::fs;

use dialect::{Strictness, Target, ToolSource, compile, targets};
use serde_json::{Value, json};

use crate::support::program::repository;

/// One argument `a` for each keyword of JSON Schema 2020-12 that says something.
fn keywords() -> Vec<(&'static str, Value)> {
    let definitions = json!({
        "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": {"a": {"$ref": "#/$defs/word"}},
        "$defs": {"word": {"type": "string", "minLength": 1}}
    });
    let argument = |schema: Value| {
        json!({
            "type": "object", "additionalProperties": false, "required": ["a"],
            "properties": {"a": schema}
        })
    };
    let mut list = vec![
        ("type", argument(json!({"type": "string"}))),
        ("type list", argument(json!({"type": ["string", "null"]}))),
        ("description", argument(json!({"type": "string", "description": "A word."}))),
        ("title", argument(json!({"type": "string", "title": "Word"}))),
        ("default", argument(json!({"type": "integer", "default": 3}))),
        ("examples", argument(json!({"type": "string", "examples": ["x"]}))),
        ("enum", argument(json!({"enum": ["a", "b"]}))),
        ("enum of numbers", argument(json!({"enum": [1, 2]}))),
        ("enum with null", argument(json!({"enum": ["a", null]}))),
        ("enum of objects", argument(json!({"enum": [{"x": 1}, {"x": 2}]}))),
        ("const", argument(json!({"const": "a"}))),
        ("const number", argument(json!({"const": 7}))),
        ("minimum", argument(json!({"type": "integer", "minimum": 1, "maximum": 9}))),
        (
            "exclusiveMinimum",
            argument(json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10})),
        ),
        (
            "exclusiveMinimum of fractions",
            argument(json!({"type": "number", "exclusiveMinimum": 0})),
        ),
        ("multipleOf", argument(json!({"type": "integer", "multipleOf": 5}))),
        ("minLength", argument(json!({"type": "string", "minLength": 2, "maxLength": 9}))),
        ("pattern", argument(json!({"type": "string", "pattern": "^[a-z]+$"}))),
        ("pattern with lookahead", argument(json!({"type": "string", "pattern": "^(?!x)a"}))),
        ("format", argument(json!({"type": "string", "format": "email"}))),
        ("format unknown", argument(json!({"type": "string", "format": "isbn"}))),
        ("items", argument(json!({"type": "array", "items": {"type": "string"}}))),
        ("items missing", argument(json!({"type": "array"}))),
        (
            "minItems",
            argument(
                json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 5}),
            ),
        ),
        (
            "uniqueItems",
            argument(json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true})),
        ),
        (
            "contains",
            argument(
                json!({"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 5}}),
            ),
        ),
        (
            "prefixItems",
            argument(
                json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false, "minItems": 2}),
            ),
        ),
        (
            "properties",
            argument(
                json!({"type": "object", "additionalProperties": false, "required": ["x"], "properties": {"x": {"type": "string"}}}),
            ),
        ),
        (
            "optional",
            argument(
                json!({"type": "object", "additionalProperties": false, "properties": {"x": {"type": "string"}}}),
            ),
        ),
        (
            "optional and nullable",
            argument(
                json!({"type": "object", "additionalProperties": false, "properties": {"x": {"type": ["string", "null"]}}}),
            ),
        ),
        (
            "open object",
            argument(json!({"type": "object", "properties": {"x": {"type": "string"}}})),
        ),
        ("map", argument(json!({"type": "object", "additionalProperties": {"type": "integer"}}))),
        ("free-form", argument(json!({}))),
        (
            "patternProperties",
            argument(
                json!({"type": "object", "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}),
            ),
        ),
        (
            "propertyNames",
            argument(
                json!({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": {"type": "integer"}}),
            ),
        ),
        (
            "minProperties",
            argument(
                json!({"type": "object", "minProperties": 1, "additionalProperties": {"type": "integer"}}),
            ),
        ),
        ("anyOf", argument(json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}))),
        ("oneOf disjoint", argument(json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}))),
        (
            "oneOf overlapping",
            argument(
                json!({"oneOf": [{"type": "integer", "minimum": 0}, {"type": "integer", "maximum": 9}]}),
            ),
        ),
        (
            "allOf",
            argument(json!({"allOf": [{"type": "string", "minLength": 1}, {"maxLength": 9}]})),
        ),
        ("not", argument(json!({"type": "string", "not": {"const": "x"}}))),
        (
            "if",
            argument(json!({"type": "integer", "if": {"minimum": 10}, "then": {"multipleOf": 10}})),
        ),
        (
            "dependentRequired",
            argument(
                json!({"type": "object", "additionalProperties": false, "properties": {"x": {"type": "string"}, "y": {"type": "string"}}, "dependentRequired": {"x": ["y"]}}),
            ),
        ),
        (
            "unevaluatedProperties",
            argument(
                json!({"type": "object", "properties": {"x": {"type": "string"}}, "unevaluatedProperties": false}),
            ),
        ),
        ("$ref", definitions),
        (
            "recursion",
            json!({
                "type": "object", "additionalProperties": false, "required": ["a"],
                "properties": {"a": {"$ref": "#/$defs/node"}},
                "$defs": {"node": {"type": "object", "additionalProperties": false, "properties": {"next": {"$ref": "#/$defs/node"}}}}
            }),
        ),
        (
            "root union",
            json!({"type": "object", "oneOf": [
                {"properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"], "additionalProperties": false},
                {"properties": {"kind": {"const": "b"}, "y": {"type": "integer"}}, "required": ["kind", "y"], "additionalProperties": false}
            ]}),
        ),
        (
            "no arguments",
            json!({"type": "object", "additionalProperties": false, "properties": {}}),
        ),
        (
            "awkward name",
            json!({"type": "object", "additionalProperties": false, "required": ["a/b c"], "properties": {"a/b c": {"type": "string"}}}),
        ),
    ];
    list.push(("property called $ref", json!({"type": "object", "additionalProperties": false, "required": ["$ref", "title"], "properties": {"$ref": {"type": "string"}, "title": {"type": "string"}}})));
    list
}

fn page(target: &Target) -> String {
    let mut page = format!("# {} (facts of {})\n", target.name, target.as_of);
    for (keyword, schema) in keywords() {
        let strict = Strictness::Wanted;
        let source =
            ToolSource { name: "tool", description: "A tool.", parameters: &schema, strict };
        let set = compile(&[source], target);
        write!(page, "\n{keyword}\n  contract {schema}\n").unwrap();
        for tool in &set.tools {
            writeln!(page, "  wire     {}", tool.wire).unwrap();
            tool.losses
                .iter()
                .for_each(|loss| writeln!(page, "  {:<8?} {loss}", loss.fate).unwrap());
        }
        for fault in set.refused.iter().flat_map(|tool| &tool.faults) {
            writeln!(page, "  {:<8?} {fault}", fault.fate).unwrap();
        }
    }
    page
}

/// TK-05
#[test]
fn goldens_tk_05_every_keyword_for_every_target() {
    let mut wrong = Vec::new();
    for target in targets() {
        let path = repository().join(format!("crates/dialect/goldens/{}.txt", target.name));
        let found = page(target);
        if std::env::var_os("GHOSTHAND_GOLDENS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            files::write_atomically(&path, found.as_bytes()).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let different = expected.lines().zip(found.lines()).find(|(one, other)| one != other);
        if let Some((expected, found)) = different {
            wrong.push(format!("{}\n  expected {expected}\n  found    {found}", target.name));
        } else if expected != found {
            wrong.push(format!("{}: the lengths differ", target.name));
        }
    }
    assert!(wrong.is_empty(), "run `cargo xtask goldens` and look:\n{}", wrong.join("\n"));
}
