//! Single requests that the real providers refuse.

use contract::Wire;
use serde_json::{Value, json};

use super::client::{Client, body};
use crate::provider::{FakeProvider, Turn};

async fn outcome(wire: Wire, patch: &Value) -> String {
    let mut request = body(wire);
    for (key, value) in patch.as_object().unwrap() {
        request[key.as_str()] = value.clone();
    }
    let provider = FakeProvider::start().await.unwrap();
    provider.then(Turn::says("ok"));
    let answer = Client::new(&provider).ask(wire, &request, false).await;
    if answer.status == 200 {
        String::new()
    } else {
        format!("{} {}", answer.status, answer.message())
    }
}

/// The request with these fields; an empty `expected` means that it is accepted.
async fn check(wire: Wire, patch: Value, expected: &str) {
    let found = outcome(wire, &patch).await;
    assert!(found.contains(expected), "{wire:?} {patch} wants `{expected}`: {found}");
    assert_eq!(found.is_empty(), expected.is_empty(), "{wire:?} {patch}: {found}");
}

fn schema() -> Value {
    let city = json!({ "type": "string" });
    json!({ "type": "object", "properties": { "city": city }, "required": ["city"],
            "additionalProperties": false })
}

fn claude(name: &str, strict: bool) -> Value {
    json!({ "name": name, "input_schema": schema(), "strict": strict })
}

#[tokio::test]
async fn anthropic_fields_and_sampling() {
    let wire = Wire::Anthropic;
    check(wire, json!({ "system": "be kind" }), "").await;
    check(wire, json!({ "no_such": 1 }), "400 no_such: unknown field").await;
    for name in ["temperature", "top_p", "top_k"] {
        check(wire, json!({ name: 1 }), &format!("{name}: unknown field")).await;
    }
    check(wire, json!({ "messages": [] }), "at least one").await;
    check(wire, json!({ "max_tokens": "many" }), "whole number").await;
    let prefill =
        json!([{ "role": "user", "content": "hi" }, { "role": "assistant", "content": "{" }]);
    check(wire, json!({ "messages": prefill }), "prefill").await;
    check(wire, json!({ "messages": prefill, "model": "claude-haiku-4-5" }), "").await;
    let cited = json!([{ "type": "text", "text": "x", "citations": [{}] }]);
    check(wire, json!({ "messages": [{ "role": "user", "content": cited }] }), "citations").await;
    let document = json!([{ "role": "user", "content": "x" },
                          { "role": "assistant", "content": [{ "type": "document" }] }]);
    check(wire, json!({ "messages": document }), "not permitted in assistant").await;
}

#[tokio::test]
async fn anthropic_requires_its_version_header() {
    let provider = FakeProvider::start().await.unwrap();
    provider.otherwise(Turn::says("ok"));
    let ask = async |client: Client| {
        let answer = client.ask(Wire::Anthropic, &body(Wire::Anthropic), false).await;
        (answer.status, answer.text())
    };
    let (status, text) = ask(Client::new(&provider).without("anthropic-version")).await;
    assert_eq!(status, 400);
    assert!(text.contains("anthropic-version") && text.contains("invalid_request_error"), "{text}");
    let (status, _) = ask(Client::new(&provider).with("anthropic-version", "2023-06-01")).await;
    assert_eq!(status, 400);
    let (status, _) = ask(Client::new(&provider).with("content-type", "text/plain")).await;
    assert_eq!(status, 400);
    assert_eq!(ask(Client::new(&provider)).await.0, 200);
    let refused = provider.requests().iter().filter(|request| !request.refused.is_empty()).count();
    assert_eq!(refused, 3);
}

#[tokio::test]
async fn anthropic_choices_and_thinking() {
    let wire = Wire::Anthropic;
    let tools = json!([claude("weather", false)]);
    let with = |model: &str, choice: Value| json!({ "model": model, "tools": tools, "tool_choice": choice });
    let one = || json!({ "type": "tool", "name": "weather" });
    for model in ["claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-1", "claude-fable-5-2"] {
        check(wire, with(model, one()), "forced tool use").await;
        check(wire, with(model, json!({ "type": "any" })), "forced tool use").await;
        check(wire, with(model, json!({ "type": "auto" })), "").await;
    }
    check(wire, with("claude-haiku-5-5", one()), "").await;
    check(wire, with("claude-opus-5", json!({ "type": "any" })), "").await;
    check(wire, with("claude-haiku-5-5", json!({ "type": "tool", "name": "x" })), "not among")
        .await;
    let parallel = json!({ "type": "auto", "disable_parallel_tool_use": true });
    check(wire, with("claude-sonnet-5-5", parallel), "").await;
    let parallel = json!({ "type": "none", "disable_parallel_tool_use": true });
    check(wire, with("claude-sonnet-5-5", parallel), "unknown field").await;
    check(wire, json!({ "disable_parallel_tool_use": true }), "unknown field").await;
    check(wire, json!({ "tool_choice": { "type": "auto" } }), "while providing tools").await;

    let thinking =
        |model: &str, kind: &str| json!({ "model": model, "thinking": { "type": kind } });
    check(wire, thinking("claude-sonnet-5-5", "disabled"), "not supported").await;
    check(wire, thinking("claude-sonnet-5-5", "between_tools"), "").await;
    check(wire, thinking("claude-opus-5-5", "disabled"), "not supported").await;
    check(wire, thinking("claude-haiku-5-5", "disabled"), "").await;
    check(wire, thinking("claude-haiku-5-5", "enabled"), "not supported").await;
    let manual = json!({ "type": "enabled", "budget_tokens": 2000 });
    let forced = json!({ "model": "claude-haiku-4-5", "max_tokens": 4000, "thinking": manual,
                         "tools": tools, "tool_choice": one() });
    check(wire, forced, "may not be enabled").await;
}

#[tokio::test]
async fn anthropic_tools_and_caches() {
    let wire = Wire::Anthropic;
    let tools = |tools: Value| json!({ "tools": tools });
    check(wire, tools(json!([claude("weather", true)])), "").await;
    check(wire, tools(json!([claude("a", false), claude("a", false)])), "name-unique").await;
    check(wire, tools(json!([claude("no spaces", false)])), "must match").await;
    let many: Vec<_> = (0..21).map(|n| claude(&format!("t{n}"), true)).collect();
    check(wire, tools(many.into()), "strict").await;
    let mut bounded = claude("weather", true);
    bounded["input_schema"]["properties"]["city"]["maxLength"] = 3.into();
    check(wire, tools(json!([bounded])), "maxLength").await;
    bounded["strict"] = false.into();
    check(wire, tools(json!([bounded])), "").await;
    let search = json!({ "type": "web_search_20260318", "name": "web_search", "max_uses": 2 });
    check(wire, tools(json!([search, claude("weather", false)])), "").await;
    let format = |schema: Value| json!({ "output_config": { "format": { "type": "json_schema", "schema": schema } } });
    check(wire, format(schema()), "").await;
    check(wire, format(json!({ "type": "object", "properties": {} })), "output_config.format")
        .await;
    let mark = json!({ "type": "ephemeral" });
    let block = json!({ "type": "text", "text": "x", "cache_control": mark });
    check(wire, json!({ "system": [block, block, block, block] }), "").await;
    check(wire, json!({ "system": [block, block, block, block, block] }), "at most 4").await;
}

fn function(name: &str, strict: bool) -> Value {
    json!({ "type": "function", "function": { "name": name, "parameters": schema(), "strict": strict } })
}

#[tokio::test]
async fn chat_requests() {
    let wire = Wire::Chat;
    check(wire, json!({ "no_such": 1 }), "unknown field").await;
    check(wire, json!({ "temperature": 0.5 }), "unsupported parameter").await;
    check(wire, json!({ "temperature": 0.5, "reasoning_effort": "none" }), "").await;
    check(wire, json!({ "temperature": 0.5, "model": "gpt-4.1" }), "").await;
    check(wire, json!({ "max_tokens": 5 }), "max_completion_tokens").await;
    check(wire, json!({ "max_tokens": 5, "model": "gpt-4o-mini" }), "").await;
    check(wire, json!({ "max_completion_tokens": 5 }), "").await;
    check(wire, json!({ "stream_options": { "include_usage": true } }), "`stream` is enabled")
        .await;
    check(wire, json!({ "tool_choice": "auto" }), "only allowed when").await;
    check(wire, json!({ "parallel_tool_calls": false }), "only allowed when").await;
    let tools = json!([function("weather", true)]);
    check(wire, json!({ "tools": tools, "tool_choice": "required" }), "").await;
    let named = |name: &str| json!({ "type": "function", "function": { "name": name } });
    check(wire, json!({ "tools": tools, "tool_choice": named("weather") }), "").await;
    check(wire, json!({ "tools": tools, "tool_choice": named("other") }), "not among").await;
    check(wire, json!({ "tools": tools, "tool_choice": { "type": "any" } }), "tool_choice").await;
    check(wire, json!({ "tools": [function("a", false), function("a", false)] }), "name-unique")
        .await;
    check(wire, json!({ "tools": [] }), "empty").await;
    let mut open = function("weather", true);
    open["function"]["parameters"].as_object_mut().unwrap().remove("additionalProperties");
    check(wire, json!({ "tools": [open] }), "additionalProperties").await;
    let role = json!([{ "role": "robot", "content": "x" }]);
    check(wire, json!({ "messages": role }), "developer, system").await;
    check(wire, json!({ "messages": [{ "role": "user", "content": null }] }), "must be a list")
        .await;
}

#[tokio::test]
async fn responses_requests() {
    let wire = Wire::Responses;
    let tool = |strict: Value| {
        let mut tool = json!({ "type": "function", "name": "weather", "parameters": schema() });
        if !strict.is_null() {
            tool["strict"] = strict;
        }
        json!({ "tools": [tool] })
    };
    check(wire, tool(true.into()), "").await;
    check(wire, tool(Value::Null), "strict-explicit").await;
    check(wire, json!({ "messages": [] }), "unknown field").await;
    check(wire, json!({ "max_tokens": 100 }), "unknown field").await;
    check(wire, json!({ "max_output_tokens": 100 }), "").await;
    check(wire, json!({ "top_p": 0.5 }), "unsupported parameter").await;
    check(wire, json!({ "top_p": 0.5, "reasoning": { "effort": "none" } }), "").await;
    check(wire, json!({ "tool_choice": "any" }), "must be auto").await;
    check(wire, json!({ "input": [{ "type": "tool_use" }] }), "not an input item").await;
    let format = |strict: bool, schema: Value| {
        json!({ "text": { "format": { "type": "json_schema", "name": "x", "strict": strict,
                                      "schema": schema } } })
    };
    check(wire, format(true, schema()), "").await;
    check(wire, format(true, json!({ "type": "object", "properties": {} })), "text.format").await;
}

#[tokio::test]
async fn gemini_requests() {
    let wire = Wire::Gemini;
    let declared = |name: &str| json!({ "name": name, "parametersJsonSchema": schema() });
    let tools = json!([{ "functionDeclarations": [declared("weather")] }]);
    let calling = |config: Value| json!({ "functionCallingConfig": config });
    check(wire, json!({ "tools": tools }), "").await;
    check(wire, json!({ "system_instruction": {} }), "unknown field").await;
    check(wire, json!({ "toolConfig": calling(json!({ "mode": "ANY" })) }), "without function")
        .await;
    let any = |names: Value| calling(json!({ "mode": "ANY", "allowedFunctionNames": names }));
    check(wire, json!({ "tools": tools, "toolConfig": any(json!(["weather"])) }), "").await;
    check(wire, json!({ "tools": tools, "toolConfig": any(json!(["x"])) }), "not among").await;
    let auto = calling(json!({ "mode": "AUTO", "allowedFunctionNames": ["weather"] }));
    check(wire, json!({ "tools": tools, "toolConfig": auto }), "ANY or VALIDATED").await;
    let mixed = json!([{ "functionDeclarations": [declared("weather")] }, { "googleSearch": {} }]);
    check(wire, json!({ "tools": mixed }), "includeServerSideToolInvocations").await;
    let include = json!({ "includeServerSideToolInvocations": true });
    check(wire, json!({ "tools": mixed, "toolConfig": include }), "").await;
    check(wire, json!({ "generationConfig": { "max_tokens": 1 } }), "unknown field").await;
    check(wire, json!({ "generationConfig": { "temperature": 0.2 } }), "").await;
    check(wire, json!({ "generationConfig": { "responseJsonSchema": schema() } }), "MimeType")
        .await;
    let shaped = json!({ "responseMimeType": "application/json", "responseJsonSchema": schema() });
    check(wire, json!({ "generationConfig": shaped }), "").await;
    let role = json!([{ "role": "assistant", "parts": [{ "text": "x" }] }]);
    check(wire, json!({ "contents": role }), "valid role").await;
    let both = json!([{ "role": "user", "parts": [{ "text": "x", "inlineData": {} }] }]);
    check(wire, json!({ "contents": both }), "exactly one").await;
}

#[tokio::test]
async fn gemini_lists_all_faults() {
    let provider = FakeProvider::start().await.unwrap();
    let client = Client::new(&provider);
    let request = json!({ "contents": [], "a": 1, "b": 2 });
    let answer = client.ask(Wire::Gemini, &request, false).await.json();
    let violations = answer["error"]["details"][0]["fieldViolations"].as_array().unwrap();
    assert_eq!(violations.len(), 3, "{answer}");
    let path = "/v1beta/models/gemini-3-pro:generateContent?key=sk-test";
    let answer = client.post(path, &body(Wire::Gemini)).await;
    assert!(answer.message().contains("x-goog-api-key"), "{}", answer.text());
}

#[tokio::test]
async fn a_compatible_server_accepts_what_it_supports() {
    let provider = FakeProvider::compatible().await.unwrap();
    provider.otherwise(Turn::says("ok"));
    let request = json!({
        "model": "llama3.2:3b", "max_tokens": 5, "temperature": 0.1, "num_ctx": 4096,
        "messages": [
            { "role": "user", "content": "x" },
            { "role": "assistant", "content": "y", "reasoning_content": "hm" },
            { "role": "user", "content": "z" },
        ],
    });
    let client = Client::new(&provider).without("authorization");
    let answer = client.ask(Wire::Chat, &request, true).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let unpaired = json!({ "model": "x", "messages": [{ "role": "tool", "content": "x" }] });
    assert_eq!(client.ask(Wire::Chat, &unpaired, true).await.status, 400);
}
