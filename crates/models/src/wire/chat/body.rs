//! The body of a Chat Completions request.
//!
//! An assistant's message is assembled from its blocks: the native item of a call is its
//! entry in `tool_calls`, the native item of thinking is the field (or fields) it was sent in.

use contract::{Message, Part, Role};
use serde_json::{Map, Value, json};

use super::super::data_url;
use super::super::result_text::marked_text;
use super::super::{ParallelCalls, ResponseMode, WireChoice, WireRequest};

pub fn body(request: &WireRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    if let Some(tokens) = request.output_tokens_max {
        body.insert(request.tokens_field.as_str().into(), tokens.into());
    }
    if request.delivery == ResponseMode::Stream {
        body.insert("stream".into(), true.into());
        body.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    sampling(request, &mut body);
    if let Some(Value::Object(output)) = &request.output {
        body.extend(output.clone());
    }
    let tools: Vec<_> = request.server_tools.iter().chain(&request.tools).cloned().collect();
    if !tools.is_empty() {
        body.extend(tool_choice(&request.choice).map(|choice| ("tool_choice".to_owned(), choice)));
        if request.calls == ParallelCalls::One {
            body.insert("parallel_tool_calls".into(), false.into());
        }
        body.insert("tools".into(), tools.into());
    }
    body.insert("messages".into(), messages(request).into());
    Value::Object(body)
}

fn sampling(request: &WireRequest, body: &mut Map<String, Value>) {
    let sampling = &request.sampling;
    for (key, value) in [
        ("temperature", sampling.temperature),
        ("top_p", sampling.top_p),
        ("frequency_penalty", sampling.frequency_penalty),
        ("presence_penalty", sampling.presence_penalty),
    ] {
        if let Some(value) = value {
            body.insert(key.into(), value.into());
        }
    }
    if let Some(seed) = sampling.seed {
        body.insert("seed".into(), seed.into());
    }
}

fn tool_choice(choice: &WireChoice) -> Option<Value> {
    match choice {
        WireChoice::Auto => None,
        WireChoice::None => Some("none".into()),
        WireChoice::Any => Some("required".into()),
        WireChoice::Tool(name) => Some(json!({ "type": "function", "function": { "name": name } })),
    }
}

fn messages(request: &WireRequest) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in &request.messages {
        match message.role {
            Role::User => messages.extend(user_messages(message)),
            Role::Assistant => messages.extend(assistant_message(message)),
        }
    }
    messages
}

/// Each result is a separate message; all texts and pictures are one message, because some
/// servers require the roles to alternate.
fn user_messages(message: &Message) -> Vec<Value> {
    let (mut sent, mut pictures) = (Vec::new(), Vec::new());
    let mut joined = String::new();
    for block in &message.blocks {
        match &block.part {
            Part::Result(result) => sent.push(json!({
                "role": "tool", "tool_call_id": result.id.0, "content": marked_text(result),
            })),
            Part::Text { text } | Part::Refusal { text } => {
                if !joined.is_empty() {
                    joined.push_str("\n\n");
                }
                joined.push_str(text);
            }
            Part::File(file) => pictures.extend(file.picture().map(|base64| {
                json!({ "type": "image_url", "image_url": { "url": data_url(file, base64) } })
            })),
            Part::Thinking { .. } | Part::Call(_) | Part::TornCall { .. } | Part::Other { .. } => {}
        }
    }
    if !pictures.is_empty() {
        if !joined.is_empty() {
            pictures.push(json!({ "type": "text", "text": joined }));
        }
        sent.push(json!({ "role": "user", "content": pictures }));
    } else if !joined.is_empty() {
        sent.push(json!({ "role": "user", "content": joined }));
    }
    sent
}

fn assistant_message(message: &Message) -> Option<Value> {
    let mut joined = String::new();
    let mut calls = Vec::new();
    let mut extra = Map::new();
    for block in &message.blocks {
        let native = block.native.as_ref().map(|native| &native.item);
        match (&block.part, native) {
            (Part::Text { text }, _) | (Part::Refusal { text }, None) => joined.push_str(text),
            (Part::Call(_), Some(item)) => calls.push(item.clone()),
            (Part::Call(call), None) => calls.push(json!({
                "id": call.id.0, "type": "function",
                "function": { "name": call.tool, "arguments": call.args.to_string() },
            })),
            (
                Part::Thinking { .. } | Part::Refusal { .. } | Part::Other { .. },
                Some(Value::Object(fields)),
            ) => extra.extend(fields.clone()),
            (
                Part::Thinking { .. }
                | Part::Refusal { .. }
                | Part::Other { .. }
                | Part::TornCall { .. }
                | Part::File(_)
                | Part::Result(_),
                _,
            ) => {}
        }
    }
    if joined.is_empty() && calls.is_empty() && !extra.contains_key("refusal") {
        return None;
    }
    let mut sent = Map::new();
    sent.insert("role".into(), "assistant".into());
    sent.insert("content".into(), if joined.is_empty() { Value::Null } else { joined.into() });
    sent.extend(extra);
    if !calls.is_empty() {
        sent.insert("tool_calls".into(), calls.into());
    }
    Some(Value::Object(sent))
}
