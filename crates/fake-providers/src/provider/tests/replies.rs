//! Whole answers and streams are equivalent on each wire.

use contract::{StopReason, Usage, Wire};
use serde_json::{Value, json};

use super::client::{Client, WIRES, body};
use crate::provider::{FakeProvider, Item, Quirk, Source, Turn};

async fn both(wire: Wire, turn: Turn) -> (Value, Vec<Value>) {
    let provider = FakeProvider::start().await.unwrap();
    provider.script([turn.clone(), turn]);
    let client = Client::new(&provider);
    let whole = client.ask(wire, &body(wire), false).await;
    let streamed = client.ask(wire, &body(wire), true).await;
    assert_eq!((whole.status, streamed.status), (200, 200), "{}{}", whole.text(), streamed.text());
    assert_eq!(whole.header("content-type"), "application/json");
    assert!(streamed.header("content-type").starts_with("text/event-stream"));
    provider.assert_used_up();
    (whole.json(), streamed.events())
}

fn rich() -> Turn {
    let usage = Usage { input: 100, output: 40, cache_read: 30, cache_write: 0, thinking: 15 };
    Turn::new()
        .thinking("two cities, two calls", "sig-a")
        .text("Let me look.")
        .call_as("id_1", "weather", json!({ "city": "Oslo" }))
        .call_as("id_2", "weather", json!({ "city": "Åre" }))
        .usage(usage)
}

fn types(events: &[Value]) -> Vec<&str> {
    let mut types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    types.dedup();
    types
}

fn joined(events: &[Value], pointer: &str) -> String {
    events.iter().filter_map(|event| event.pointer(pointer)?.as_str()).collect()
}

#[tokio::test]
async fn anthropic() {
    let (whole, events) = both(Wire::Anthropic, rich()).await;
    let kinds: Vec<_> = whole["content"].as_array().unwrap().iter().map(|b| &b["type"]).collect();
    assert_eq!(kinds, ["thinking", "text", "tool_use", "tool_use"]);
    assert_eq!(whole["stop_reason"], "tool_use");
    assert_eq!(whole["usage"]["cache_read_input_tokens"], 30);
    assert_eq!(whole["usage"]["output_tokens_details"]["thinking_tokens"], 15);
    assert_eq!(
        types(&events)[..3],
        ["message_start", "content_block_start", "content_block_delta"]
    );
    assert_eq!(events.last().unwrap()["type"], "message_stop");
    assert_eq!(joined(&events, "/delta/thinking"), "two cities, two calls");
    assert_eq!(joined(&events, "/delta/signature"), "sig-a");
    let second = events.iter().filter(|event| event["index"] == 3).cloned().collect::<Vec<_>>();
    assert_eq!(joined(&second, "/delta/partial_json"), r#"{"city":"Åre"}"#);
    let end = events.iter().find(|event| event["type"] == "message_delta").unwrap();
    assert_eq!(
        (&end["delta"]["stop_reason"], &end["usage"]["output_tokens"]),
        (&json!("tool_use"), &json!(40))
    );
}

#[tokio::test]
async fn chat() {
    let (whole, events) = both(Wire::Chat, rich()).await;
    let message = &whole["choices"][0]["message"];
    assert_eq!(message["reasoning_content"], "two cities, two calls");
    assert_eq!(message["tool_calls"][1]["function"]["arguments"], r#"{"city":"Åre"}"#);
    assert_eq!(whole["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(whole["usage"]["prompt_tokens"], 130);
    assert_eq!(events.last().unwrap(), "[DONE]");
    assert_eq!(joined(&events, "/choices/0/delta/content"), "Let me look.");
    let last_but_one = &events[events.len() - 2];
    assert_eq!(last_but_one["choices"], json!([]));
    assert_eq!(last_but_one["usage"]["prompt_tokens_details"]["cached_tokens"], 30);
}

#[tokio::test]
async fn responses() {
    let (whole, events) = both(Wire::Responses, rich()).await;
    let kinds: Vec<_> = whole["output"].as_array().unwrap().iter().map(|b| &b["type"]).collect();
    assert_eq!(kinds, ["reasoning", "message", "function_call", "function_call"]);
    assert_eq!(whole["output"][0]["encrypted_content"], "sig-a");
    let numbers: Vec<_> =
        events.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..events.len() as u64).collect::<Vec<_>>());
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.completed");
    assert_eq!(last["response"]["usage"]["output_tokens_details"]["reasoning_tokens"], 15);
    let kind = |kind: &str| -> Vec<Value> {
        events.iter().filter(|event| event["type"] == kind).cloned().collect()
    };
    assert_eq!(joined(&kind("response.output_text.delta"), "/delta"), "Let me look.");
    assert_eq!(kind("response.function_call_arguments.done").len(), 2);
    assert_eq!(kind("response.output_item.done").len(), 4);
}

#[tokio::test]
async fn gemini() {
    let (whole, events) = both(Wire::Gemini, rich()).await;
    let parts = &whole["candidates"][0]["content"]["parts"];
    assert_eq!(parts[0], json!({ "text": "two cities, two calls", "thought": true }));
    assert_eq!(parts[1], json!({ "text": "Let me look.", "thoughtSignature": "sig-a" }));
    assert!(parts[2]["thoughtSignature"].is_string(), "the first call is signed");
    assert!(parts[3]["thoughtSignature"].is_null(), "the second is not");
    assert_eq!(whole["usageMetadata"]["thoughtsTokenCount"], 15);
    assert_eq!(whole["usageMetadata"]["candidatesTokenCount"], 25);
    assert_eq!(events.last().unwrap()["candidates"][0]["finishReason"], "STOP");
}

#[tokio::test]
async fn server_tools_are_sent_as_the_providers_own() {
    let source = Source::new("https://example.org/a", "A", "the clock");
    let turn = Turn::new()
        .search("clock", vec![source.clone()])
        .code("1+1", "2")
        .cited("The clock stands.", source)
        .stop(StopReason::PauseTurn);
    let (whole, events) = both(Wire::Anthropic, turn.clone()).await;
    let kinds: Vec<_> = whole["content"].as_array().unwrap().iter().map(|b| &b["type"]).collect();
    let expected = [
        "server_tool_use",
        "web_search_tool_result",
        "server_tool_use",
        "bash_code_execution_tool_result",
        "text",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(whole["stop_reason"], "pause_turn");
    assert_eq!(joined(&events, "/delta/citation/url"), "https://example.org/a");
    let (whole, _) = both(Wire::Responses, turn.clone()).await;
    assert_eq!(whole["output"][0]["type"], "web_search_call");
    assert_eq!(whole["output"][1]["outputs"][0]["logs"], "2");
    assert_eq!(whole["output"][2]["content"][0]["annotations"][0]["type"], "url_citation");
    let (whole, _) = both(Wire::Gemini, turn.clone()).await;
    let candidate = &whole["candidates"][0];
    assert_eq!(candidate["content"]["parts"][0]["toolCall"]["args"]["queries"][0], "clock");
    assert_eq!(candidate["content"]["parts"][3]["codeExecutionResult"]["output"], "2");
    assert_eq!(candidate["groundingMetadata"]["groundingSupports"][0]["segment"]["endIndex"], 17);
    let (whole, _) = both(Wire::Chat, turn).await;
    assert_eq!(whole["choices"][0]["message"]["content"], "The clock stands.");
}

#[tokio::test]
async fn a_refusal_and_a_blocked_prompt() {
    let turn = Turn::refuses("I will not.");
    let (whole, _) = both(Wire::Anthropic, turn.clone()).await;
    assert_eq!(whole["stop_details"]["explanation"], "I will not.");
    let (whole, events) = both(Wire::Chat, turn.clone()).await;
    assert_eq!(whole["choices"][0]["message"]["refusal"], "I will not.");
    assert_eq!(joined(&events, "/choices/0/delta/refusal"), "I will not.");
    let (whole, events) = both(Wire::Responses, turn.clone()).await;
    assert_eq!(whole["output"][0]["content"][0]["type"], "refusal");
    assert_eq!(whole["status"], "completed");
    assert!(events.iter().any(|event| event["type"] == "response.refusal.done"));
    let (whole, _) = both(Wire::Gemini, turn).await;
    assert_eq!(whole["candidates"][0]["finishReason"], "SAFETY");

    let turn = Turn::blocked("PROHIBITED_CONTENT", "not this");
    let (whole, events) = both(Wire::Gemini, turn.clone()).await;
    assert_eq!(whole["promptFeedback"]["blockReason"], "PROHIBITED_CONTENT");
    assert!(events[0].get("candidates").is_none());
    let (whole, _) = both(Wire::Responses, turn).await;
    assert_eq!(whole["incomplete_details"]["reason"], "content_filter");
}

#[tokio::test]
async fn a_torn_call_ends_at_the_limit() {
    let turn = Turn::new().torn_call("weather", r#"{"city":"Os"#);
    let (whole, events) = both(Wire::Anthropic, turn.clone()).await;
    assert_eq!(whole["stop_reason"], "max_tokens");
    assert_eq!(joined(&events, "/delta/partial_json"), r#"{"city":"Os"#);
    let (whole, _) = both(Wire::Chat, turn.clone()).await;
    assert_eq!(whole["choices"][0]["finish_reason"], "length");
    let (whole, events) = both(Wire::Responses, turn).await;
    assert_eq!(whole["incomplete_details"]["reason"], "max_output_tokens");
    assert_eq!(whole["output"][0]["status"], "incomplete");
    assert_eq!(events.last().unwrap()["type"], "response.incomplete");
}

async fn deltas(turn: Turn) -> Vec<Value> {
    let events = both(Wire::Chat, turn).await.1;
    let delta = |event: &Value| event.pointer("/choices/0/delta").cloned();
    events.iter().filter_map(delta).filter(|delta| delta != &json!({})).collect()
}

#[tokio::test]
async fn the_quirks_of_compatible_servers() {
    let two = || Turn::calls("a", json!({ "x": 1 })).call("b", json!({}));
    let last = deltas(two().quirk(Quirk::CallsInOneDelta)).await.pop().unwrap();
    assert_eq!(last["tool_calls"].as_array().unwrap().len(), 2);
    let last = deltas(two().quirk(Quirk::NoIndex)).await.pop().unwrap();
    assert!(last["tool_calls"][0].get("index").is_none());
    let calls = deltas(Turn::calls("a", json!({ "x": 1 })).quirk(Quirk::ObjectArguments)).await;
    assert_eq!(calls[1]["tool_calls"][0]["function"]["arguments"], json!({ "x": 1 }));
    let calls = deltas(two().quirk(Quirk::NullIds)).await;
    assert!(calls[1]["tool_calls"][0]["id"].is_null());
    let calls = deltas(two().quirk(Quirk::EmptyIds)).await;
    assert_eq!(calls[1]["tool_calls"][0]["id"], "");
    let calls = deltas(Turn::new().thinking("hm", "s").quirk(Quirk::ReasoningField)).await;
    assert_eq!(calls[1], json!({ "reasoning": "hm" }));
    let calls = deltas(Turn::new().redacted("xyz").quirk(Quirk::ReasoningDetails)).await;
    assert_eq!(calls[1]["reasoning_details"][0]["data"], "xyz");

    let (whole, _) = both(Wire::Chat, two().quirk(Quirk::StopWithCalls)).await;
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    let (_, events) = both(Wire::Chat, Turn::says("x").quirk(Quirk::NoDone)).await;
    assert_ne!(events.last().unwrap(), "[DONE]");
    let (_, events) = both(Wire::Chat, Turn::says("x").quirk(Quirk::EmptyFirstChunk)).await;
    assert_eq!(events[0]["choices"], json!([]));
    let (_, events) = both(Wire::Anthropic, two().quirk(Quirk::NoInputAtStart)).await;
    assert!(events[1]["content_block"].get("input").is_none());
}

#[tokio::test]
async fn a_native_item_is_sent_unchanged() {
    let item = json!({ "type": "tool_search_tool_result", "tool_use_id": "srv_1", "content": {} });
    let (whole, events) = both(Wire::Anthropic, Turn::new().item(Item::Native(item.clone()))).await;
    assert_eq!(whole["content"][0], item);
    assert_eq!(events[1]["content_block"], item);
}

#[tokio::test]
async fn every_wire_lists_its_models() {
    let provider = FakeProvider::start().await.unwrap();
    let client = Client::new(&provider);
    let list = client.get("/v1/models").await.json();
    assert!(list["data"].as_array().unwrap().iter().any(|model| model["id"] == "claude-opus-5-5"));
    assert_eq!(client.get("/v1beta/models").await.json()["models"][0]["name"], "models/gemini-2.5");
    let client = client.without("anthropic-version");
    assert_eq!(client.get("/v1/models").await.json()["object"], "list");
    assert_eq!(client.get("/v1/models/gpt-5.4").await.json()["id"], "gpt-5.4");
    assert_eq!(client.get("/v1/models/gpt-none").await.status, 404);
    assert_eq!(client.get("/v1/models/llama3:8b").await.status, 404);
    provider.then(Turn::says("hi"));
    let path = "/v1/models/gemini-3-pro:generateContent";
    assert_eq!(client.post(path, &body(Wire::Gemini)).await.status, 200);
    assert_eq!(client.get("/v1/nothing").await.status, 404);
    for wire in WIRES {
        let mut request = body(wire);
        let path = match wire {
            Wire::Gemini => "/v1beta/models/gemini-none:generateContent",
            _ => super::client::path(wire, false),
        };
        if wire != Wire::Gemini {
            request["model"] = "no-such-model".into();
        }
        let answer = client.post(path, &request).await;
        assert_eq!(answer.status, 404, "{wire:?}: {}", answer.text());
        assert!(answer.message().contains("no"), "{}", answer.text());
    }
}
