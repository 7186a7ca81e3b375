//! A Realtime server: it finds speech and writes it down; it answers when it is asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::VoiceState;
use super::connection::{Model, Reaction};
use super::ears::{Ears, Found, sound};

const RATE: u32 = 24_000;

pub(super) struct Realtime {
    state: Arc<VoiceState>,
    is_beta: bool,
    ears: Ears,
    numbers: u64,
    /// The audio of each message, in milliseconds.
    lengths: BTreeMap<String, u64>,
    /// Calls that this session knows.
    calls: Vec<String>,
}

impl Realtime {
    pub(super) fn new(state: Arc<VoiceState>, is_beta: bool) -> Self {
        let (lengths, calls) = (BTreeMap::new(), Vec::new());
        Self { state, is_beta, ears: Ears::new(RATE), numbers: 0, lengths, calls }
    }

    fn id(&mut self, kind: &str) -> String {
        self.numbers += 1;
        format!("{kind}_{}", self.numbers)
    }

    fn error(&self, code: &str, message: &str) -> Reaction {
        self.state.fault(message.to_owned());
        vec![json!({ "type": "error", "error": { "type": "invalid_request_error", "code": code,
            "message": message } })]
        .into()
    }

    fn hear(&mut self, message: &Value) -> Reaction {
        let audio = message["audio"].as_str().unwrap_or_default();
        let Some(found) = self.ears.feed(audio) else {
            return self.error("invalid_value", "the audio is not base64 of 16 bits");
        };
        let mut out = Vec::new();
        for one in found {
            match one {
                Found::Started { at_ms } => out.push(json!({
                    "type": "input_audio_buffer.speech_started", "audio_start_ms": at_ms,
                    "item_id": format!("speech_{}", self.numbers + 1),
                })),
                Found::Stopped { at_ms } => {
                    let item = self.id("speech");
                    let said = self.state.next_heard();
                    out.push(json!({ "type": "input_audio_buffer.speech_stopped",
                        "audio_end_ms": at_ms, "item_id": item }));
                    out.push(json!({ "type": "input_audio_buffer.committed", "item_id": item }));
                    out.push(json!({
                        "type": "conversation.item.input_audio_transcription.completed",
                        "item_id": item, "content_index": 0, "transcript": said,
                    }));
                }
            }
        }
        out.into()
    }

    fn item(&mut self, item: &Value) -> Reaction {
        let call = item["call_id"].as_str().unwrap_or_default();
        if item["type"] == "function_call_output" && !self.calls.iter().any(|known| known == call) {
            return self.error("item_not_found", "there is no such call in this session");
        }
        let name =
            if self.is_beta { "conversation.item.created" } else { "conversation.item.added" };
        vec![json!({ "type": name, "item": item })].into()
    }

    fn truncate(&self, message: &Value) -> Reaction {
        let (item, end) = (message["item_id"].as_str(), message["audio_end_ms"].as_u64());
        let length = item.and_then(|item| self.lengths.get(item));
        match (length, end) {
            (Some(length), Some(end)) if end <= *length => {
                vec![json!({ "type": "conversation.item.truncated", "item_id": item,
                    "audio_end_ms": end })]
                .into()
            }
            _ => self.error("invalid_value", "there is not so much audio"),
        }
    }

    /// A whole response around one item.
    fn response(&mut self, item: &Value, between: Vec<Value>) -> Vec<Value> {
        let id = self.id("resp");
        let place = |mut event: Value| {
            event["response_id"] = json!(id);
            event["output_index"] = json!(0);
            event
        };
        let mut out = vec![
            json!({ "type": "response.created", "response": { "id": id, "status": "in_progress" } }),
            place(json!({ "type": "response.output_item.added", "item": item })),
        ];
        out.extend(between.into_iter().map(place));
        let mut item = item.clone();
        item["status"] = json!("completed");
        out.push(place(json!({ "type": "response.output_item.done", "item": item })));
        out.push(json!({ "type": "response.done", "response": {
            "id": id, "status": "completed", "output": [item] } }));
        out
    }
}

impl Model for Realtime {
    fn greet(&mut self) -> Vec<Value> {
        vec![json!({ "type": "session.created", "session": { "type": "realtime" } })]
    }

    fn receive(&mut self, message: &Value) -> Reaction {
        match message["type"].as_str().unwrap_or_default() {
            "session.update" => match message.pointer("/session/type") {
                Some(kind) if kind == "realtime" => {
                    vec![json!({ "type": "session.updated", "session": message["session"] })].into()
                }
                _ => self.error("missing_required_parameter", "session.type is missing"),
            },
            "input_audio_buffer.append" => self.hear(message),
            "input_audio_buffer.clear" => {
                vec![json!({ "type": "input_audio_buffer.cleared" })].into()
            }
            "conversation.item.create" => self.item(&message["item"]),
            "conversation.item.truncate" => self.truncate(message),
            "conversation.item.delete" => {
                vec![json!({ "type": "conversation.item.deleted", "item_id": message["item_id"] })]
                    .into()
            }
            "response.create" => Reaction { answers: true, ..Reaction::default() },
            // Every answer is complete as soon as it begins: nothing is left to cancel.
            "response.cancel" => vec![json!({ "type": "error", "error": {
                "type": "invalid_request_error", "code": "response_cancel_not_active",
                "message": "there is no active response" } })]
            .into(),
            other => self.error("invalid_value", &format!("unknown event `{other}`")),
        }
    }

    fn says(&mut self, text: &str, ms: u64) -> Vec<Value> {
        let item = self.id("item");
        self.lengths.insert(item.clone(), ms);
        let (transcript, audio) = match self.is_beta {
            true => ("response.audio_transcript.delta", "response.audio.delta"),
            false => ("response.output_audio_transcript.delta", "response.output_audio.delta"),
        };
        let mut between =
            vec![json!({ "type": transcript, "item_id": item, "content_index": 0, "delta": text })];
        let pieces = ms.div_ceil(200);
        for piece in 0..pieces {
            let length = (ms - piece * 200).min(200);
            between.push(json!({ "type": audio, "item_id": item, "content_index": 0,
                "delta": sound(length, RATE, 6_000.0) }));
        }
        let message = json!({ "id": item, "type": "message", "role": "assistant",
            "status": "in_progress", "content": [] });
        self.response(&message, between)
    }

    fn calls(&mut self, id: &str, tool: &str, arguments: &Value) -> Vec<Value> {
        self.calls.push(id.to_owned());
        let item = self.id("item");
        let arguments = arguments.to_string();
        let call = json!({ "id": item, "type": "function_call", "status": "in_progress",
            "call_id": id, "name": tool, "arguments": arguments });
        let done = json!({ "type": "response.function_call_arguments.done", "item_id": item,
            "call_id": id, "name": tool, "arguments": arguments });
        self.response(&call, vec![done])
    }
}
