//! Reads an Anthropic answer.
//!
//! Each content block is built up as the server sends it, delta by delta, so that it can be
//! sent back verbatim: signatures, citations, server tools, and future block types.

use std::collections::BTreeMap;

use contract::{CallId, Delta, ModelFault, Part, Reply, StopReason, Usage, Wire};
use serde_json::{Map, Value, json};

use super::super::error_frame::fault_of;
use super::super::json::{count, grow, take, text};
use super::super::partial_block::{CallDraft, PartialBlock, native_block, settle};
use super::super::{Decoder as Reads, Frame};
use crate::fault;

#[derive(Default)]
pub struct Decoder {
    model: String,
    usage: Usage,
    /// By the server's index.
    items: BTreeMap<u64, Item>,
    stop: Option<StopReason>,
    over: bool,
}

struct Item {
    /// The block as it is sent back.
    block: Map<String, Value>,
    /// The input so far, from `input_json_delta`s.
    input: String,
}

impl Reads for Decoder {
    fn push(&mut self, frame: Frame) -> Result<Vec<Delta>, ModelFault> {
        let Frame::Json(mut frame) = frame else { return Ok(Vec::new()) };
        let index = count(&frame, "/index");
        let deltas = match text(&frame, "type") {
            "message_start" => {
                let message = take(&mut frame, "message").unwrap_or_default();
                self.model = text(&message, "model").to_owned();
                self.read_usage(&message);
                Vec::new()
            }
            "content_block_start" => self.begin(index, take(&mut frame, "content_block")),
            "content_block_delta" => self.extend(index, take(&mut frame, "delta")),
            "message_delta" => {
                self.read_stop(frame.get("delta").unwrap_or(&Value::Null));
                self.read_usage(&frame);
                Vec::new()
            }
            "message_stop" => {
                self.over = true;
                Vec::new()
            }
            "error" => return Err(fault_of(frame.get("error").unwrap_or(&frame))),
            // `ping`, the end of a block, and future events.
            _ => Vec::new(),
        };
        Ok(deltas)
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn finish(self: Box<Self>) -> Result<Reply, ModelFault> {
        let Decoder { model, usage, items, stop, over } = *self;
        let stop =
            stop.filter(|_| over).ok_or_else(|| fault::truncated("`message_stop` is missing"))?;
        let pieces = items.into_values().map(piece).collect();
        let blocks = settle(Wire::Anthropic, pieces, &stop);
        Ok(Reply { blocks, stop, usage, model, shaped: None })
    }
}

impl Decoder {
    fn begin(&mut self, index: u64, block: Option<Value>) -> Vec<Delta> {
        let Some(Value::Object(block)) = block else { return Vec::new() };
        let get = |key| block.get(key).and_then(Value::as_str).unwrap_or_default();
        let delta = match get("type") {
            "tool_use" => Some(Delta::CallBegun {
                id: CallId(get("id").to_owned()),
                tool: get("name").to_owned(),
            }),
            "text" => spoken(get("text"), Delta::Text),
            "thinking" => spoken(get("thinking"), Delta::Thinking),
            _ => None,
        };
        self.items.insert(index, Item { block, input: String::new() });
        delta.into_iter().collect()
    }

    fn extend(&mut self, index: u64, delta: Option<Value>) -> Vec<Delta> {
        let (Some(Value::Object(mut delta)), Some(item)) = (delta, self.items.get_mut(&index))
        else {
            return Vec::new();
        };
        let kind = delta.shift_remove("type").unwrap_or_default();
        let get = |key| delta.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let seen = match kind.as_str().unwrap_or_default() {
            "input_json_delta" => {
                item.input.push_str(&get("partial_json"));
                return Vec::new();
            }
            "citations_delta" => {
                let citation = delta.shift_remove("citation").unwrap_or_default();
                delta.insert("citations".into(), json!([citation]));
                None
            }
            "text_delta" => spoken(&get("text"), Delta::Text),
            "thinking_delta" => spoken(&get("thinking"), Delta::Thinking),
            _ => None,
        };
        grow(&mut item.block, delta);
        seen.into_iter().collect()
    }

    fn read_stop(&mut self, delta: &Value) {
        let Some(reason) = delta.get("stop_reason").and_then(Value::as_str) else { return };
        self.stop = Some(match reason {
            "end_turn" => StopReason::EndTurn,
            "tool_use" => StopReason::ToolUse,
            "max_tokens" => StopReason::MaxTokens,
            "stop_sequence" => StopReason::StopSequence,
            "pause_turn" => StopReason::PauseTurn,
            "refusal" => StopReason::Refusal { text: refusal_text(delta) },
            "model_context_window_exceeded" => StopReason::ContextExceeded,
            other => StopReason::Other { reason: other.to_owned() },
        });
    }

    /// Counts grow with the answer; the last ones count.
    fn read_usage(&mut self, holder: &Value) {
        let set = |field: &mut u64, pointer| {
            if let Some(count) = holder.pointer(pointer).and_then(Value::as_u64) {
                *field = count;
            }
        };
        set(&mut self.usage.input, "/usage/input_tokens");
        set(&mut self.usage.output, "/usage/output_tokens");
        set(&mut self.usage.cache_read, "/usage/cache_read_input_tokens");
        set(&mut self.usage.cache_write, "/usage/cache_creation_input_tokens");
        set(&mut self.usage.thinking, "/usage/output_tokens_details/thinking_tokens");
    }
}

fn spoken(text: &str, delta: fn(String) -> Delta) -> Option<Delta> {
    (!text.is_empty()).then(|| delta(text.to_owned()))
}

fn refusal_text(delta: &Value) -> String {
    let details = delta.get("stop_details").unwrap_or(&Value::Null);
    match (text(details, "explanation"), text(details, "category")) {
        ("", category) => category.to_owned(),
        (explanation, _) => explanation.to_owned(),
    }
}

fn piece(item: Item) -> PartialBlock {
    let Item { mut block, mut input } = item;
    let is_torn = match serde_json::from_str::<Value>(&input) {
        Ok(parsed) => {
            block.insert("input".into(), parsed);
            false
        }
        // Some servers send the whole input at the start of the block.
        Err(_) if input.is_empty() => {
            let initial = block.get("input").filter(|initial| **initial != json!({}));
            input = initial.map(ToString::to_string).unwrap_or_default();
            false
        }
        Err(_) => true,
    };
    let block = Value::Object(block);
    let label = text(&block, "type").to_owned();
    let part = match label.as_str() {
        "text" => Part::Text { text: text(&block, "text").to_owned() },
        // Redacted thinking has no text to show.
        "thinking" | "redacted_thinking" => {
            Part::Thinking { text: text(&block, "thinking").to_owned() }
        }
        "tool_use" => {
            return PartialBlock::Call(CallDraft {
                id: text(&block, "id").to_owned(),
                name: text(&block, "name").to_owned(),
                arguments: input,
                native: block,
            });
        }
        // A server tool without content to send back.
        _ if is_torn => return PartialBlock::Block(Part::Other { label }.into()),
        _ => Part::Other { label },
    };
    native_block(Wire::Anthropic, part, block)
}

/// An unstreamed message as a stream. Blocks start complete; only the input of tools is a
/// delta, as always.
pub fn frames_of(mut message: Value) -> Vec<Frame> {
    if text(&message, "type") == "error" {
        return vec![Frame::Json(message)];
    }
    let content = take(&mut message, "content");
    let end = json!({
        "type": "message_delta",
        "delta": {
            "stop_reason": message.get("stop_reason"),
            "stop_details": message.get("stop_details"),
        },
    });
    let mut frames = vec![json!({ "type": "message_start", "message": message })];
    let blocks = if let Some(Value::Array(blocks)) = content { blocks } else { Vec::new() };
    for (index, mut block) in blocks.into_iter().enumerate() {
        let input = take(&mut block, "input");
        let begin =
            json!({ "type": "content_block_start", "index": index, "content_block": block });
        frames.push(begin);
        if let Some(input) = input {
            let delta = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
            frames.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
    }
    frames.extend([end, json!({ "type": "message_stop" })]);
    frames.into_iter().map(Frame::Json).collect()
}
