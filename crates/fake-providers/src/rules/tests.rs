//! One line per rule: a minimal schema that is refused, and a similar one that is not.

mod anthropic;
mod corpus;
mod gemini;
mod openai;
mod others;
mod parts;

use serde_json::{Value, json};

use super::{ignored, output_refusals, refusals};

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|fault| panic!("{fault} in {text}"))
}

/// A request of the target with one tool that has this schema.
fn request(target: &str, schema: &Value) -> Value {
    let strict = target.ends_with("-strict");
    match target {
        "anthropic" | "anthropic-strict" => {
            json!([{"name": "probe", "input_schema": schema, "strict": strict}])
        }
        "openai-chat" | "openai-chat-strict" => {
            let function = json!({"name": "probe", "parameters": schema, "strict": strict});
            json!([{"type": "function", "function": function}])
        }
        "openai-responses" | "openai-responses-strict" => {
            json!([{"type": "function", "name": "probe", "parameters": schema, "strict": strict}])
        }
        "openai-compatible" => {
            json!([{"type": "function", "function": {"name": "probe", "parameters": schema}}])
        }
        "openai-realtime" => json!([{"type": "function", "name": "probe", "parameters": schema}]),
        "gemini" => declarations(&json!([{"name": "probe", "parametersJsonSchema": schema}])),
        "gemini-parameters" | "gemini-live" => {
            declarations(&json!([{"name": "probe", "parameters": schema}]))
        }
        "mcp" => json!([{"name": "probe", "inputSchema": schema}]),
        "ollama" => {
            json!([{"type": "function", "function": {"name": "probe", "parameters": schema}}])
        }
        "openapi" => json!([{"name": "probe", "description": "probe", "schema": schema}]),
        _ => panic!("no target {target}"),
    }
}

fn declarations(list: &Value) -> Value {
    json!([{"functionDeclarations": list}])
}

fn rules(target: &str, tools: &Value) -> Vec<&'static str> {
    let found = refusals(target, tools);
    for refusal in &found {
        assert!(tools.pointer(&refusal.pointer).is_some(), "{refusal:?} points nowhere");
    }
    found.into_iter().map(|refusal| refusal.rule).collect()
}

/// `bad` as the whole schema breaks the rule, `good` breaks none.
#[track_caller]
fn check_root(target: &str, rule: &str, bad: &str, good: &str) {
    check_tools(target, rule, &request(target, &parse(bad)), &request(target, &parse(good)));
}

/// The same for the schema of one required property `x`; in strict targets the root is closed.
#[track_caller]
fn check(target: &str, rule: &str, bad: &str, good: &str) {
    let close = if target.ends_with("-strict") { r#", "additionalProperties": false"# } else { "" };
    let around = |x: &str| {
        format!(r#"{{"type": "object", "properties": {{"x": {x}}}, "required": ["x"]{close}}}"#)
    };
    check_root(target, rule, &around(bad), &around(good));
}

/// The same for whole `tools` values.
#[track_caller]
fn check_tools(target: &str, rule: &str, bad: &Value, good: &Value) {
    let broken = rules(target, bad);
    assert!(broken.contains(&rule), "{target}: {rule} expected for {bad}, found {broken:?}");
    let found = rules(target, good);
    assert!(found.is_empty(), "{target}: no refusal expected for {good}, found {found:?}");
}

/// The same for structured output.
#[track_caller]
fn check_output(target: &str, rule: &str, bad: &str, good: &str) {
    let rules = |text: &str| -> Vec<_> {
        output_refusals(target, &parse(text)).into_iter().map(|refusal| refusal.rule).collect()
    };
    assert!(rules(bad).contains(&rule), "{target}: {rule} expected, found {:?}", rules(bad));
    assert!(rules(good).is_empty(), "{target}: none expected, found {:?}", rules(good));
}

/// Pointers, inside the schema, of what the provider ignores in the property `x`.
#[track_caller]
fn check_ignored(target: &str, x: &str, expected: &[&str]) {
    let schema = parse(&format!(r#"{{"type": "object", "properties": {{"x": {x}}}}}"#));
    let tools = request(target, &schema);
    let found: Vec<_> = ignored(target, &tools).into_iter().map(|entry| entry.pointer).collect();
    let tails: Vec<_> = found
        .iter()
        .map(|at| at.split_once("/properties/x/").map_or("", |(_, tail)| tail))
        .collect();
    assert_eq!(tails, expected, "{target}: {x}");
}
