//! Reads a Chat Completions answer, from OpenAI and from compatible servers.
//!
//! Calls are distinguished by `index`, otherwise by id; `arguments` may be text or an object;
//! `[DONE]` may be missing once a `finish_reason` was seen; `stop` may come with calls.

use contract::{Delta, ModelFault, Part, Reply, StopReason, Usage, Wire};
use serde_json::{Map, Value, json};

use super::super::error_frame::fault_of;
use super::super::json::{count, list, text};
use super::super::partial_block::{CallDraft, PartialBlock, native_block, settle};
use super::super::{CallIds, Decoder as Reads, Frame};
use super::reasoning::Reasoning;
use crate::fault;

pub struct Decoder {
    ids: CallIds,
    model: String,
    usage: Usage,
    reasoning: Reasoning,
    text: String,
    refusal: String,
    calls: Vec<OpenCall>,
    reason: Option<String>,
    done: bool,
}

/// A call as far as it was received.
struct OpenCall {
    index: Option<u64>,
    /// The server's id; our own is in the draft.
    given_id: String,
    /// Other fields of the server; the last values count.
    others: Map<String, Value>,
    draft: CallDraft,
}

impl Decoder {
    pub fn new(ids: CallIds) -> Self {
        Self {
            ids,
            model: String::new(),
            usage: Usage::default(),
            reasoning: Reasoning::default(),
            text: String::new(),
            refusal: String::new(),
            calls: Vec::new(),
            reason: None,
            done: false,
        }
    }
}

impl Reads for Decoder {
    fn push(&mut self, frame: Frame) -> Result<Vec<Delta>, ModelFault> {
        let frame = match frame {
            Frame::Json(frame) => frame,
            Frame::Done => {
                self.done = true;
                return Ok(Vec::new());
            }
        };
        if let Some(error) = frame.get("error").filter(|error| !error.is_null()) {
            return Err(fault_of(error));
        }
        if !text(&frame, "model").is_empty() {
            self.model = text(&frame, "model").to_owned();
        }
        self.read_usage(&frame);
        let Some(choice) = list(&frame, "choices").first() else { return Ok(Vec::new()) };
        let mut deltas = Vec::new();
        // An unstreamed reply has `message` instead of `delta`.
        for delta in ["delta", "message"].iter().filter_map(|key| choice.get(*key)) {
            self.read(delta, &mut deltas);
        }
        match text(choice, "finish_reason") {
            "" => {}
            reason => self.reason = Some(reason.to_owned()),
        }
        Ok(deltas)
    }

    fn is_over(&self) -> bool {
        self.done
    }

    fn finish(self: Box<Self>) -> Result<Reply, ModelFault> {
        let Decoder { model, usage, reasoning, text, refusal, calls, reason, done, .. } = *self;
        if reason.is_none() && !done {
            return Err(fault::truncated("`finish_reason` is missing"));
        }
        let stop = stop(reason.as_deref().unwrap_or_default(), &refusal, !calls.is_empty());
        let mut pieces: Vec<_> = reasoning.piece().into_iter().collect();
        if !text.is_empty() {
            pieces.push(PartialBlock::Block(Part::Text { text }.into()));
        }
        if !refusal.is_empty() {
            let item = json!({ "refusal": refusal });
            pieces.push(native_block(Wire::Chat, Part::Refusal { text: refusal }, item));
        }
        pieces.extend(calls.into_iter().map(|call| PartialBlock::Call(call.draft())));
        let blocks = settle(Wire::Chat, pieces, &stop);
        Ok(Reply { blocks, stop, usage, model, shaped: None })
    }
}

impl Decoder {
    fn read(&mut self, delta: &Value, deltas: &mut Vec<Delta>) {
        deltas.extend(self.reasoning.read(delta));
        let content = content_text(delta.get("content").unwrap_or(&Value::Null));
        for (piece, whole) in
            [(content.as_str(), &mut self.text), (text(delta, "refusal"), &mut self.refusal)]
        {
            if !piece.is_empty() {
                whole.push_str(piece);
                deltas.push(Delta::Text(piece.to_owned()));
            }
        }
        for call in list(delta, "tool_calls") {
            deltas.extend(self.read_call(call));
        }
    }

    fn read_call(&mut self, piece: &Value) -> Option<Delta> {
        let found = self.calls.iter().rposition(|call| call.is_continued_by(piece));
        if let Some(call) = found.and_then(|found| self.calls.get_mut(found)) {
            call.extend(piece);
            return None;
        }
        let (index, id, name) = (index_of(piece), text(piece, "id"), name_of(piece));
        let claimed = self.ids.claim(id);
        let mut call = OpenCall {
            index,
            given_id: id.to_owned(),
            others: Map::new(),
            draft: CallDraft { id: claimed.0.clone(), ..CallDraft::default() },
        };
        call.extend(piece);
        self.calls.push(call);
        Some(Delta::CallBegun { id: claimed, tool: name.to_owned() })
    }

    fn read_usage(&mut self, frame: &Value) {
        let Some(usage) = frame.get("usage").filter(|usage| usage.is_object()) else { return };
        let cache_read = count(usage, "/prompt_tokens_details/cached_tokens");
        let cache_write = count(usage, "/prompt_tokens_details/cache_write_tokens");
        self.usage = Usage {
            input: count(usage, "/prompt_tokens")
                .saturating_sub(cache_read)
                .saturating_sub(cache_write),
            output: count(usage, "/completion_tokens"),
            cache_read,
            cache_write,
            thinking: count(usage, "/completion_tokens_details/reasoning_tokens"),
        };
    }
}

impl OpenCall {
    /// Whether this piece continues the same call: by index, otherwise by id. A name begins another
    /// call if the id is new, if there is neither index nor id, and if it has arguments although
    /// those of the call are complete: some servers give every call the same index.
    fn is_continued_by(&self, piece: &Value) -> bool {
        let id = text(piece, "id");
        let new_id = !id.is_empty() && id != self.given_id;
        let named = !name_of(piece).is_empty();
        match (index_of(piece), self.index) {
            (Some(index), Some(own)) => {
                let too_much = id.is_empty() && brings_arguments(piece) && self.is_whole();
                index == own && !(named && (new_id || too_much))
            }
            (Some(_), None) | (None, Some(_)) => !id.is_empty() && !new_id,
            (None, None) if id.is_empty() => !named,
            (None, None) => !new_id,
        }
    }

    fn is_whole(&self) -> bool {
        serde_json::from_str::<Map<String, Value>>(&self.draft.arguments).is_ok()
    }

    fn extend(&mut self, piece: &Value) {
        if self.draft.name.is_empty() {
            self.draft.name.push_str(name_of(piece));
        }
        match piece.pointer("/function/arguments") {
            Some(Value::String(more)) => self.draft.arguments.push_str(more),
            Some(whole @ Value::Object(_)) => self.draft.arguments = whole.to_string(),
            _ => {}
        }
        let own = ["index", "id", "type", "function"];
        for (key, value) in piece.as_object().into_iter().flatten() {
            if !own.contains(&key.as_str()) && !value.is_null() {
                self.others.insert(key.clone(), value.clone());
            }
        }
    }

    /// The entry of `tool_calls` as it is sent back: the id that results refer to, the
    /// unchanged arguments, and the server's other fields.
    fn draft(self) -> CallDraft {
        let Self { others, mut draft, .. } = self;
        let arguments = if draft.arguments.trim().is_empty() { "{}" } else { &draft.arguments };
        let mut entry = Map::new();
        entry.insert("id".into(), draft.id.clone().into());
        entry.insert("type".into(), "function".into());
        let function = json!({ "name": draft.name, "arguments": arguments });
        entry.insert("function".into(), function);
        entry.extend(others);
        draft.native = Value::Object(entry);
        draft
    }
}

fn index_of(piece: &Value) -> Option<u64> {
    piece.get("index").and_then(Value::as_u64)
}

fn name_of(piece: &Value) -> &str {
    piece.pointer("/function/name").and_then(Value::as_str).unwrap_or_default()
}

fn brings_arguments(piece: &Value) -> bool {
    let none = |value: &Value| value.is_null() || value == "";
    piece.pointer("/function/arguments").is_some_and(|value| !none(value))
}

/// Text, or the texts in a list of parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| text(part, "text")).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

fn stop(reason: &str, refusal: &str, has_calls: bool) -> StopReason {
    match reason {
        "length" | "max_tokens" => StopReason::MaxTokens,
        "content_filter" if refusal.is_empty() => {
            StopReason::Refusal { text: "the provider's content filter".to_owned() }
        }
        _ if !refusal.is_empty() => StopReason::Refusal { text: refusal.to_owned() },
        "" | "stop" | "tool_calls" | "function_call" => {
            if has_calls {
                StopReason::ToolUse
            } else {
                StopReason::EndTurn
            }
        }
        other => StopReason::Other { reason: other.to_owned() },
    }
}
