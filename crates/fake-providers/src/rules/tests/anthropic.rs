//! Anthropic: the envelope, the plain rules, the strict subset, the budget.

use serde_json::{Value, json};

use super::{check, check_ignored, check_output, check_root, check_tools, parse, rules};

const PLAIN: &str = "anthropic";
const STRICT: &str = "anthropic-strict";

fn tool(fields: &Value) -> Value {
    let mut tool = json!({"name": "probe", "input_schema": {"type": "object"}});
    for (key, value) in fields.as_object().into_iter().flatten() {
        tool[key] = value.clone();
    }
    tool
}

#[test]
fn the_envelope() {
    let one = |fields| json!([tool(&fields)]);
    let long = "n".repeat(65);
    check_tools(PLAIN, "tools-shape", &json!({}), &json!([]));
    check_tools(PLAIN, "tools-shape", &json!(["probe"]), &one(json!({})));
    check_tools(PLAIN, "name", &one(json!({"name": "a.b"})), &one(json!({"name": "a-B_1"})));
    check_tools(PLAIN, "name", &one(json!({"name": long})), &one(json!({"name": long[1..]})));
    check_tools(PLAIN, "name", &one(json!({"name": ""})), &one(json!({"name": "a"})));
    check_tools(PLAIN, "name", &json!([{"input_schema": {"type": "object"}}]), &one(json!({})));
    let twins = json!([tool(&json!({})), tool(&json!({}))]);
    check_tools(
        PLAIN,
        "name-unique",
        &twins,
        &json!([tool(&json!({})), tool(&json!({"name": "b"}))]),
    );
    let search = json!({"type": "web_search_20250305", "name": "web_search", "max_uses": 1});
    let clash = json!([search, tool(&json!({"name": "web_search"}))]);
    check_tools(PLAIN, "name-unique", &clash, &json!([search, tool(&json!({}))]));
    check_tools(
        PLAIN,
        "tool-field",
        &one(json!({"parameters": {}})),
        &one(json!({"type": "custom"})),
    );
    check_tools(
        PLAIN,
        "tool-field",
        &one(json!({"strict": "yes"})),
        &one(json!({"strict": false})),
    );
    check_tools(
        PLAIN,
        "description",
        &one(json!({"description": 1})),
        &one(json!({"description": ""})),
    );
    check_tools(PLAIN, "schema-missing", &json!([{"name": "probe"}]), &one(json!({})));
    let examples = |value| one(json!({"input_examples": value}));
    check_tools(PLAIN, "examples", &examples(json!(["{}"])), &examples(json!([{}])));
    let deferred = tool(&json!({"defer_loading": true}));
    let both = json!([deferred, tool(&json!({"name": "b"}))]);
    check_tools(PLAIN, "all-deferred", &json!([deferred]), &both);
}

#[test]
fn code_execution_excludes_strict_and_recursion() {
    let called_by = |caller: &str, strict: bool, schema: Value| {
        json!([tool(&json!({
            "allowed_callers": ["direct", caller], "strict": strict, "input_schema": schema
        }))])
    };
    let closed = || json!({"type": "object", "additionalProperties": false});
    let code = "code_execution_20260120";
    let mixed = called_by(code, true, closed());
    check_tools(PLAIN, "strict-caller", &mixed, &called_by(code, false, closed()));
    let list = || json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    check_tools(
        PLAIN,
        "recursion",
        &called_by(code, false, list()),
        &called_by("x", false, list()),
    );
}

#[test]
fn plain_rules() {
    check_root(PLAIN, "root-type", r#"{"properties": {}}"#, r#"{"type": "object"}"#);
    check_root(PLAIN, "root-type", r#"{"type": ["object"]}"#, r#"{"type": "object"}"#);
    for union in ["oneOf", "anyOf", "allOf"] {
        let at_root = format!(r#"{{"type": "object", "{union}": [{{"required": ["a"]}}]}}"#);
        let nested = format!(r#"{{"type": "object", "properties": {{"a": {at_root}}}}}"#);
        check_root(PLAIN, "root-union", &at_root, &nested);
    }
    let key = |key: &str| format!(r#"{{"type": "object", "properties": {{"{key}": {{}}}}}}"#);
    check_root(PLAIN, "property-key", &key("a b"), &key("a.b-C_1"));
    check_root(PLAIN, "property-key", &key(&"k".repeat(65)), &key(&"k".repeat(64)));
    let nested = r#"{"type": "object", "properties": {"a b": {}}}"#;
    check(PLAIN, "schema-shape", r#"{"type": "object", "properties": []}"#, nested);
    check(PLAIN, "schema-shape", r#"{"items": [{}, {}]}"#, r#"{"prefixItems": [{}, {}]}"#);
    check(PLAIN, "schema-shape", r#"{"exclusiveMinimum": true}"#, r#"{"exclusiveMinimum": 0}"#);
    check(PLAIN, "schema-shape", r#"{"type": "any"}"#, r#"{"type": ["string", "null"]}"#);
    check(PLAIN, "schema-shape", r#"{"type": []}"#, "{}");
    check(PLAIN, "schema-shape", r#"{"required": true}"#, r#"{"required": ["ghost"]}"#);
    check(PLAIN, "schema-shape", r#""string""#, "true");
    check(PLAIN, "schema-shape", r#"{"anyOf": []}"#, r#"{"anyOf": [true]}"#);
    check(PLAIN, "schema-shape", r#"{"minLength": -1}"#, r#"{"minLength": 2.0}"#);
    check(PLAIN, "schema-shape", r#"{"description": null}"#, r##"{"$ref": "#/$defs/gone"}"##);
}

#[test]
fn strict_rules() {
    let string = r#"{"type": "string"}"#;
    for keyword in ["minLength", "maxLength", "minimum", "maxItems", "minProperties", "minContains"]
    {
        check(STRICT, "keyword", &format!(r#"{{"type": "string", "{keyword}": 1}}"#), string);
    }
    check(
        STRICT,
        "keyword",
        r#"{"oneOf": [{"type": "string"}]}"#,
        r#"{"anyOf": [{"type": "string"}]}"#,
    );
    check(STRICT, "keyword", r#"{"type": "string", "not": {"const": ""}}"#, string);
    check(
        STRICT,
        "format",
        r#"{"type": "string", "format": "uri-reference"}"#,
        r#"{"type": "string", "format": "uri"}"#,
    );
    for regex in ["(?=a)", r"\\bword", r"(a)\\1", "a{1,1000}"] {
        let pattern = |regex: &str| format!(r#"{{"type": "string", "pattern": "{regex}"}}"#);
        check(STRICT, "pattern", &pattern(regex), &pattern("^[A-Z]{2}-(?:x|y)$"));
    }
    check(STRICT, "literal", r#"{"enum": [{"a": 1}]}"#, r#"{"enum": [1, null, "a"]}"#);
    let array = |rest: &str| format!(r#"{{"type": "array"{rest}}}"#);
    let strings = |rest: &str| array(&format!(r#", "items": {{"type": "string"}}{rest}"#));
    check(STRICT, "min-items", &strings(r#", "minItems": 2"#), &strings(r#", "minItems": 1"#));
    check(STRICT, "array-items", &array(""), &strings(""));
    check(STRICT, "boolean-schema", "true", string);
    check(STRICT, "boolean-schema", &array(r#", "items": true"#), &strings(""));
    check(STRICT, "type-missing", r#"{"description": "any"}"#, r#"{"const": 1}"#);
    let object = |rest: &str| format!(r#"{{"type": "object"{rest}}}"#);
    let closed = |rest: &str| object(&format!(r#", "additionalProperties": false{rest}"#));
    check(STRICT, "closed", &object(""), &closed(""));
    check(STRICT, "closed", &object(r#", "additionalProperties": {}"#), &closed(""));
    check(STRICT, "closed", r#"{"type": ["object", "null"]}"#, r#"{"type": ["string", "null"]}"#);
    let named = r#", "properties": {"a": {"type": "string"}}"#;
    check(STRICT, "required", &closed(r#", "required": ["a"]"#), &closed(named));
}

#[test]
fn strict_references() {
    let with = |x: &str, named: &str| {
        format!(
            r#"{{"type": "object", "properties": {{"x": {x}}}, "required": ["x"],
                "additionalProperties": false, "$defs": {{"S": {named}}}}}"#
        )
    };
    let good = with(r##"{"$ref": "#/$defs/S"}"##, r#"{"type": "string"}"#);
    let refused = [
        (
            "ref-sibling",
            with(r##"{"$ref": "#/$defs/S", "description": "s"}"##, r#"{"type": "string"}"#),
        ),
        ("ref-remote", with(r#"{"$ref": "https://example.org/s"}"#, r#"{"type": "string"}"#)),
        ("ref-missing", with(r##"{"$ref": "#/$defs/T"}"##, r#"{"type": "string"}"#)),
        (
            "ref-spelling",
            with(
                r##"{"$ref": "#/$defs/S/items"}"##,
                r#"{"type": "array", "items": {"type": "string"}}"#,
            ),
        ),
        ("all-of-ref", with(r##"{"allOf": [{"$ref": "#/$defs/S"}]}"##, r#"{"type": "string"}"#)),
        (
            "recursion",
            with(
                r##"{"$ref": "#/$defs/S"}"##,
                r##"{"type": "array", "items": {"$ref": "#/$defs/S"}}"##,
            ),
        ),
    ];
    for (rule, bad) in refused {
        check_root(STRICT, rule, &bad, &good);
    }
}

#[test]
fn the_budget_is_summed_over_strict_tools_only() {
    let properties = |count: usize, schema: &str| -> Value {
        (0..count)
            .map(|index| (format!("p{index}"), parse(schema)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let strict_tool = |name: &str, strict: bool, required: bool, count: usize, schema: &str| {
        let properties = properties(count, schema);
        let names: Vec<_> =
            properties.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let required = if required { json!(names) } else { json!([]) };
        json!({"name": name, "strict": strict, "input_schema": {
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false
        }})
    };
    let string = r#"{"type": "string"}"#;
    let (left, right) =
        (strict_tool("a", true, false, 12, string), strict_tool("b", true, false, 13, string));
    check_tools(
        STRICT,
        "budget-optionals",
        &json!([left, right]),
        &json!([left, strict_tool("b", false, false, 13, string)]),
    );
    check_tools(
        STRICT,
        "budget-optionals",
        &json!([left, right]),
        &json!([left, strict_tool("b", true, false, 12, string)]),
    );
    for union in
        [r#"{"type": ["string", "null"]}"#, r#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#]
    {
        let tools = |count| json!([strict_tool("a", true, true, count, union)]);
        check_tools(STRICT, "budget-unions", &tools(17), &tools(16));
    }
    let tools = |count: usize| -> Value {
        (0..count).map(|index| strict_tool(&format!("t{index}"), true, true, 1, string)).collect()
    };
    check_tools(STRICT, "budget-tools", &tools(21), &tools(20));
}

#[test]
fn the_tools_own_flag_decides() {
    let open = |strict: Value| json!([tool(&json!({"strict": strict}))]);
    assert_eq!(rules(STRICT, &open(json!(false))), [""; 0]);
    assert_eq!(rules(PLAIN, &open(json!(true))), ["closed"]);
    assert_eq!(rules(STRICT, &json!([tool(&json!({}))])), ["closed"]);
}

#[test]
fn structured_output_follows_the_strict_rules() {
    let format = |schema: &str| format!(r#"{{"type": "json_schema", "schema": {schema}}}"#);
    let good = format(r#"{"type": "object", "additionalProperties": false}"#);
    check_output(PLAIN, "closed", &format(r#"{"type": "object"}"#), &good);
    check_output(STRICT, "output-shape", r#"{"schema": {}}"#, &good);
    check_output(PLAIN, "schema-missing", r#"{"type": "json_schema"}"#, &good);
}

#[test]
fn what_is_ignored() {
    check_ignored(PLAIN, r#"{"type": "string", "pattern": "a", "enum": ["a"]}"#, &["pattern"]);
    check_ignored(PLAIN, r##"{"$ref": "#/$defs/gone"}"##, &["$ref"]);
    check_ignored(STRICT, r#"{"type": "string", "nullable": true, "pattern": "a"}"#, &["nullable"]);
}
