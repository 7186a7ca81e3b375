//! Reads an answer of OpenAI Responses.
//!
//! Deltas are only for display; each finished item counts, and is kept verbatim.

use std::collections::BTreeMap;

use contract::{CallId, Delta, ModelFault, Part, Reply, StopReason, Usage, Wire};
use serde_json::{Value, json};

use super::super::error_frame::fault_of;
use super::super::json::{count, list, take, text};
use super::super::partial_block::{CallDraft, PartialBlock, native_block, settle};
use super::super::{Decoder as Reads, Frame};
use crate::fault;

#[derive(Default)]
pub struct Decoder {
    /// Finished items, by the server's index.
    items: BTreeMap<u64, Value>,
    /// The response as the last event describes it.
    end: Option<Value>,
}

impl Reads for Decoder {
    fn push(&mut self, frame: Frame) -> Result<Vec<Delta>, ModelFault> {
        let Frame::Json(mut frame) = frame else { return Ok(Vec::new()) };
        let index = count(&frame, "/output_index");
        let delta = match text(&frame, "type") {
            "response.output_item.added" => begun(frame.get("item").unwrap_or(&Value::Null)),
            "response.output_item.done" => {
                self.items.insert(index, take(&mut frame, "item").unwrap_or_default());
                None
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                Some(Delta::Text(text(&frame, "delta").to_owned()))
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                Some(Delta::Thinking(text(&frame, "delta").to_owned()))
            }
            "response.completed" | "response.incomplete" => {
                self.end = take(&mut frame, "response");
                None
            }
            "response.failed" => {
                let error = frame.pointer("/response/error").unwrap_or(&Value::Null);
                return Err(fault_of(error));
            }
            "error" => return Err(fault_of(frame.get("error").unwrap_or(&frame))),
            _ => None,
        };
        Ok(delta.into_iter().collect())
    }

    fn is_over(&self) -> bool {
        self.end.is_some()
    }

    fn finish(self: Box<Self>) -> Result<Reply, ModelFault> {
        let Decoder { mut items, end } = *self;
        let end = end.ok_or_else(|| fault::truncated("`response.completed` is missing"))?;
        // An item that was cut off has no `done` event, but the last event lists it.
        for (index, item) in (0..).zip(list(&end, "output")) {
            items.entry(index).or_insert_with(|| item.clone());
        }
        let pieces: Vec<_> = items.into_values().map(piece).collect();
        let stop = stop(&end, &pieces);
        let blocks = settle(Wire::Responses, pieces, &stop);
        let usage = usage(end.get("usage").unwrap_or(&Value::Null));
        Ok(Reply { blocks, stop, usage, model: text(&end, "model").to_owned(), shaped: None })
    }
}

fn begun(item: &Value) -> Option<Delta> {
    (text(item, "type") == "function_call").then(|| Delta::CallBegun {
        id: CallId(text(item, "call_id").to_owned()),
        tool: text(item, "name").to_owned(),
    })
}

fn piece(item: Value) -> PartialBlock {
    let label = text(&item, "type").to_owned();
    match label.as_str() {
        "message" => message(item),
        "reasoning" => {
            let texts = |key| list(&item, key).iter().map(|part| text(part, "text"));
            let text = texts("summary").chain(texts("content")).collect::<Vec<_>>().join("\n\n");
            native_block(Wire::Responses, Part::Thinking { text }, item)
        }
        "function_call" => PartialBlock::Call(CallDraft {
            id: text(&item, "call_id").to_owned(),
            name: text(&item, "name").to_owned(),
            arguments: text(&item, "arguments").to_owned(),
            native: item,
        }),
        _ => native_block(Wire::Responses, Part::Other { label }, item),
    }
}

/// One item is one block; a message with a refusal is a refusal as a whole.
fn message(item: Value) -> PartialBlock {
    let content = list(&item, "content");
    let refused = content.iter().any(|part| text(part, "type") == "refusal");
    let texts = |part: &Value| format!("{}{}", text(part, "text"), text(part, "refusal"));
    let text: String = content.iter().map(texts).collect();
    let part = if refused { Part::Refusal { text } } else { Part::Text { text } };
    native_block(Wire::Responses, part, item)
}

fn stop(end: &Value, pieces: &[PartialBlock]) -> StopReason {
    if text(end, "status") == "incomplete" {
        let reason = end.pointer("/incomplete_details/reason").and_then(Value::as_str);
        return match reason.unwrap_or("incomplete") {
            "max_output_tokens" => StopReason::MaxTokens,
            "content_filter" => {
                StopReason::Refusal { text: "the provider's content filter".to_owned() }
            }
            other => StopReason::Other { reason: other.to_owned() },
        };
    }
    let refusal = |piece: &PartialBlock| match piece {
        PartialBlock::Block(block) => block.part.refusal().map(str::to_owned),
        PartialBlock::Call(_) => None,
    };
    if let Some(text) = pieces.iter().find_map(refusal) {
        return StopReason::Refusal { text };
    }
    let calls = pieces.iter().any(|piece| matches!(piece, PartialBlock::Call(_)));
    if calls { StopReason::ToolUse } else { StopReason::EndTurn }
}

fn usage(usage: &Value) -> Usage {
    let cache_read = count(usage, "/input_tokens_details/cached_tokens");
    let cache_write = count(usage, "/input_tokens_details/cache_write_tokens");
    Usage {
        input: count(usage, "/input_tokens").saturating_sub(cache_read).saturating_sub(cache_write),
        output: count(usage, "/output_tokens"),
        cache_read,
        cache_write,
        thinking: count(usage, "/output_tokens_details/reasoning_tokens"),
    }
}

/// An unstreamed response as the last event of a stream, which lists everything.
pub fn frames_of(response: &Value) -> Vec<Frame> {
    let kind = match text(response, "status") {
        "completed" => "response.completed",
        "incomplete" => "response.incomplete",
        "failed" => "response.failed",
        // Still in progress, or not a response: there is no end to read.
        _ if response.get("error").is_some_and(Value::is_object) => "response.failed",
        _ => "response.in_progress",
    };
    vec![Frame::Json(json!({ "type": kind, "response": response }))]
}
