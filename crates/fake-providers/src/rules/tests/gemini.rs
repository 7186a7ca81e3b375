//! Gemini: declarations, the protobuf schema, the JSON schema.

use serde_json::json;

use super::{check, check_ignored, check_output, check_root, check_tools, declarations};

const JSON: &str = "gemini";
const PROTO: [&str; 2] = ["gemini-parameters", "gemini-live"];

#[test]
fn the_declarations() {
    let one = |body| declarations(&json!([body]));
    let good = one(json!({"name": "ns.tool:v-1"}));
    check_tools(JSON, "name", &one(json!({"name": "1st"})), &good);
    check_tools(JSON, "name", &one(json!({"name": "n".repeat(129)})), &good);
    check_tools(JSON, "name-unique", &declarations(&json!([{"name": "a"}, {"name": "a"}])), &good);
    check_tools(JSON, "tools-shape", &json!([{"name": "a"}]), &json!([{"googleSearch": {}}]));
    check_tools(JSON, "tool-field", &one(json!({"name": "a", "strict": true})), &good);
    let waits = one(json!({"name": "a", "behavior": "BLOCKING"}));
    check_tools(JSON, "tool-field", &waits, &good);
    check_tools(
        "gemini-live",
        "tool-field",
        &one(json!({"name": "a", "behavior": "LATER"})),
        &waits,
    );
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let free = one(json!({"name": "a", "parametersJsonSchema": schema}));
    let both = one(json!({"name": "a", "parameters": schema, "parametersJsonSchema": schema}));
    check_tools(JSON, "schema-twice", &both, &free);
    check_tools(
        "gemini-live",
        "live-schema",
        &free,
        &one(json!({"name": "a", "parameters": schema})),
    );
    let many = |count: usize| {
        let list: Vec<_> = (0..count).map(|index| json!({"name": format!("t{index}")})).collect();
        declarations(&json!(list))
    };
    check_tools(JSON, "limit-declarations", &many(513), &many(512));
}

#[test]
fn the_protobuf_schema() {
    for target in PROTO {
        let root = r#"{"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}"#;
        check_root(target, "root-type", r#"{"type": "string"}"#, root);
        check_root(target, "root-type", r#"{"anyOf": [{"type": "string"}]}"#, root);
        check_root(target, "object-empty", r#"{"type": "object", "properties": {}}"#, root);
        check_root(
            target,
            "keyword",
            r#"{"type": "object", "properties": {"a": {"type": "string"}}, "$defs": {}}"#,
            root,
        );
        let string = r#"{"type": "string", "title": "T", "pattern": "^(?!a)", "nullable": true}"#;
        check(target, "object-empty", r#"{"type": "object"}"#, string);
        for keyword in
            ["const", "exclusiveMinimum", "x-note", "$comment", "examples", "additionalProperties"]
        {
            check(
                target,
                "keyword",
                &format!(r#"{{"type": "string", "{keyword}": false}}"#),
                string,
            );
        }
        check(target, "keyword", r##"{"$ref": "#"}"##, string);
        check(
            target,
            "keyword",
            r#"{"oneOf": [{"type": "string"}]}"#,
            r#"{"anyOf": [{"type": "string"}]}"#,
        );
        check(
            target,
            "any-of-alone",
            r#"{"anyOf": [{"type": "string"}], "description": "d"}"#,
            string,
        );
        check(target, "schema-shape", r#"{"type": ["string", "null"]}"#, string);
        check(target, "schema-shape", r#"{"anyOf": [{"type": "null"}]}"#, string);
        check(target, "schema-shape", "true", string);
        check(
            target,
            "schema-shape",
            r#"{"type": "integer", "enum": [1]}"#,
            r#"{"type": "string", "format": "enum", "enum": ["1"]}"#,
        );
        check(target, "schema-shape", r#"{"type": "string", "enum": ["a", null]}"#, string);
        check(target, "enum-type", r#"{"type": "integer", "enum": ["1"]}"#, string);
        check(target, "enum-empty", r#"{"type": "string", "enum": ["a", ""]}"#, string);
        check(
            target,
            "format",
            r#"{"type": "string", "format": "email"}"#,
            r#"{"type": "string", "format": "date-time"}"#,
        );
        check(
            target,
            "format",
            r#"{"type": "number", "format": "int32"}"#,
            r#"{"type": "integer", "format": "int32"}"#,
        );
        check(
            target,
            "array-items",
            r#"{"type": "array"}"#,
            r#"{"type": "array", "items": {"type": "string"}}"#,
        );
        check(target, "type-missing", r#"{"type": "array", "items": {}}"#, string);
        check(
            target,
            "schema-shape",
            r#"{"type": "array", "items": [{"type": "string"}]}"#,
            string,
        );
        check(
            target,
            "required",
            r#"{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}"#,
            r#"{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}"#,
        );
        check(
            target,
            "property-key",
            r#"{"type": "object", "properties": {"a.b": {"type": "string"}}}"#,
            r#"{"type": "object", "properties": {"_a1": {"type": "string"}}}"#,
        );
    }
}

#[test]
fn the_json_schema() {
    let string = r#"{"type": "string", "minLength": 1, "format": "x"}"#;
    check_root(
        JSON,
        "root-type",
        r#"{"properties": {}}"#,
        r#"{"type": "object", "properties": {}}"#,
    );
    check_root(JSON, "root-union", r#"{"type": "object", "oneOf": [{}]}"#, r#"{"type": "object"}"#);
    check(JSON, "title", r#"{"title": "T"}"#, r#"{"type": "object", "properties": {"title": {}}}"#);
    check(JSON, "keyword", r#"{"const": 1}"#, r#"{"enum": [1, "a", true]}"#);
    check(JSON, "keyword", r#"{"allOf": [{}]}"#, r#"{"oneOf": [{}]}"#);
    check(JSON, "literal", r#"{"enum": ["a", null]}"#, string);
    check(JSON, "literal", r#"{"enum": [{}]}"#, string);
    check(JSON, "enum-empty", r#"{"enum": [""]}"#, string);
    check(JSON, "boolean-schema", "true", "{}");
    check(JSON, "boolean-schema", r#"{"items": true}"#, r#"{"prefixItems": [{}], "items": false}"#);
    check(JSON, "schema-shape", r#"{"items": [{}]}"#, r#"{"type": "array"}"#);
    let enumeration = |count: usize, chars: usize| {
        let values: Vec<_> = (0..count).map(|index| format!("{index:0chars$}")).collect();
        json!({"type": "string", "enum": values}).to_string()
    };
    check(JSON, "limit-enum", &enumeration(91, 20), &enumeration(90, 20));
    check(JSON, "limit-enum", &enumeration(91, 20), &enumeration(2048, 4));
    check(PROTO[0], "limit-enum", &enumeration(91, 20), &enumeration(90, 20));
}

#[test]
fn references_in_the_json_schema() {
    let with = |x: &str, need: &str| {
        format!(
            r#"{{"type": "object", "properties": {{"x": {x}}},
                "$defs": {{"N": {{"type": "object", "required": {need},
                    "properties": {{"next": {x}}}}}}}}}"#
        )
    };
    let node = r##"{"$ref": "#/$defs/N"}"##;
    let good = with(node, "[]");
    check_root(JSON, "recursion", &with(node, r#"["next"]"#), &good);
    let commented = with(r##"{"$ref": "#/$defs/N", "$comment": "c"}"##, "[]");
    check_root(
        JSON,
        "ref-sibling",
        &with(r##"{"$ref": "#/$defs/N", "description": "d"}"##, "[]"),
        &commented,
    );
    check_root(
        JSON,
        "ref-spelling",
        &with(r##"{"$ref": "#/$defs/N/properties/next"}"##, "[]"),
        &good,
    );
    check_root(JSON, "ref-missing", &with(r##"{"$ref": "#/$defs/M"}"##, "[]"), &good);
    check_root(JSON, "ref-remote", &with(r#"{"$ref": "node.json"}"#, "[]"), &good);
}

#[test]
fn structured_output() {
    let format = |rest: &str| format!(r#"{{"responseMimeType": "application/json"{rest}}}"#);
    let good = format(r#", "responseJsonSchema": {"title": "T", "anyOf": [{"type": "string"}]}"#);
    check_output(JSON, "output-shape", r#"{"responseJsonSchema": {}}"#, &good);
    check_output(JSON, "schema-missing", &format(""), &good);
    check_output(JSON, "keyword", &format(r#", "responseJsonSchema": {"const": 1}"#), &good);
    check_output(
        JSON,
        "keyword",
        &format(r#", "responseSchema": {"type": "string", "const": "a"}"#),
        &good,
    );
    check_output(
        JSON,
        "schema-twice",
        &format(r#", "responseSchema": {}, "responseJsonSchema": {}"#),
        &good,
    );
}

#[test]
fn what_is_ignored() {
    check_ignored(
        JSON,
        r#"{"minimum": 1, "multipleOf": 2, "x-note": 1, "default": 2}"#,
        &["multipleOf", "default", "x-note"],
    );
    check_ignored(PROTO[0], r#"{"type": "string", "minLength": 1}"#, &[]);
}
