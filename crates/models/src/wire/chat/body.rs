//! The body of a Chat Completions request.
//!
//! An assistant's message is put together from its blocks: the native item of a call is its
//! entry in `tool_calls`, the native item of thinking is the field (or fields) it came in.

use contract::{Message, Part, Role};
use serde_json::{Map, Value, json};

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
            Role::User => messages.extend(said_by_user(message)),
            Role::Assistant => messages.extend(said_by_assistant(message)),
        }
    }
    messages
}

/// Each result is a message of its own; all texts are one, because some servers want the
/// sides to take turns.
fn said_by_user(message: &Message) -> Vec<Value> {
    let mut said = Vec::new();
    let mut spoken = String::new();
    for block in &message.blocks {
        match &block.part {
            Part::Result(result) => said.push(json!({
                "role": "tool", "tool_call_id": result.id.0, "content": marked_text(result),
            })),
            Part::Text { text } | Part::Refusal { text } => {
                if !spoken.is_empty() {
                    spoken.push_str("\n\n");
                }
                spoken.push_str(text);
            }
            Part::Thinking { .. } | Part::Call(_) | Part::TornCall { .. } | Part::Other { .. } => {}
        }
    }
    if !spoken.is_empty() {
        said.push(json!({ "role": "user", "content": spoken }));
    }
    said
}

fn said_by_assistant(message: &Message) -> Option<Value> {
    let mut spoken = String::new();
    let mut calls = Vec::new();
    let mut extra = Map::new();
    for block in &message.blocks {
        let native = block.native.as_ref().map(|native| &native.item);
        match (&block.part, native) {
            (Part::Text { text }, _) | (Part::Refusal { text }, None) => spoken.push_str(text),
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
                | Part::Result(_),
                _,
            ) => {}
        }
    }
    if spoken.is_empty() && calls.is_empty() && !extra.contains_key("refusal") {
        return None;
    }
    let mut said = Map::new();
    said.insert("role".into(), "assistant".into());
    said.insert("content".into(), if spoken.is_empty() { Value::Null } else { spoken.into() });
    said.extend(extra);
    if !calls.is_empty() {
        said.insert("tool_calls".into(), calls.into());
    }
    Some(Value::Object(said))
}
