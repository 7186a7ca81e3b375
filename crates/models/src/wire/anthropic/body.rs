//! The body of an Anthropic request.
//!
//! Must hold: what comes first in the prompt comes first in the body (tools, system,
//! messages), and nothing before the end changes when the conversation grows. Cache
//! breakpoints are on the last tool and on the system text; the one on the last message
//! is set by the server (`cache_control` of the body), because moving it would
//! change earlier messages.

use contract::{Block, CallResult, Message, Part};
use serde_json::{Map, Value, json};

use super::super::json::text;
use super::super::result_text::content_text;
use super::super::{ParallelCalls, ResponseMode, WireChoice, WireRequest};

/// The wire requires a limit; every model in the table supports this one.
const OUTPUT_TOKENS_DEFAULT: u32 = 16_000;

pub fn body(request: &WireRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    let tokens = request.output_tokens_max.unwrap_or(OUTPUT_TOKENS_DEFAULT);
    body.insert("max_tokens".into(), tokens.into());
    if request.delivery == ResponseMode::Stream {
        body.insert("stream".into(), true.into());
    }
    if let Some(Value::Object(output)) = &request.output {
        body.extend(output.clone());
    }
    body.insert("cache_control".into(), breakpoint());
    let tools: Vec<_> = request.server_tools.iter().chain(&request.tools).cloned().collect();
    if !tools.is_empty() {
        body.extend(tool_choice(request).map(|choice| ("tool_choice".to_owned(), choice)));
        body.insert("tools".into(), with_breakpoint(tools).into());
    }
    if !request.system.is_empty() {
        let system = vec![json!({ "type": "text", "text": request.system })];
        body.insert("system".into(), with_breakpoint(system).into());
    }
    let messages: Vec<_> = request.messages.iter().filter_map(message).collect();
    body.insert("messages".into(), messages.into());
    Value::Object(body)
}

fn breakpoint() -> Value {
    json!({ "type": "ephemeral" })
}

fn with_breakpoint(mut entries: Vec<Value>) -> Vec<Value> {
    if let Some(Value::Object(last)) = entries.last_mut() {
        last.insert("cache_control".into(), breakpoint());
    }
    entries
}

/// Parallel calls are disabled inside the choice.
fn tool_choice(request: &WireRequest) -> Option<Value> {
    let one = request.calls == ParallelCalls::One;
    let mut choice = match &request.choice {
        WireChoice::Auto if one => json!({ "type": "auto" }),
        WireChoice::Auto => return None,
        WireChoice::None => return Some(json!({ "type": "none" })),
        WireChoice::Any => json!({ "type": "any" }),
        WireChoice::Tool(name) => json!({ "type": "tool", "name": name }),
    };
    if let (true, Value::Object(choice)) = (one, &mut choice) {
        choice.insert("disable_parallel_tool_use".into(), true.into());
    }
    Some(choice)
}

/// A message must not end with thinking; if what followed it was torn, it is dropped too.
fn message(message: &Message) -> Option<Value> {
    let mut content: Vec<_> = message.blocks.iter().filter_map(content).collect();
    while content.last().is_some_and(|last| text(last, "type").ends_with("thinking")) {
        content.pop();
    }
    (!content.is_empty()).then(|| json!({ "role": message.role.as_str(), "content": content }))
}

fn content(block: &Block) -> Option<Value> {
    if let Some(native) = &block.native {
        let empty = text(&native.item, "type") == "text" && text(&native.item, "text").is_empty();
        return (!empty).then(|| native.item.clone());
    }
    match &block.part {
        Part::Text { text } | Part::Refusal { text } if !text.is_empty() => {
            Some(json!({ "type": "text", "text": text }))
        }
        Part::Call(call) => Some(json!({
            "type": "tool_use", "id": call.id.0, "name": call.tool, "input": call.args,
        })),
        Part::Result(result) => Some(tool_result(result)),
        Part::File(file) => file.picture().map(|base64| {
            let source =
                json!({ "type": "base64", "media_type": file.file.media_type, "data": base64 });
            json!({ "type": "image", "source": source })
        }),
        Part::Text { .. }
        | Part::Refusal { .. }
        | Part::Thinking { .. }
        | Part::TornCall { .. }
        | Part::Other { .. } => None,
    }
}

fn tool_result(result: &CallResult) -> Value {
    let mut block = Map::new();
    block.insert("type".into(), "tool_result".into());
    block.insert("tool_use_id".into(), result.id.0.clone().into());
    block.insert("content".into(), content_text(&result.content).into());
    if result.is_error {
        block.insert("is_error".into(), true.into());
    }
    Value::Object(block)
}
