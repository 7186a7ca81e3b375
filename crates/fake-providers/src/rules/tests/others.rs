//! MCP, Ollama, OpenAPI, and an unknown target.

use serde_json::json;

use super::{
    check, check_ignored, check_output, check_root, check_tools, ignored, output_refusals, request,
    rules,
};

const TARGETS: &[&str] = &[
    "anthropic",
    "anthropic-strict",
    "openai-chat",
    "openai-chat-strict",
    "openai-responses",
    "openai-responses-strict",
    "openai-realtime",
    "openai-compatible",
    "gemini",
    "gemini-parameters",
    "gemini-live",
    "mcp",
    "ollama",
    "openapi",
];

#[test]
fn mcp() {
    let object =
        r#"{"type": "object", "oneOf": [{"required": ["a"]}], "additionalProperties": {}}"#;
    check_root("mcp", "root-type", r#"{"oneOf": [{"type": "object"}]}"#, object);
    check("mcp", "schema-shape", r#"{"exclusiveMinimum": true}"#, r#"{"exclusiveMinimum": 1}"#);
    let tuple = r#""type": "object", "properties": {"x": {"items": [{}]}}"#;
    let draft07 = format!(r#"{{"$schema": "http://json-schema.org/draft-07/schema#", {tuple}}}"#);
    check_root("mcp", "schema-shape", &format!("{{{tuple}}}"), &draft07);
    let draft04 = r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
        "properties": {"x": {"exclusiveMinimum": true}}}"#;
    check_root("mcp", "schema-shape", &draft04.replace("-04", "-07"), draft04);
    check("mcp", "ref-remote", r#"{"$ref": "https://example.org/s"}"#, r##"{"$ref": "#"}"##);
    check("mcp", "ref-missing", r##"{"$ref": "#/$defs/gone"}"##, r##"{"$ref": "#/properties/x"}"##);
    let good = json!([{
        "name": "ns.tool", "inputSchema": {"type": "object"}, "outputSchema": {"type": "string"},
        "annotations": {"readOnlyHint": true}
    }]);
    let one = |key: &str, value| {
        let mut tools = good.clone();
        tools[0][key] = value;
        tools
    };
    check_tools("mcp", "name", &one("name", json!("a b")), &good);
    check_tools("mcp", "name-unique", &json!([good[0], good[0]]), &good);
    check_tools("mcp", "schema-missing", &json!([{"name": "a"}]), &good);
    check_tools("mcp", "schema-shape", &one("outputSchema", json!({"type": "text"})), &good);
    check_tools("mcp", "annotation", &one("annotations", json!({"readOnlyHint": "yes"})), &good);
    check_ignored("mcp", r#"{"type": "string", "nullable": true, "pattern": "a"}"#, &["nullable"]);
}

#[test]
fn ollama_refuses_only_what_does_not_decode() {
    let good = r#"{"type": ["string", "null"], "items": true, "enum": [1], "description": "d"}"#;
    check("ollama", "decode", "true", good);
    check("ollama", "decode", r#"{"description": true}"#, good);
    check("ollama", "decode", r#"{"type": 1}"#, good);
    check("ollama", "decode", r#"{"type": ["string", 1]}"#, good);
    check("ollama", "decode", r#"{"required": "a"}"#, r#"{"required": ["ghost"]}"#);
    check("ollama", "decode", r#"{"enum": {}}"#, good);
    check("ollama", "decode", r#"{"anyOf": [true]}"#, r#"{"oneOf": [true]}"#);
    check(
        "ollama",
        "decode",
        r#"{"properties": {"a": false}}"#,
        r#"{"items": {"description": 1}}"#,
    );
    check_root("ollama", "decode", r#"{"type": ["object"]}"#, r#"{"description": 1}"#);
    let tool = |description| {
        let function = json!({"name": "a", "description": description});
        json!([{"type": "function", "function": function}])
    };
    check_tools("ollama", "description", &tool(json!(1)), &tool(json!("d")));
    check_output("ollama", "output-shape", "true", "{}");
}

#[test]
fn ollama_drops_what_has_no_field() {
    check_ignored("ollama", r##"{"$ref": "#/$defs/a"}"##, &["$ref"]);
    check_ignored("ollama", r#"{"const": 1, "items": {"const": 1}}"#, &["const"]);
    check_ignored(
        "ollama",
        r#"{"anyOf": [{"format": "x"}], "oneOf": [{}]}"#,
        &["oneOf", "anyOf/0/format"],
    );
    check_ignored("ollama", r#"{"properties": {"const": {"type": "string"}}}"#, &[]);
}

#[test]
fn compatible_servers_build_a_grammar_for_every_tool() {
    let check = |rule: &str, bad: &str, good: &str| check("openai-compatible", rule, bad, good);
    let whole = r#"{"type": "string", "pattern": "^https://.*$"}"#;
    check("pattern", r#"{"type": "string", "pattern": "^https://"}"#, whole);
    for pattern in ["^(?!x)a$", "^\\\\d$", "^[\\\\w]$", "^\\\\p{L}$", "^\\\\.+$", "^*a$", "^a$b$"] {
        check("pattern", &format!(r#"{{"type": "string", "pattern": "{pattern}"}}"#), whole);
    }
    check("type-missing", r#"{"description": "d"}"#, r#"{"enum": [1], "description": "d"}"#);
    check("boolean-schema", "true", "{}");
    check(
        "count",
        r#"{"type": "string", "maxLength": 2001}"#,
        r#"{"maxLength": 9, "type": "string"}"#,
    );
    check(
        "bound",
        r#"{"type": "integer", "maximum": 18446744073709551615}"#,
        r#"{"type": "integer", "maximum": 9007199254740993}"#,
    );
    check("ref-spelling", r##"{"$ref": "#"}"##, r##"{"$ref": "#/properties/x"}"##);
    check_root("openai-compatible", "root-type", r#"{"anyOf": [{}]}"#, r#"{"type": "object"}"#);
    let good = r#"{"json_schema": {"schema": {"type": "string"}}}"#;
    check_output("openai-compatible", "schema-missing", "{}", good);
}

#[test]
fn openapi() {
    check_root("openapi", "root-type", r#"{"type": "string"}"#, r#"{"type": "object"}"#);
    check("openapi", "schema-shape", r#"{"items": [{}]}"#, r#"{"prefixItems": [true]}"#);
    let good = json!([{"name": "any name", "schema": {"type": "object"}}]);
    check_tools("openapi", "schema-missing", &json!([{"name": "a"}]), &good);
}

#[test]
fn an_unknown_target_refuses_everything() {
    assert_eq!(rules("bard", &json!([])), ["target"]);
}

#[test]
fn junk_causes_no_panic_and_is_reported_at_existing_places() {
    let junk = [json!(null), json!(true), json!(-1), json!("x"), json!([null]), json!({"a": 1})];
    let keywords = ["type", "properties", "items", "required", "enum", "anyOf", "$ref", "$defs"];
    for target in TARGETS {
        for value in &junk {
            rules(target, &json!([value]));
            rules(target, value);
            let _ = (output_refusals(target, value), ignored(target, value));
            for keyword in keywords.iter().chain(&["pattern", "format", "minItems", "const", "$id"])
            {
                let schema = json!({"type": "object", "properties": {"x": {*keyword: value}}});
                let tools = request(target, &schema);
                rules(target, &tools);
                let _ = ignored(target, &tools);
                rules(target, &request(target, &json!({*keyword: value})));
            }
        }
    }
    assert_eq!(output_refusals("openai-realtime", &json!({}))[0].rule, "output-unsupported");
}
