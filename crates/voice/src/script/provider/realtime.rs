//! A Realtime server that says what the script says, in the messages of the general release.

use serde_json::{Value, json};

use super::{Delivery, Provider, raw, sound};
use crate::capabilities::Capabilities;
use crate::road::Outgoing;
use crate::script::statement::{ProviderAction, ScriptCall};

#[derive(Debug)]
pub(super) struct FakeRealtime {
    rate: u32,
    events: u64,
    responses: u64,
    items: u64,
    speeches: u64,
    /// The response that is being made, with its open items.
    active: Option<Active>,
}

#[derive(Debug)]
struct Active {
    id: String,
    message: Option<String>,
    calls: Vec<(String, ScriptCall)>,
}

impl FakeRealtime {
    pub(super) fn new(row: &Capabilities) -> Self {
        Self { rate: row.output_rate, events: 0, responses: 0, items: 0, speeches: 0, active: None }
    }

    fn event(&mut self, mut event: Value) -> Delivery {
        self.events += 1;
        event["event_id"] = json!(format!("event_{}", self.events));
        Delivery::Message(event)
    }

    fn begin_response(&mut self) -> Vec<Delivery> {
        if self.active.is_some() {
            return Vec::new();
        }
        self.responses += 1;
        let id = format!("resp_{}", self.responses);
        self.active = Some(Active { id: id.clone(), message: None, calls: Vec::new() });
        let response = json!({ "id": id, "object": "realtime.response", "status": "in_progress" });
        vec![self.event(json!({ "type": "response.created", "response": response }))]
    }

    fn response(&self) -> String {
        self.active.as_ref().map(|active| active.id.clone()).unwrap_or_default()
    }

    fn begin_message(&mut self, text: &str, ms: u64) -> Vec<Delivery> {
        let mut out = self.begin_response();
        let response = self.response();
        self.items += 1;
        let item = format!("item_{}", self.items);
        if let Some(active) = &mut self.active {
            active.message = Some(item.clone());
        }
        let message = message_item(&item, "in_progress");
        let push = |event: Value| {
            let mut event = event;
            event["response_id"] = json!(response);
            event["output_index"] = json!(0);
            event
        };
        let part = json!({ "type": "audio", "transcript": "" });
        let place = |mut event: Value| {
            event["item_id"] = json!(item);
            event["content_index"] = json!(0);
            event
        };
        let mut events = vec![
            push(json!({ "type": "response.output_item.added", "item": message })),
            push(place(json!({ "type": "response.content_part.added", "part": part }))),
            push(place(json!({ "type": "response.output_audio_transcript.delta", "delta": text }))),
        ];
        // Audio comes in pieces of at most a second.
        let mut left = ms;
        while left > 0 {
            let piece = left.min(1_000);
            left -= piece;
            let delta = sound(piece, self.rate);
            events.push(push(place(
                json!({ "type": "response.output_audio.delta", "delta": delta }),
            )));
        }
        for event in events {
            out.push(self.event(event));
        }
        out
    }

    fn begin_call(&mut self, call: &ScriptCall) -> Vec<Delivery> {
        let mut out = self.begin_response();
        let response = self.response();
        self.items += 1;
        let item = format!("item_{}", self.items);
        if let Some(active) = &mut self.active {
            active.calls.push((item.clone(), call.clone()));
        }
        let added = json!({
            "type": "response.output_item.added", "response_id": response, "output_index": 0,
            "item": call_item(&item, call, "in_progress"),
        });
        let done = json!({
            "type": "response.function_call_arguments.done", "response_id": response,
            "output_index": 0, "item_id": item, "call_id": call.id.0, "name": call.tool,
            "arguments": call.arguments,
        });
        out.push(self.event(added));
        out.push(self.event(done));
        out
    }

    /// Ends the response: its items, then itself.
    fn end(&mut self, status: &str, reason: Option<&str>) -> Vec<Delivery> {
        let Some(active) = self.active.take() else { return Vec::new() };
        let item_status = if status == "completed" { "completed" } else { "incomplete" };
        let message = active.message.iter().map(|item| message_item(item, item_status));
        let calls = active.calls.iter().map(|(item, call)| call_item(item, call, item_status));
        let items: Vec<Value> = message.chain(calls).collect();
        let mut out = Vec::new();
        for item in &items {
            out.push(self.event(json!({
                "type": "response.output_item.done", "response_id": active.id, "output_index": 0,
                "item": item,
            })));
        }
        let mut details = json!({ "type": status });
        if let Some(reason) = reason {
            details["reason"] = json!(reason);
        }
        let response = json!({
            "id": active.id, "object": "realtime.response", "status": status,
            "status_details": details, "output": items,
        });
        out.push(self.event(json!({ "type": "response.done", "response": response })));
        out
    }
}

fn message_item(item: &str, status: &str) -> Value {
    json!({
        "id": item, "object": "realtime.item", "type": "message", "role": "assistant",
        "status": status, "content": [],
    })
}

fn call_item(item: &str, call: &ScriptCall, status: &str) -> Value {
    json!({
        "id": item, "object": "realtime.item", "type": "function_call", "status": status,
        "call_id": call.id.0, "name": call.tool, "arguments": call.arguments,
    })
}

impl Provider for FakeRealtime {
    fn connect(&mut self) {
        self.active = None;
    }

    fn sent(&mut self, outgoing: &Outgoing) -> Vec<Delivery> {
        let Outgoing::Message(message) = outgoing else { return Vec::new() };
        match message.get("type").and_then(Value::as_str).unwrap_or_default() {
            "session.update" => {
                let session = json!({ "type": "realtime" });
                vec![self.event(json!({ "type": "session.updated", "session": session }))]
            }
            "response.create" => self.begin_response(),
            "response.cancel" => self.end("cancelled", Some("client_cancelled")),
            _ => Vec::new(),
        }
    }

    fn act(&mut self, action: &ProviderAction) -> Vec<Delivery> {
        let mut out = Vec::new();
        match action {
            ProviderAction::Says { text, ms, calls } => {
                out.extend(self.begin_message(text, *ms));
                calls.iter().for_each(|call| out.extend(self.begin_call(call)));
                out.extend(self.end("completed", None));
            }
            ProviderAction::Begins { text, ms } => out.extend(self.begin_message(text, *ms)),
            ProviderAction::Ends => out.extend(self.end("completed", None)),
            ProviderAction::Calls { calls } => {
                calls.iter().for_each(|call| out.extend(self.begin_call(call)));
                out.extend(self.end("completed", None));
            }
            ProviderAction::WritesCall { call } => out.extend(self.begin_call(call)),
            ProviderAction::BreaksOff => {
                out.extend(self.end("incomplete", Some("max_output_tokens")))
            }
            ProviderAction::Sends { text } => out.push(raw(text)),
            // Neither is part of this wire.
            ProviderAction::Withdraws { .. } | ProviderAction::GoesAway { .. } => {}
        }
        out
    }

    fn speech(&mut self, is_start: bool) -> Vec<Delivery> {
        self.speeches += u64::from(is_start);
        let item = format!("speech_{}", self.speeches);
        let event = match is_start {
            true => json!({
                "type": "input_audio_buffer.speech_started", "item_id": item, "audio_start_ms": 0,
            }),
            false => json!({
                "type": "input_audio_buffer.speech_stopped", "item_id": item, "audio_end_ms": 0,
            }),
        };
        vec![self.event(event)]
    }

    fn transcript(&mut self, text: &str, is_final: bool) -> Vec<Delivery> {
        let item = format!("speech_{}", self.speeches);
        let kind = "conversation.item.input_audio_transcription";
        let event = match is_final {
            true => json!({
                "type": format!("{kind}.completed"), "item_id": item, "content_index": 0,
                "transcript": text, "usage": { "type": "duration", "seconds": 1.0 },
            }),
            false => json!({
                "type": format!("{kind}.delta"), "item_id": item, "content_index": 0, "delta": text,
            }),
        };
        vec![self.event(event)]
    }
}
