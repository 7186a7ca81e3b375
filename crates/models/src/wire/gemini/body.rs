//! The body of a generateContent request.
//!
//! Must hold: a call is sent back with its own thought signature; the first call of a turn
//! that another model made has a placeholder. A result refers to its call by id if the call
//! has one.

use std::collections::BTreeMap;

use contract::{Block, Call, CallId, CallResult, Message, Part, Role};
use serde_json::{Map, Value, json};

use super::super::{WireChoice, WireRequest};

/// The protocol's placeholder for a signature that cannot exist.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

pub fn body(request: &WireRequest) -> Value {
    let mut body = Map::new();
    let generation = generation_config(request);
    if !generation.is_empty() {
        body.insert("generationConfig".into(), generation.into());
    }
    let mut tools = request.server_tools.clone();
    if !request.tools.is_empty() {
        tools.push(json!({ "functionDeclarations": request.tools }));
        body.insert("toolConfig".into(), tool_config(request));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    if !request.system.is_empty() {
        body.insert("systemInstruction".into(), json!({ "parts": [{ "text": request.system }] }));
    }
    body.insert("contents".into(), contents(&request.messages).into());
    Value::Object(body)
}

fn generation_config(request: &WireRequest) -> Map<String, Value> {
    let mut config = Map::new();
    if let Some(tokens) = request.output_tokens_max {
        config.insert("maxOutputTokens".into(), tokens.into());
    }
    let sampling = &request.sampling;
    for (key, value) in [
        ("temperature", sampling.temperature),
        ("topP", sampling.top_p),
        ("frequencyPenalty", sampling.frequency_penalty),
        ("presencePenalty", sampling.presence_penalty),
    ] {
        if let Some(value) = value {
            config.insert(key.into(), value.into());
        }
    }
    if let Some(seed) = sampling.seed {
        config.insert("seed".into(), seed.into());
    }
    if let Some(Value::Object(output)) = &request.output {
        config.extend(output.clone());
    }
    config
}

fn tool_config(request: &WireRequest) -> Value {
    let auto = if request.validated { "VALIDATED" } else { "AUTO" };
    let calling = match &request.choice {
        WireChoice::Auto => json!({ "mode": auto }),
        WireChoice::None => json!({ "mode": "NONE" }),
        WireChoice::Any => json!({ "mode": "ANY" }),
        WireChoice::Tool(name) => json!({ "mode": "ANY", "allowedFunctionNames": [name] }),
    };
    let mut config = Map::new();
    config.insert("functionCallingConfig".into(), calling);
    if !request.server_tools.is_empty() {
        config.insert("includeServerSideToolInvocations".into(), true.into());
    }
    Value::Object(config)
}

fn contents(messages: &[Message]) -> Vec<Value> {
    let own_ids = own_ids(messages);
    let content = |message: &Message| {
        let mut parts = Vec::new();
        for block in &message.blocks {
            parts.extend(part(block, &parts, &own_ids));
        }
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "model",
        };
        (!parts.is_empty()).then(|| json!({ "role": role, "parts": parts }))
    };
    messages.iter().filter_map(content).collect()
}

type OwnIds<'a> = BTreeMap<&'a CallId, Option<&'a str>>;

/// The ids that the server gave to its calls, if any; ours may differ.
fn own_ids(messages: &[Message]) -> OwnIds<'_> {
    let blocks = messages.iter().flat_map(|message| &message.blocks);
    let own = blocks.filter_map(|block| match (&block.part, &block.native) {
        (Part::Call(call), Some(native)) => {
            Some((&call.id, native.item.pointer("/functionCall/id").and_then(Value::as_str)))
        }
        _ => None,
    });
    own.collect()
}

fn part(block: &Block, before: &[Value], own_ids: &OwnIds<'_>) -> Option<Value> {
    if let Some(native) = &block.native {
        return Some(native.item.clone());
    }
    match &block.part {
        Part::Text { text } | Part::Refusal { text } if !text.is_empty() => {
            Some(json!({ "text": text }))
        }
        Part::Call(call) => {
            let is_first = !before.iter().any(|part| part.get("functionCall").is_some());
            Some(foreign_call(call, is_first))
        }
        Part::Result(result) => {
            let id = own_ids.get(&result.id).copied().unwrap_or(Some(&result.id.0));
            Some(function_response(result, id))
        }
        Part::File(file) => file.picture().map(
            |base64| json!({ "inlineData": { "mimeType": file.file.media_type, "data": base64 } }),
        ),
        Part::Text { .. }
        | Part::Refusal { .. }
        | Part::Thinking { .. }
        | Part::TornCall { .. }
        | Part::Other { .. } => None,
    }
}

fn foreign_call(call: &Call, is_first: bool) -> Value {
    let mut part = Map::new();
    let function_call = json!({ "id": call.id.0, "name": call.tool, "args": call.args });
    part.insert("functionCall".into(), function_call);
    if is_first {
        part.insert("thoughtSignature".into(), NO_SIGNATURE.into());
    }
    Value::Object(part)
}

fn function_response(result: &CallResult, id: Option<&str>) -> Value {
    let content = match has_reference(&result.content) {
        // The server would try to resolve it.
        true => result.content.to_string().into(),
        false => result.content.clone(),
    };
    let key = if result.is_error { "error" } else { "output" };
    let mut response = Map::new();
    if let Some(id) = id {
        response.insert("id".into(), id.into());
    }
    response.insert("name".into(), result.tool.clone().into());
    response.insert("response".into(), json!({ key: content }));
    json!({ "functionResponse": response })
}

fn has_reference(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.contains_key("$ref") || map.values().any(has_reference),
        Value::Array(items) => items.iter().any(has_reference),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
