//! OpenAI: three envelopes, the plain rules, the strict subset, its limits.

use serde_json::{Map, Value, json};

use super::{check, check_ignored, check_output, check_root, check_tools};

const CHAT: &str = "openai-chat";
const STRICT: &str = "openai-chat-strict";
const PLAIN: [&str; 3] = ["openai-chat", "openai-responses", "openai-realtime"];

fn chat(function: &Value) -> Value {
    json!([{"type": "function", "function": function}])
}

fn flat(fields: &Value) -> Value {
    let mut tool =
        json!({"type": "function", "name": "probe", "parameters": null, "strict": false});
    for (key, value) in fields.as_object().into_iter().flatten() {
        tool[key] = value.clone();
    }
    tool
}

#[test]
fn the_envelopes() {
    let good = chat(&json!({"name": "probe"}));
    check_tools(CHAT, "tool-type", &json!([{"function": {"name": "probe"}}]), &good);
    check_tools(CHAT, "tools-shape", &json!([{"type": "function", "name": "probe"}]), &good);
    check_tools(CHAT, "name", &chat(&json!({"name": "a b"})), &good);
    check_tools(CHAT, "name", &chat(&json!({"name": "n".repeat(65)})), &good);
    check_tools(CHAT, "name-unique", &json!([good[0], good[0]]), &good);
    check_tools(CHAT, "tool-field", &chat(&json!({"name": "probe", "defer_loading": true})), &good);

    let responses = "openai-responses";
    let good = json!([flat(&json!({}))]);
    let mut silent = flat(&json!({}));
    silent.as_object_mut().unwrap().remove("strict");
    check_tools(responses, "strict-explicit", &json!([silent]), &good);
    check_tools(responses, "strict-explicit", &json!([flat(&json!({"strict": null}))]), &good);
    let mut bare = flat(&json!({}));
    bare.as_object_mut().unwrap().remove("parameters");
    check_tools(responses, "schema-missing", &json!([bare]), &good);
    let deferred = flat(&json!({"defer_loading": true}));
    let searched = json!([deferred, {"type": "tool_search", "execution": "server"}]);
    check_tools(responses, "tool-search", &json!([deferred]), &searched);
    let group = |tool: Value| json!([{"type": "namespace", "name": "crm", "tools": [tool]}]);
    check_tools(responses, "strict-explicit", &group(silent), &group(flat(&json!({}))));

    let call = json!([{"type": "function", "name": "probe"}]);
    check_tools("openai-realtime", "tool-field", &json!([flat(&json!({}))]), &call);
}

#[test]
fn plain_rules() {
    for target in PLAIN {
        let empty = r#"{"type": "object", "properties": {}}"#;
        check_root(target, "root-type", r#"{"properties": {}}"#, empty);
        check_root(target, "root-properties", r#"{"type": "object"}"#, empty);
        for keyword in ["oneOf", "anyOf", "allOf", "enum", "const", "not"] {
            let bad = format!(r#"{{"type": "object", "properties": {{}}, "{keyword}": [{{}}]}}"#);
            check_root(target, "root-union", &bad, empty);
        }
        check(target, "array-items", r#"{"type": "array"}"#, r#"{"type": "array", "items": true}"#);
        check(target, "array-items", r#"{"type": ["array", "null"]}"#, r#"{"items": {}}"#);
        check(target, "keyword", r#"{"prefixItems": [{}], "items": false}"#, r#"{"oneOf": [{}]}"#);
        check(target, "schema-shape", r#"{"items": [{}]}"#, r#"{"items": {}}"#);
        check(target, "pattern", r#"{"pattern": "(?<!a)b"}"#, r#"{"pattern": "(?<name>b)\\b"}"#);
        check(target, "boolean-schema", "true", "{}");
        check(
            target,
            "boolean-schema",
            r#"{"anyOf": [true]}"#,
            r#"{"additionalProperties": true}"#,
        );
        let branches = r#"{"properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}"#;
        check(target, "required", r#"{"properties": {}, "required": ["a"]}"#, branches);
        check(
            target,
            "required",
            r#"{"required": ["a"]}"#,
            r#"{"required": ["a"], "properties": {"a": {}}}"#,
        );
        check(target, "ref-remote", r#"{"$ref": "https://example.org/s"}"#, r##"{"$ref": "#"}"##);
        check(
            target,
            "ref-missing",
            r##"{"$ref": "#/properties/y"}"##,
            r##"{"$ref": "#/properties"}"##,
        );
    }
}

#[test]
fn strict_rules() {
    for target in [STRICT, "openai-responses-strict"] {
        let string = r#"{"type": "string", "minLength": 1, "default": "a", "title": "A"}"#;
        for keyword in ["uniqueItems", "propertyNames", "not", "unevaluatedProperties"] {
            check(
                target,
                "keyword",
                &format!(r#"{{"type": "string", "{keyword}": true}}"#),
                string,
            );
        }
        check(
            target,
            "keyword",
            r#"{"allOf": [{"type": "string"}]}"#,
            r#"{"anyOf": [{"type": "string"}]}"#,
        );
        check(
            target,
            "keyword",
            r#"{"type": "object", "minProperties": 1, "additionalProperties": false}"#,
            string,
        );
        check(
            target,
            "format",
            r#"{"type": "string", "format": "uri"}"#,
            r#"{"type": "string", "format": "uuid"}"#,
        );
        check(
            target,
            "pattern",
            r#"{"type": "string", "pattern": "^(?!a)"}"#,
            r#"{"type": "string", "pattern": "^a"}"#,
        );
        check(
            target,
            "closed",
            r#"{"type": "object"}"#,
            r#"{"type": "object", "additionalProperties": false}"#,
        );
        check(target, "closed", r#"{"type": "object", "additionalProperties": true}"#, string);
        check(target, "type-missing", "{}", string);
        check(target, "type-missing", r#"{"const": "a"}"#, r#"{"type": "string", "const": "a"}"#);
        check(target, "type-missing", r#"{"type": "array", "items": {}}"#, string);
        check(target, "boolean-schema", "false", string);
        check(
            target,
            "literal",
            r#"{"type": "array", "items": {"type": "string"}, "enum": [["a"]]}"#,
            string,
        );
        let object = |required: &str| {
            format!(
                r#"{{"type": "object", "properties": {{"a": {{"type": "null"}}}},
                    "required": {required}, "additionalProperties": false}}"#
            )
        };
        check_root(target, "optional", &object("[]"), &object(r#"["a"]"#));
        check_root(target, "required", &object(r#"["a", "b"]"#), &object(r#"["a"]"#));
        check(
            target,
            "ref-sibling",
            r##"{"$ref": "#", "description": "again"}"##,
            r##"{"$ref": "#"}"##,
        );
        check(
            target,
            "ref-spelling",
            r##"{"anyOf": [{"type": "null"}, {"$ref": "#/properties/x"}]}"##,
            r##"{"anyOf": [{"type": "null"}, {"$ref": "#"}]}"##,
        );
    }
}

#[test]
fn strict_limits() {
    let enumeration = |count: usize, chars: usize| {
        let values: Vec<_> = (0..count).map(|index| format!("{index:0chars$}")).collect();
        json!({"type": "string", "enum": values}).to_string()
    };
    check(STRICT, "limit-enum", &enumeration(1001, 4), &enumeration(1000, 4));
    check(STRICT, "limit-enum-chars", &enumeration(251, 60), &enumeration(250, 60));
    check(STRICT, "limit-enum-chars", &enumeration(300, 51), &enumeration(300, 50));

    let nested = |levels: usize| {
        (2..levels)
            .fold(r#"{"type": "array", "items": {"type": "string"}}"#.to_owned(), |inner, _| {
                format!(r#"{{"type": "array", "items": {inner}}}"#)
            })
    };
    check(STRICT, "limit-levels", &nested(11), &nested(10));

    let wide = |count: usize, chars: usize| {
        let names: Vec<_> = (0..count).map(|index| format!("{index:0chars$}")).collect();
        let properties: Map<_, _> =
            names.iter().map(|name| (name.clone(), json!({"type": "null"}))).collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": names,
            "additionalProperties": false
        });
        schema.to_string()
    };
    check_root(STRICT, "limit-properties", &wide(5001, 4), &wide(5000, 4));
    check_root(STRICT, "limit-names", &wide(1201, 100), &wide(1200, 100));
}

#[test]
fn structured_output() {
    let inner = |strict: bool, schema: &str| {
        format!(r#""name": "card", "strict": {strict}, "schema": {schema}"#)
    };
    let open = r#"{"type": "object", "properties": {}}"#;
    let chat = |inner: &str| format!(r#"{{"type": "json_schema", "json_schema": {{{inner}}}}}"#);
    check_output(CHAT, "closed", &chat(&inner(true, open)), &chat(&inner(false, open)));
    check_output(CHAT, "output-shape", r#"{"type": "json_schema"}"#, r#"{"type": "json_object"}"#);
    check_output(CHAT, "name", &chat(&format!(r#""schema": {open}"#)), &chat(&inner(false, open)));
    let flat = |inner: &str| format!(r#"{{"type": "json_schema", {inner}}}"#);
    check_output(
        "openai-responses",
        "closed",
        &flat(&inner(true, open)),
        &flat(&inner(false, open)),
    );
    let missing = flat(r#""name": "card""#);
    check_output("openai-responses", "schema-missing", &missing, &flat(&inner(false, open)));
}

#[test]
fn what_is_ignored() {
    for target in PLAIN {
        check_ignored(
            target,
            r#"{"type": "string", "maxLength": 2, "format": "email"}"#,
            &["format", "maxLength"],
        );
        check_ignored(
            target,
            r#"{"patternProperties": {"a": {}}, "title": "x"}"#,
            &["patternProperties"],
        );
    }
    check_ignored(STRICT, r#"{"type": "string", "maxLength": 2}"#, &[]);
}
