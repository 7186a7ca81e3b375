//! Anthropic Messages: content blocks, and the events they are streamed in.

use contract::{StopReason, Usage};
use serde_json::{Value, json};

use super::{Asked, Frame, Rendered, scraps, words};
use crate::provider::turn::{Item, Quirk, Source, Turn};

/// A content block; a torn one streams this text in place of its input.
struct Block {
    block: Value,
    torn: Option<String>,
}

impl From<Value> for Block {
    fn from(block: Value) -> Self {
        Block { block, torn: None }
    }
}

pub(crate) fn render(turn: &Turn, asked: &Asked<'_>) -> Rendered {
    let blocks: Vec<Block> = turn.items.iter().flat_map(|item| blocks_of(item, asked)).collect();
    let delta = end_of(&turn.end());
    let message = json!({
        "id": asked.ids.next("msg_"),
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [],
        "container": null,
        "stop_reason": null,
        "stop_sequence": null,
        "stop_details": null,
        "usage": usage_of(Usage { output: 1, thinking: 0, ..turn.usage }),
    });
    let mut whole = message.clone();
    whole["content"] = blocks.iter().map(|block| block.block.clone()).collect();
    whole["usage"] = usage_of(turn.usage);
    for key in ["stop_reason", "stop_sequence", "stop_details"] {
        whole[key] = delta[key].clone();
    }

    let mut events = vec![json!({ "type": "message_start", "message": message })];
    for (index, block) in blocks.iter().enumerate() {
        events.extend(events_of(index, block, turn.has(Quirk::NoInputAtStart)));
        if index == 0 {
            events.push(json!({ "type": "ping" }));
        }
    }
    events.push(json!({
        "type": "message_delta", "delta": delta, "usage": usage_of(turn.usage),
    }));
    events.push(json!({ "type": "message_stop" }));
    Rendered { whole, frames: events.iter().map(Frame::named).collect() }
}

fn blocks_of(item: &Item, asked: &Asked<'_>) -> Vec<Block> {
    match item {
        Item::Text(text) => vec![json!({ "type": "text", "text": text }).into()],
        Item::Cited { text, source } => vec![cited(text, source).into()],
        Item::Thinking { text, signature } => {
            vec![json!({ "type": "thinking", "thinking": text, "signature": signature }).into()]
        }
        Item::Redacted { data } => {
            vec![json!({ "type": "redacted_thinking", "data": data }).into()]
        }
        Item::Call { id, tool, args } => {
            let id = id.clone().unwrap_or_else(|| asked.ids.next("toolu_"));
            vec![tool_use(&id, tool, args).into()]
        }
        Item::TornCall { tool, text } => {
            let block = tool_use(&asked.ids.next("toolu_"), tool, &json!({}));
            vec![Block { block, torn: Some(text.clone()) }]
        }
        Item::Search { query, found } => {
            let id = asked.ids.next("srvtoolu_");
            let results: Vec<_> = found.iter().map(result).collect();
            vec![
                json!({ "type": "server_tool_use", "id": id, "name": "web_search",
                        "input": { "query": query } })
                .into(),
                json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": results })
                    .into(),
            ]
        }
        Item::Code { code, output } => {
            let id = asked.ids.next("srvtoolu_");
            let result = json!({ "type": "bash_code_execution_result", "stdout": output,
                                 "stderr": "", "return_code": 0, "content": [] });
            vec![
                json!({ "type": "server_tool_use", "id": id, "name": "bash_code_execution",
                        "input": { "command": code } })
                .into(),
                json!({ "type": "bash_code_execution_tool_result", "tool_use_id": id,
                        "content": result })
                .into(),
            ]
        }
        // The explanation is in `stop_details`.
        Item::Refusal(_) => Vec::new(),
        Item::Native(block) => vec![block.clone().into()],
    }
}

fn tool_use(id: &str, tool: &str, args: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": tool, "input": args,
            "caller": { "type": "direct" } })
}

fn cited(text: &str, source: &Source) -> Value {
    json!({ "type": "text", "text": text, "citations": [{
        "type": "web_search_result_location",
        "url": source.url, "title": source.title, "cited_text": source.quote,
        "encrypted_index": format!("index-of-{}", source.url),
    }] })
}

fn result(source: &Source) -> Value {
    json!({ "type": "web_search_result", "url": source.url, "title": source.title,
            "encrypted_content": format!("content-of-{}", source.url), "page_age": null })
}

fn end_of(stop: &StopReason) -> Value {
    let (reason, sequence, details) = match stop {
        StopReason::EndTurn => ("end_turn", Value::Null, Value::Null),
        StopReason::ToolUse => ("tool_use", Value::Null, Value::Null),
        StopReason::MaxTokens => ("max_tokens", Value::Null, Value::Null),
        StopReason::StopSequence => ("stop_sequence", "END".into(), Value::Null),
        StopReason::PauseTurn => ("pause_turn", Value::Null, Value::Null),
        StopReason::Refusal { text } => {
            let details =
                json!({ "type": "refusal", "category": "general_harms", "explanation": text });
            ("refusal", Value::Null, details)
        }
        StopReason::ContextExceeded => ("model_context_window_exceeded", Value::Null, Value::Null),
        StopReason::Other { reason } => (reason.as_str(), Value::Null, Value::Null),
    };
    json!({ "stop_reason": reason, "stop_sequence": sequence, "stop_details": details })
}

fn usage_of(usage: Usage) -> Value {
    let Usage { input, output, cache_read, cache_write, thinking } = usage;
    json!({
        "input_tokens": input,
        "cache_creation_input_tokens": cache_write,
        "cache_read_input_tokens": cache_read,
        "output_tokens": output,
        "output_tokens_details": { "thinking_tokens": thinking },
    })
}

fn events_of(index: usize, block: &Block, without_input: bool) -> Vec<Value> {
    let kind = block.block["type"].as_str().unwrap_or_default();
    let (start, deltas) = match kind {
        "text" => text_events(&block.block),
        "thinking" => thinking_events(&block.block),
        "tool_use" | "server_tool_use" => call_events(block, without_input),
        _ => (block.block.clone(), Vec::new()),
    };
    let start = json!({ "type": "content_block_start", "index": index, "content_block": start });
    let delta = |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let stop = json!({ "type": "content_block_stop", "index": index });
    [start].into_iter().chain(deltas.into_iter().map(delta)).chain([stop]).collect()
}

fn text_events(block: &Value) -> (Value, Vec<Value>) {
    let mut start = json!({ "type": "text", "text": "" });
    let text = block["text"].as_str().unwrap_or_default();
    let delta = |word| json!({ "type": "text_delta", "text": word });
    let mut deltas: Vec<_> = words(text).map(delta).collect();
    if let Some(citations) = block["citations"].as_array() {
        start["citations"] = json!([]);
        let delta = |citation| json!({ "type": "citations_delta", "citation": citation });
        deltas.extend(citations.iter().map(delta));
    }
    (start, deltas)
}

fn thinking_events(block: &Value) -> (Value, Vec<Value>) {
    let start = json!({ "type": "thinking", "thinking": "", "signature": "" });
    let delta = |word| json!({ "type": "thinking_delta", "thinking": word });
    let mut deltas: Vec<_> =
        words(block["thinking"].as_str().unwrap_or_default()).map(delta).collect();
    deltas.push(json!({ "type": "signature_delta", "signature": block["signature"] }));
    (start, deltas)
}

fn call_events(block: &Block, without_input: bool) -> (Value, Vec<Value>) {
    let mut start = block.block.clone();
    if let (true, Some(fields)) = (without_input, start.as_object_mut()) {
        fields.shift_remove("input");
    } else {
        start["input"] = json!({});
    }
    let text = block.torn.clone().unwrap_or_else(|| block.block["input"].to_string());
    let pieces = [String::new()].into_iter().chain(scraps(&text));
    let delta = |piece| json!({ "type": "input_json_delta", "partial_json": piece });
    (start, pieces.map(delta).collect())
}
