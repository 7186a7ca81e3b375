//! A Live server: it hands work over, and says what it is told in its own time.

use std::sync::Arc;

use serde_json::{Value, json};

use super::VoiceState;
use super::connection::{Model, Reaction};
use super::ears::{Ears, Found, sound};

const RATE: u32 = 24_000;
/// How long a character is spoken.
const MS_PER_CHAR: u64 = 50;
/// Silence after an answer.
const QUIET_MS: u64 = 1_000;

pub(super) struct Live {
    state: Arc<VoiceState>,
    ears: Ears,
    is_started: bool,
    is_muted: bool,
    delegations: Vec<String>,
    /// The session's own clock, in milliseconds.
    clock_ms: u64,
}

impl Live {
    pub(super) fn new(state: Arc<VoiceState>) -> Self {
        let (is_started, is_muted) = (false, false);
        let (ears, delegations) = (Ears::new(RATE), Vec::new());
        Self { state, ears, is_started, is_muted, delegations, clock_ms: 0 }
    }

    fn error(&self, message: &str) -> Reaction {
        self.state.fault(message.to_owned());
        vec![json!({ "type": "error", "error": { "type": "invalid_request_error",
            "message": message } })]
        .into()
    }

    fn start(&mut self, session: &Value) -> Reaction {
        const FIELDS: [&str; 5] = ["model", "instructions", "input", "audio", "delegation"];
        let mut names = session.as_object().into_iter().flatten().map(|(name, _)| name);
        if let Some(unknown) = names.find(|name| !FIELDS.contains(&name.as_str())) {
            return self.error(&format!("unknown field `{unknown}`"));
        }
        if !session["model"].is_string() {
            return self.error("the session has no model");
        }
        self.is_started = true;
        vec![json!({ "type": "session.started", "session": { "id": "live_1" } })].into()
    }

    fn hear(&mut self, message: &Value) -> Reaction {
        let audio = message["audio"].as_str().unwrap_or_default();
        let Some(found) = self.ears.feed(audio) else {
            return self.error("the audio is not base64 of 16 bits");
        };
        if self.is_muted {
            return Reaction::default();
        }
        let mut reaction = Reaction::default();
        for one in found {
            if let Found::Stopped { at_ms } = one {
                let said = self.state.next_heard();
                reaction.messages.push(json!({ "type": "session.input_transcript.delta",
                    "delta": said, "start_ms": at_ms.saturating_sub(400), "end_ms": at_ms }));
                reaction.answers = true;
            }
        }
        reaction
    }

    fn append(&mut self, kind: &str, message: &Value) -> Reaction {
        let content = message["content"].as_str().unwrap_or_default();
        let id = message.get("delegation_id");
        let is_known = match id {
            Some(Value::Null) => true,
            Some(Value::String(id)) => self.delegations.contains(id),
            _ => false,
        };
        if !is_known {
            return self.error("the delegation is not one of this connection");
        }
        if content.is_empty() || content.chars().count() > 2_000 {
            return self.error("the content has no or too many tokens");
        }
        let mut out = vec![json!({ "type": format!("session.{kind}.appended") })];
        if kind == "commentary" {
            out.extend(self.says(content, content.chars().count() as u64 * MS_PER_CHAR));
        }
        out.into()
    }
}

impl Model for Live {
    fn receive(&mut self, message: &Value) -> Reaction {
        let kind = message["type"].as_str().unwrap_or_default();
        if kind == "session.start" {
            return self.start(&message["session"]);
        }
        if !self.is_started {
            let closes = Some((1008, "the session has not been started"));
            return Reaction { closes, ..Reaction::default() };
        }
        match kind {
            "session.input_audio.append" => self.hear(message),
            "session.input_audio.mute" => {
                self.is_muted = true;
                vec![json!({ "type": "session.input_audio.muted" })].into()
            }
            "session.input_audio.unmute" => {
                self.is_muted = false;
                vec![json!({ "type": "session.input_audio.unmuted" })].into()
            }
            "session.commentary.append" => self.append("commentary", message),
            "session.thinking.append" => self.append("thinking", message),
            other => self.error(&format!("unknown event `{other}`")),
        }
    }

    fn says(&mut self, text: &str, ms: u64) -> Vec<Value> {
        let (start, end) = (self.clock_ms, self.clock_ms + ms);
        self.clock_ms = end + QUIET_MS;
        let mut out = vec![json!({ "type": "session.output_transcript.delta", "delta": text,
            "start_ms": start, "end_ms": end })];
        let mut piece = |ms: u64, level: f64| {
            out.push(json!({ "type": "session.output_audio.delta",
                "delta": sound(ms, RATE, level) }));
        };
        let pieces = ms.div_ceil(200);
        for number in 0..pieces {
            piece((ms - number * 200).min(200), 6_000.0);
        }
        (0..QUIET_MS / 200).for_each(|_| piece(200, 0.0));
        out
    }

    /// The speech model calls nothing itself.
    fn calls(&mut self, _id: &str, _tool: &str, _arguments: &Value) -> Vec<Value> {
        self.delegates()
    }

    fn delegates(&mut self) -> Vec<Value> {
        let id = format!("dlg_{}", self.delegations.len() + 1);
        self.delegations.push(id.clone());
        vec![json!({ "type": "session.delegation.created", "offset_ms": self.clock_ms,
            "delegation": { "id": id, "target": "client" } })]
    }
}
