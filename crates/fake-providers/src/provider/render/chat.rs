//! OpenAI Chat Completions, and compatible servers.

use contract::{StopReason, Usage};
use serde_json::{Value, json};

use super::{Asked, Frame, Rendered, scraps, words};
use crate::provider::turn::{Item, Quirk, Source, Turn};

pub(crate) fn render(turn: &Turn, asked: &Asked<'_>) -> Rendered {
    let message = message_of(turn, asked);
    let usage = usage_of(turn.usage);
    let finish = finish_of(turn, &message);
    let id = asked.ids.next("chatcmpl-");
    let choice =
        json!({ "index": 0, "message": message, "finish_reason": finish, "logprobs": null });
    let whole = json!({
        "id": id, "object": "chat.completion", "created": 1_794_787_200, "model": asked.model,
        "choices": [choice], "usage": usage, "system_fingerprint": null,
    });

    let chunk = |choices: Value, usage: Value| {
        json!({
            "id": id, "object": "chat.completion.chunk", "created": 1_794_787_200,
            "model": asked.model, "choices": choices, "usage": usage,
            "system_fingerprint": null,
        })
    };
    let mut chunks = Vec::new();
    if turn.has(Quirk::EmptyFirstChunk) {
        chunks.push(chunk(json!([]), Value::Null));
    }
    for delta in deltas_of(&message, turn) {
        let choice = json!([{ "index": 0, "delta": delta, "finish_reason": null }]);
        chunks.push(chunk(choice, Value::Null));
    }
    let last = json!([{ "index": 0, "delta": {}, "finish_reason": finish }]);
    chunks.push(chunk(last, Value::Null));
    if asked.with_usage {
        chunks.push(chunk(json!([]), usage));
    }
    let mut frames: Vec<_> = chunks.iter().map(Frame::plain).collect();
    if !turn.has(Quirk::NoDone) {
        frames.push(Frame { event: None, data: "[DONE]".into() });
    }
    Rendered { whole, frames }
}

/// The whole message; the stream is made from it.
fn message_of(turn: &Turn, asked: &Asked<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": null, "refusal": null });
    let (mut text, mut thinking, mut details) = (String::new(), String::new(), Vec::new());
    let (mut calls, mut annotations) = (Vec::new(), Vec::new());
    for item in &turn.items {
        match item {
            Item::Text(more) => text.push_str(more),
            Item::Cited { text: more, source } => {
                annotations.push(annotation(source, text.chars().count(), more));
                text.push_str(more);
            }
            Item::Thinking { text: more, signature } => {
                thinking.push_str(more);
                details.push(json!({ "type": "reasoning.text", "text": more,
                                     "signature": signature, "index": details.len() }));
            }
            Item::Redacted { data } => details.push(
                json!({ "type": "reasoning.encrypted", "data": data, "index": details.len() }),
            ),
            Item::Call { id, tool, args } => {
                let id = id.clone().unwrap_or_else(|| asked.ids.next("call_"));
                let object = turn.has(Quirk::ObjectArguments);
                let args = if object { args.clone() } else { args.to_string().into() };
                calls.push(call(turn, &id, tool, &args));
            }
            Item::TornCall { tool, text } => {
                let args = Value::from(text.as_str());
                calls.push(call(turn, &asked.ids.next("call_"), tool, &args));
            }
            // Chat has no items for the provider's own tools.
            Item::Search { .. } | Item::Code { .. } => {}
            Item::Refusal(text) => message["refusal"] = text.as_str().into(),
            Item::Native(fields) => {
                for (key, value) in fields.as_object().into_iter().flatten() {
                    message[key.as_str()] = value.clone();
                }
            }
        }
    }
    if !text.is_empty() {
        message["content"] = text.into();
    }
    if turn.has(Quirk::ReasoningDetails) && !details.is_empty() {
        message["reasoning_details"] = details.into();
    } else if !thinking.is_empty() {
        let field = if turn.has(Quirk::ReasoningField) { "reasoning" } else { "reasoning_content" };
        message[field] = thinking.into();
    }
    for (key, list) in [("tool_calls", calls), ("annotations", annotations)] {
        if !list.is_empty() {
            message[key] = list.into();
        }
    }
    message
}

fn call(turn: &Turn, id: &str, tool: &str, args: &Value) -> Value {
    let id = match () {
        () if turn.has(Quirk::NullIds) => Value::Null,
        () if turn.has(Quirk::EmptyIds) => "".into(),
        () => id.into(),
    };
    json!({ "id": id, "type": "function", "function": { "name": tool, "arguments": args } })
}

fn annotation(source: &Source, start: usize, text: &str) -> Value {
    json!({ "type": "url_citation", "url_citation": {
        "url": source.url, "title": source.title,
        "start_index": start, "end_index": start + text.chars().count(),
    } })
}

fn deltas_of(message: &Value, turn: &Turn) -> Vec<Value> {
    let mut deltas = vec![json!({ "role": "assistant", "content": "", "refusal": null })];
    for field in ["reasoning_content", "reasoning", "content", "refusal"] {
        let text = message[field].as_str().unwrap_or_default();
        deltas.extend(words(text).map(|word| json!({ field: word })));
    }
    for field in ["reasoning_details", "annotations"] {
        let items = message[field].as_array().into_iter().flatten();
        deltas.extend(items.map(|item| json!({ field: [item] })));
    }
    let calls: Vec<_> = message["tool_calls"].as_array().cloned().unwrap_or_default();
    if turn.has(Quirk::CallsInOneDelta) {
        let numbered = calls.iter().enumerate().map(|(index, call)| numbered(turn, index, call));
        deltas.push(json!({ "tool_calls": numbered.collect::<Vec<_>>() }));
    } else {
        let all = calls.iter().enumerate().flat_map(|(index, call)| call_deltas(turn, index, call));
        deltas.extend(all.map(|call| json!({ "tool_calls": [call] })));
    }
    deltas
}

fn numbered(turn: &Turn, index: usize, call: &Value) -> Value {
    let mut call = call.clone();
    if !turn.has(Quirk::NoIndex) {
        call["index"] = index.into();
    }
    call
}

/// One call in pieces. Without an index a piece could belong to any call, so servers that
/// leave it out send calls whole; an object cannot be torn either.
fn call_deltas(turn: &Turn, index: usize, call: &Value) -> Vec<Value> {
    let Some(text) = call["function"]["arguments"].as_str().filter(|_| !turn.has(Quirk::NoIndex))
    else {
        return vec![numbered(turn, index, call)];
    };
    let mut first = numbered(turn, index, call);
    first["function"]["arguments"] = "".into();
    let rest = scraps(text)
        .into_iter()
        .map(|piece| json!({ "index": index, "function": { "arguments": piece } }));
    [first].into_iter().chain(rest).collect()
}

fn finish_of(turn: &Turn, message: &Value) -> String {
    let has_calls = message["tool_calls"].is_array();
    match turn.end() {
        StopReason::ToolUse if has_calls && turn.has(Quirk::StopWithCalls) => "stop".into(),
        StopReason::ToolUse => "tool_calls".into(),
        StopReason::MaxTokens | StopReason::ContextExceeded => "length".into(),
        StopReason::Refusal { .. } if message["refusal"].is_null() => "content_filter".into(),
        StopReason::EndTurn
        | StopReason::StopSequence
        | StopReason::PauseTurn
        | StopReason::Refusal { .. } => "stop".into(),
        StopReason::Other { reason } => reason,
    }
}

pub(super) fn usage_of(usage: Usage) -> Value {
    let Usage { input, output, cache_read, cache_write, thinking } = usage;
    let prompt = input + cache_read + cache_write;
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": { "cached_tokens": cache_read, "cache_write_tokens": cache_write },
        "completion_tokens_details": { "reasoning_tokens": thinking },
    })
}
