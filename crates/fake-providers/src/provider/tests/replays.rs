//! Conversations of a correct client: answers are sent back, and accepted.

use contract::Wire;
use serde_json::{Value, json};

use super::client::{Client, body};
use crate::provider::{FakeProvider, Turn};
use testkit::sdk::{Verdict, check_bodies};

fn turns() -> [Turn; 2] {
    let calls = Turn::new()
        .thinking("two cities", "c2lnLWE=")
        .redacted("sealed")
        .text("Looking.")
        .call("weather", json!({ "city": "Oslo" }))
        .call("weather", json!({ "city": "Bergen" }));
    [calls, Turn::says("It rains in both.")]
}

/// The second request, made from the first answer.
fn next(wire: Wire, answer: &Value) -> Value {
    let mut body = body(wire);
    let items = |list: &Value| list.as_array().unwrap().clone();
    match wire {
        Wire::Anthropic => {
            let calls = items(&answer["content"]).into_iter().filter(|b| b["type"] == "tool_use");
            let result = |call: Value| json!({ "type": "tool_result", "tool_use_id": call["id"], "content": "rain" });
            let results: Vec<_> = calls.map(result).collect();
            let messages = body["messages"].as_array_mut().unwrap();
            messages.push(json!({ "role": "assistant", "content": answer["content"] }));
            messages.push(json!({ "role": "user", "content": results }));
        }
        Wire::Chat => {
            let message = &answer["choices"][0]["message"];
            let calls = items(&message["tool_calls"]);
            let messages = body["messages"].as_array_mut().unwrap();
            messages.push(json!({ "role": "assistant", "content": message["content"],
                                  "tool_calls": calls }));
            messages.extend(calls.iter().map(
                |call| json!({ "role": "tool", "tool_call_id": call["id"], "content": "rain" }),
            ));
        }
        Wire::Responses => {
            let output = items(&answer["output"]);
            let calls = output.iter().filter(|item| item["type"] == "function_call");
            let result = |call: &Value| {
                json!({ "type": "function_call_output", "call_id": call["call_id"],
                        "output": "rain" })
            };
            let results: Vec<_> = calls.map(result).collect();
            let question = json!({ "role": "user", "content": "Weather?" });
            body["input"] = [vec![question], output, results].concat().into();
        }
        Wire::Gemini => {
            let content = &answer["candidates"][0]["content"];
            let calls = items(&content["parts"]);
            let calls = calls.iter().filter_map(|part| part.get("functionCall"));
            let result = |call: &Value| {
                json!({ "functionResponse": { "id": call["id"], "name": call["name"],
                                              "response": { "output": "rain" } } })
            };
            let results: Vec<_> = calls.map(result).collect();
            let contents = body["contents"].as_array_mut().unwrap();
            contents.push(content.clone());
            contents.push(json!({ "role": "user", "parts": results }));
        }
    }
    body
}

/// Sends two requests; `spoil` changes the second, which is then refused with `expected`.
async fn check(wire: Wire, spoil: impl Fn(&mut Value), expected: &str) {
    let provider = FakeProvider::start().await.unwrap();
    provider.script(turns());
    let client = Client::new(&provider);
    let first = client.ask(wire, &body(wire), false).await.json();
    let mut second = next(wire, &first);
    spoil(&mut second);
    let answer = client.ask(wire, &second, true).await;
    if expected.is_empty() {
        assert_eq!(answer.status, 200, "{wire:?}: {}", answer.text());
        provider.assert_used_up();
    } else {
        assert_eq!(answer.status, 400, "{wire:?} wants `{expected}`: {}", answer.text());
        assert!(
            answer.message().contains(expected),
            "{wire:?} wants `{expected}`: {}",
            answer.text()
        );
        assert_eq!(provider.left(), 1, "a refused request does not advance the script");
    }
}

fn set(pointer: &'static str, value: Value) -> impl Fn(&mut Value) {
    move |body| *body.pointer_mut(pointer).unwrap() = value.clone()
}

fn remove(pointer: &'static str, index: usize) -> impl Fn(&mut Value) {
    move |body| drop(body.pointer_mut(pointer).unwrap().as_array_mut().unwrap().remove(index))
}

fn add(pointer: &'static str, value: Value) -> impl Fn(&mut Value) {
    move |body| body.pointer_mut(pointer).unwrap().as_array_mut().unwrap().insert(0, value.clone())
}

#[tokio::test]
async fn answers_sent_back_unchanged_are_accepted() {
    for wire in super::client::WIRES {
        check(wire, |_| {}, "").await;
    }
}

#[tokio::test]
async fn accepted_bodies_fit_the_sdk_types() {
    let provider = FakeProvider::start().await.unwrap();
    let client = Client::new(&provider);
    for wire in super::client::WIRES {
        provider.script(turns());
        let first = client.ask(wire, &body(wire), false).await.json();
        assert_eq!(client.ask(wire, &next(wire, &first), true).await.status, 200, "{wire:?}");
    }
    provider.assert_used_up();
    assert_eq!(provider.bodies().lines().count(), 8);
    let verdict = check_bodies(&provider.bodies());
    assert!(!matches!(verdict, Verdict::Misfit(_)), "{verdict:?}");
}

#[tokio::test]
async fn anthropic_refuses_modified_blocks() {
    let wire = Wire::Anthropic;
    check(wire, set("/messages/1/content/0/thinking", "three".into()), "invalid `signature`").await;
    check(wire, set("/messages/1/content/0/signature", "made-up".into()), "invalid `signature`")
        .await;
    check(wire, set("/messages/1/content/1/data", "made-up".into()), "invalid `data`").await;
    check(wire, remove("/messages/2/content", 0), "without `tool_result` blocks").await;
    check(wire, remove("/messages", 2), "without `tool_result` blocks").await;
    check(wire, add("/messages/2/content", json!({ "type": "text", "text": "hm" })), "come first")
        .await;
    let unknown = set("/messages/2/content/0/tool_use_id", "toolu_x".into());
    check(wire, unknown, "unexpected `tool_use_id`").await;
    let twice = json!({ "type": "tool_result", "tool_use_id": "toolu_0001", "content": "x" });
    check(wire, add("/messages/2/content", twice), "a single result").await;
    check(wire, set("/messages/1/content/2/text", "".into()), "must not be empty").await;
    check(wire, set("/messages/1/content/3/input", "{}".into()), "must be an object").await;
}

#[tokio::test]
async fn chat_pairs_calls_and_results() {
    let wire = Wire::Chat;
    check(wire, remove("/messages", 3), "must be followed by tool messages").await;
    check(wire, remove("/messages", 1), "must follow a message").await;
    let object = set("/messages/1/tool_calls/0/function/arguments", json!({ "city": "Oslo" }));
    check(wire, object, "expected a string").await;
    check(wire, set("/messages/1/tool_calls/0/id", "".into()), "must not be empty").await;
    let extra = |body: &mut Value| body["messages"][1]["reasoning_content"] = "hm".into();
    check(wire, extra, "unknown field").await;
}

#[tokio::test]
async fn responses_requires_its_reasoning_back() {
    let wire = Wire::Responses;
    check(wire, set("/input/1/encrypted_content", "made-up".into()), "could not be verified").await;
    check(wire, set("/input/1/encrypted_content", Value::Null), "not persisted").await;
    check(wire, remove("/input", 6), "no tool output found").await;
    check(wire, remove("/input", 4), "no tool call found").await;
    check(wire, set("/input/4/id", "toolu_1".into()), "begins with `fc`").await;
    check(wire, set("/input/4/arguments", json!({})), "expected a string").await;
    let cut = |body: &mut Value| body["input"].as_array_mut().unwrap().truncate(2);
    check(wire, cut, "without its required following item").await;
    check(wire, set("/input/3/content/0/type", "input_text".into()), "supported values").await;
}

#[tokio::test]
async fn gemini_requires_its_signatures_back() {
    let wire = Wire::Gemini;
    let unsigned = |body: &mut Value| {
        let part = body["contents"][1]["parts"][2].as_object_mut().unwrap();
        assert!(part.shift_remove("thoughtSignature").is_some());
    };
    check(wire, unsigned, "missing a thought_signature").await;
    let foreign = "skip_thought_signature_validator";
    let place = "/contents/1/parts/2/thoughtSignature";
    check(wire, set(place, foreign.into()), "").await;
    check(wire, set(place, "made-up".into()), "not valid").await;
    check(wire, remove("/contents/2/parts", 0), "number of function response parts").await;
    check(
        wire,
        set("/contents/2/parts/0/functionResponse/id", "x".into()),
        "no answer with its id",
    )
    .await;
    check(wire, set("/contents/2/parts/0/functionResponse/response", "rain".into()), "an object")
        .await;
    check(wire, remove("/contents", 1), "after a function call turn").await;
}
