//! The body of a Responses request.
//!
//! The server stores nothing (`store: false`); reasoning is encrypted and sent back as an
//! item of the input, in its place.

use contract::{Block, Message, Part, Role};
use serde_json::{Map, Value, json};

use super::super::data_url;
use super::super::json::text;
use super::super::result_text::marked_text;
use super::super::{ParallelCalls, ResponseMode, WireChoice, WireRequest};

pub fn body(request: &WireRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    if let Some(tokens) = request.output_tokens_max {
        body.insert("max_output_tokens".into(), tokens.into());
    }
    if request.delivery == ResponseMode::Stream {
        body.insert("stream".into(), true.into());
    }
    body.insert("store".into(), false.into());
    body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    for (key, value) in
        [("temperature", request.sampling.temperature), ("top_p", request.sampling.top_p)]
    {
        if let Some(value) = value {
            body.insert(key.into(), value.into());
        }
    }
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
    if !request.system.is_empty() {
        body.insert("instructions".into(), request.system.clone().into());
    }
    let input: Vec<_> = request.messages.iter().flat_map(items).collect();
    body.insert("input".into(), input.into());
    Value::Object(body)
}

fn tool_choice(choice: &WireChoice) -> Option<Value> {
    match choice {
        WireChoice::Auto => None,
        WireChoice::None => Some("none".into()),
        WireChoice::Any => Some("required".into()),
        WireChoice::Tool(name) => Some(json!({ "type": "function", "name": name })),
    }
}

/// Reasoning must be followed by its result; if that was torn, it is dropped too.
fn items(message: &Message) -> Vec<Value> {
    let items = message.blocks.iter().filter_map(|block| item(message.role, block));
    let mut items: Vec<_> = items.collect();
    while items.last().is_some_and(|last| text(last, "type") == "reasoning") {
        items.pop();
    }
    items
}

fn item(role: Role, block: &Block) -> Option<Value> {
    if let Some(native) = &block.native {
        return Some(native.item.clone());
    }
    match &block.part {
        Part::Text { text } | Part::Refusal { text } if !text.is_empty() => {
            Some(json!({ "role": role.as_str(), "content": text }))
        }
        Part::Call(call) => Some(json!({
            "type": "function_call", "call_id": call.id.0, "name": call.tool,
            "arguments": call.args.to_string(),
        })),
        Part::Result(result) => Some(json!({
            "type": "function_call_output", "call_id": result.id.0, "output": marked_text(result),
        })),
        Part::File(file) => file.picture().map(|base64| {
            let url = data_url(file, base64);
            let picture = json!({ "type": "input_image", "image_url": url });
            json!({ "role": role.as_str(), "content": [picture] })
        }),
        Part::Text { .. }
        | Part::Refusal { .. }
        | Part::Thinking { .. }
        | Part::TornCall { .. }
        | Part::Other { .. } => None,
    }
}
