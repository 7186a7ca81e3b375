//! A Gemini Live server: the client marks the person's turns; calls block, or not.

use std::sync::Arc;

use serde_json::{Value, json};

use super::VoiceState;
use super::connection::{Model, Reaction};
use super::ears::sound;

const RATE: u32 = 24_000;

pub(super) struct Gemini {
    state: Arc<VoiceState>,
    is_ready: bool,
    /// Calls block: audio while one is open ends the session.
    blocks: bool,
    turn: PersonsTurn,
}

/// What was sent of the person's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PersonsTurn {
    Closed,
    Open,
    OpenWithAudio,
}

impl Gemini {
    pub(super) fn new(state: Arc<VoiceState>) -> Self {
        Self { state, is_ready: false, blocks: false, turn: PersonsTurn::Closed }
    }

    fn setup(&mut self, setup: &Value) -> Reaction {
        self.is_ready = true;
        self.blocks = setup.to_string().contains("\"BLOCKING\"");
        let handle = setup.pointer("/sessionResumption/handle").and_then(Value::as_str);
        if handle.is_none() {
            // A fresh session knows nothing of earlier calls.
            self.state.lock().open_calls.clear();
        }
        vec![json!({ "setupComplete": {} }), self.handle(true)].into()
    }

    fn handle(&self, is_resumable: bool) -> Value {
        let number = self.state.lock().messages.len();
        match is_resumable {
            true => json!({ "sessionResumptionUpdate": {
                "newHandle": format!("handle-{number}"), "resumable": true } }),
            false => json!({ "sessionResumptionUpdate": { "resumable": false } }),
        }
    }

    fn input(&mut self, input: &Value) -> Reaction {
        if input.get("activityStart").is_some() {
            self.turn = PersonsTurn::Open;
            return Reaction::default();
        }
        if input.get("audio").is_some() {
            if self.turn == PersonsTurn::Open {
                self.turn = PersonsTurn::OpenWithAudio;
            }
            let is_open = !self.state.lock().open_calls.is_empty();
            if self.blocks && is_open {
                let closes = Some((1008, "audio came while a call blocks"));
                return Reaction { closes, ..Reaction::default() };
            }
            return Reaction::default();
        }
        if input.get("activityEnd").is_some() {
            let was = std::mem::replace(&mut self.turn, PersonsTurn::Closed);
            if was != PersonsTurn::OpenWithAudio {
                self.state.fault("a turn of the person without audio".to_owned());
            }
            let said = self.state.next_heard();
            let said = json!({ "serverContent": {
                "inputTranscription": { "text": said, "finished": true } } });
            return Reaction { messages: vec![said], answers: true, closes: None };
        }
        // Text begins an answer by itself, unless the person's turn is open.
        let is_alone = input.get("text").is_some() && self.turn == PersonsTurn::Closed;
        Reaction { answers: is_alone, ..Reaction::default() }
    }

    fn responses(&self, responses: &Value) -> Reaction {
        let mut inner = self.state.lock();
        for response in responses.as_array().into_iter().flatten() {
            let id = response["id"].as_str().unwrap_or_default();
            match inner.open_calls.iter().position(|open| open == id) {
                Some(at) => drop(inner.open_calls.remove(at)),
                None => inner.faults.push(format!("`{id}` is no open call")),
            }
        }
        Reaction { answers: inner.open_calls.is_empty(), ..Reaction::default() }
    }
}

impl Model for Gemini {
    fn receive(&mut self, message: &Value) -> Reaction {
        if let Some(setup) = message.get("setup") {
            return self.setup(setup);
        }
        if !self.is_ready {
            let closes = Some((1007, "the first message is no setup"));
            return Reaction { closes, ..Reaction::default() };
        }
        if let Some(input) = message.get("realtimeInput") {
            return self.input(input);
        }
        if let Some(response) = message.get("toolResponse") {
            return self.responses(&response["functionResponses"]);
        }
        if message.get("clientContent").is_none() {
            self.state.fault(format!("unknown message {message}"));
        }
        Reaction::default()
    }

    fn says(&mut self, text: &str, ms: u64) -> Vec<Value> {
        let mut out = vec![json!({ "serverContent": { "outputTranscription": { "text": text } } })];
        let pieces = ms.div_ceil(200);
        for piece in 0..pieces {
            let data = sound((ms - piece * 200).min(200), RATE, 6_000.0);
            let part =
                json!({ "inlineData": { "mimeType": "audio/pcm;rate=24000", "data": data } });
            out.push(json!({ "serverContent": { "modelTurn": { "parts": [part] } } }));
        }
        out.push(json!({ "serverContent": { "generationComplete": true } }));
        out.push(json!({ "serverContent": { "turnComplete": true, "interactionStatus": "IDLE" } }));
        out.push(self.handle(true));
        out
    }

    fn calls(&mut self, id: &str, tool: &str, arguments: &Value) -> Vec<Value> {
        self.state.lock().open_calls.push(id.to_owned());
        let call = json!({ "id": id, "name": tool, "args": arguments });
        vec![json!({ "toolCall": { "functionCalls": [call] } }), self.handle(false)]
    }
}
