//! A Live server that says what the script says, and delegates where the script calls tools.

use serde_json::{Value, json};

use super::cascade::call;
use super::{Delivery, Provider, raw, silence, sound};
use crate::capabilities::Capabilities;
use crate::road::{Outgoing, TextTurnEnd, TextTurnEvent, TextTurnRequest};
use crate::script::statement::{ProviderAction, ScriptCall};

#[derive(Debug)]
pub(super) struct FakeLive {
    rate: u32,
    events: u64,
    delegations: u64,
    /// The session's own clock.
    clock_ms: u64,
    /// Our text turn runs.
    in_turn: bool,
    /// Calls of a reply of our text turn that is not complete.
    written: Vec<ScriptCall>,
}

impl FakeLive {
    pub(super) fn new(row: &Capabilities) -> Self {
        let rate = row.output_rate;
        let written = Vec::new();
        Self { rate, events: 0, delegations: 0, clock_ms: 0, in_turn: false, written }
    }

    fn event(&mut self, mut event: Value) -> Delivery {
        self.events += 1;
        event["event_id"] = json!(format!("event_{}", self.events));
        Delivery::Message(event)
    }

    /// The voice speaks: a transcript by words, with times, and audio.
    fn answer(&mut self, text: &str, ms: u64) -> Vec<Delivery> {
        let begin = self.clock_ms;
        self.clock_ms += ms;
        let transcript = json!({
            "type": "session.output_transcript.delta", "delta": text,
            "start_ms": begin, "end_ms": self.clock_ms,
        });
        let mut out = vec![self.event(transcript)];
        let mut left = ms;
        while left > 0 {
            let piece = left.min(1_000);
            left -= piece;
            out.push(Delivery::Message(json!({
                "type": "session.output_audio.delta", "delta": sound(piece, self.rate),
            })));
        }
        out
    }

    /// Then it is quiet for a while.
    fn quiet(&mut self) -> Delivery {
        self.clock_ms += 800;
        Delivery::Message(json!({
            "type": "session.output_audio.delta", "delta": silence(800, self.rate),
        }))
    }

    fn delegate(&mut self) -> Option<Delivery> {
        if self.in_turn {
            return None;
        }
        self.delegations += 1;
        let id = format!("dlg_{}", self.delegations);
        let delegation = json!({ "id": id, "type": "delegation", "target": "client" });
        Some(self.event(json!({
            "type": "session.delegation.created", "delegation": delegation, "offset_ms": 0,
        })))
    }

    fn calls(&mut self, calls: &[ScriptCall]) -> Vec<Delivery> {
        self.delegate().into_iter().chain(calls.iter().map(call)).collect()
    }
}

impl Provider for FakeLive {
    fn sent(&mut self, outgoing: &Outgoing) -> Vec<Delivery> {
        match outgoing {
            Outgoing::Message(message) => match message.get("type").and_then(Value::as_str) {
                Some("session.start") => {
                    let session = json!({
                        "id": "sess_1", "expires_at": 0, "model": "gpt-live-1", "status": "active",
                    });
                    vec![self.event(json!({ "type": "session.started", "session": session }))]
                }
                _ => Vec::new(),
            },
            Outgoing::Turn(TextTurnRequest::Start { .. }) => {
                self.in_turn = true;
                Vec::new()
            }
            Outgoing::Turn(TextTurnRequest::Cancel) => {
                self.written.clear();
                Vec::new()
            }
            Outgoing::Turn(_) => Vec::new(),
        }
    }

    fn act(&mut self, action: &ProviderAction) -> Vec<Delivery> {
        match action {
            ProviderAction::Says { text, ms, calls } => {
                let mut out = Vec::new();
                if self.in_turn && calls.is_empty() {
                    self.in_turn = false;
                    out.push(Delivery::Turn(TextTurnEvent::Text(text.clone())));
                    out.push(Delivery::Turn(TextTurnEvent::Ended(TextTurnEnd::Completed)));
                }
                out.extend(self.answer(text, *ms));
                out.push(self.quiet());
                if !calls.is_empty() {
                    out.extend(self.calls(calls));
                }
                out
            }
            ProviderAction::Begins { text, ms } => self.answer(text, *ms),
            ProviderAction::Ends => {
                let quiet = self.quiet();
                std::iter::once(quiet).chain(self.written.drain(..).map(|one| call(&one))).collect()
            }
            ProviderAction::WritesCall { call } => {
                self.written.push(call.clone());
                self.delegate().into_iter().collect()
            }
            ProviderAction::Calls { calls } => self.calls(calls),
            ProviderAction::BreaksOff => {
                self.in_turn = false;
                vec![self.quiet(), Delivery::Turn(TextTurnEvent::Ended(TextTurnEnd::Failed))]
            }
            ProviderAction::Sends { text } => vec![raw(text)],
            // None of these is part of this wire.
            ProviderAction::Withdraws { .. } | ProviderAction::GoesAway { .. } => Vec::new(),
        }
    }

    fn transcript(&mut self, text: &str, _is_final: bool) -> Vec<Delivery> {
        let event = json!({
            "type": "session.input_transcript.delta", "delta": text,
            "start_ms": self.clock_ms, "end_ms": self.clock_ms,
        });
        vec![self.event(event)]
    }
}
