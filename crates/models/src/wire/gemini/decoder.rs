//! Reads a generateContent answer, streamed or not.
//!
//! Pieces of plain text are joined; a part with anything else in it (such as a thought signature)
//! stays separate, because it is sent back unchanged.

use contract::{Block, CallId, Delta, ModelFault, Native, Part, Reply, StopReason, Usage, Wire};
use serde_json::{Map, Value};

use super::super::error_frame::fault_of;
use super::super::json::{count, list, text};
use super::super::partial_block::{CallDraft, PartialBlock, native_block, settle};
use super::super::{CallIds, Decoder as Reads, Frame};
use crate::fault;

pub struct Decoder {
    ids: CallIds,
    model: String,
    usage: Usage,
    pieces: Vec<PartialBlock>,
    stop: Option<StopReason>,
}

impl Decoder {
    pub fn new(ids: CallIds) -> Self {
        Self { ids, model: String::new(), usage: Usage::default(), pieces: Vec::new(), stop: None }
    }
}

impl Reads for Decoder {
    fn push(&mut self, frame: Frame) -> Result<Vec<Delta>, ModelFault> {
        let Frame::Json(frame) = frame else { return Ok(Vec::new()) };
        if let Some(error) = frame.get("error") {
            return Err(fault_of(error));
        }
        if !text(&frame, "modelVersion").is_empty() {
            self.model = text(&frame, "modelVersion").to_owned();
        }
        if let Some(usage) = frame.get("usageMetadata") {
            self.usage = read_usage(usage);
        }
        if let Some(feedback) = frame.get("promptFeedback")
            && !text(feedback, "blockReason").is_empty()
        {
            let text =
                reason_text(text(feedback, "blockReason"), text(feedback, "blockReasonMessage"));
            self.stop =
                Some(StopReason::Refusal { text: format!("the prompt was blocked: {text}") });
        }
        let Some(candidate) = list(&frame, "candidates").first() else { return Ok(Vec::new()) };
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        let parts = parts.map(Vec::as_slice).unwrap_or_default();
        let deltas = parts.iter().filter_map(|part| self.read_part(part)).collect();
        if !text(candidate, "finishReason").is_empty() {
            self.stop = Some(stop(candidate));
        }
        Ok(deltas)
    }

    /// There is no last event; the connection ends.
    fn is_over(&self) -> bool {
        false
    }

    fn finish(self: Box<Self>) -> Result<Reply, ModelFault> {
        let Decoder { model, usage, pieces, stop, .. } = *self;
        let stop = stop.ok_or_else(|| fault::truncated("`finishReason` is missing"))?;
        let calls = pieces.iter().any(|piece| matches!(piece, PartialBlock::Call(_)));
        let stop = if stop == StopReason::EndTurn && calls { StopReason::ToolUse } else { stop };
        let blocks = settle(Wire::Gemini, pieces, &stop);
        Ok(Reply { blocks, stop, usage, model, shaped: None })
    }
}

impl Decoder {
    fn read_part(&mut self, part: &Value) -> Option<Delta> {
        if let Some(call) = part.get("functionCall") {
            let id = self.ids.claim(text(call, "id"));
            let tool = text(call, "name").to_owned();
            let args = call.get("args").filter(|args| !args.is_null());
            self.pieces.push(PartialBlock::Call(CallDraft {
                id: id.0.clone(),
                name: tool.clone(),
                arguments: args.map(ToString::to_string).unwrap_or_default(),
                native: part.clone(),
            }));
            return Some(Delta::CallBegun { id: CallId(id.0), tool });
        }
        let Some(piece) = part.get("text").and_then(Value::as_str) else {
            let known = ["text", "thought", "thoughtSignature", "partMetadata"];
            let fields = part.as_object();
            let label =
                fields.and_then(|fields| fields.keys().find(|key| !known.contains(&key.as_str())));
            let label = label.map_or("part", String::as_str).to_owned();
            self.pieces.push(native_block(Wire::Gemini, Part::Other { label }, part.clone()));
            return None;
        };
        if piece.is_empty() && part.as_object().is_some_and(is_plain) {
            return None;
        }
        let thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
        if !self.grew(part, piece) {
            let text = piece.to_owned();
            let part_shown = if thought { Part::Thinking { text } } else { Part::Text { text } };
            self.pieces.push(native_block(Wire::Gemini, part_shown, part.clone()));
        }
        let delta = if thought { Delta::Thinking } else { Delta::Text };
        (!piece.is_empty()).then(|| delta(piece.to_owned()))
    }

    /// Appends plain text to the plain text before it; false if one of them is not plain.
    fn grew(&mut self, part: &Value, more: &str) -> bool {
        let Some(PartialBlock::Block(Block { part: last, native: Some(Native { item, .. }) })) =
            self.pieces.last_mut()
        else {
            return false;
        };
        let (Value::Object(item), Some(fields)) = (item, part.as_object()) else { return false };
        if !is_plain(item) || !is_plain(fields) || item.get("thought") != fields.get("thought") {
            return false;
        }
        let (Part::Text { text } | Part::Thinking { text }) = last else { return false };
        text.push_str(more);
        if let Some(Value::String(whole)) = item.get_mut("text") {
            whole.push_str(more);
        }
        true
    }
}

fn is_plain(part: &Map<String, Value>) -> bool {
    part.contains_key("text") && part.keys().all(|key| key == "text" || key == "thought")
}

fn stop(candidate: &Value) -> StopReason {
    let reason = text(candidate, "finishReason");
    match reason {
        "STOP" => StopReason::EndTurn,
        "MAX_TOKENS" => StopReason::MaxTokens,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => {
            StopReason::Refusal { text: reason_text(reason, text(candidate, "finishMessage")) }
        }
        other => StopReason::Other { reason: reason_text(other, text(candidate, "finishMessage")) },
    }
}

fn reason_text(reason: &str, message: &str) -> String {
    if message.is_empty() { reason.to_owned() } else { format!("{reason}: {message}") }
}

/// Thinking is counted separately from the answer; the prompt's count includes the cached part.
fn read_usage(usage: &Value) -> Usage {
    let cache_read = count(usage, "/cachedContentTokenCount");
    let thinking = count(usage, "/thoughtsTokenCount");
    let tools = count(usage, "/toolUsePromptTokenCount");
    let prompt = count(usage, "/promptTokenCount").saturating_add(tools);
    Usage {
        input: prompt.saturating_sub(cache_read),
        output: count(usage, "/candidatesTokenCount").saturating_add(thinking),
        cache_read,
        cache_write: 0,
        thinking,
    }
}
