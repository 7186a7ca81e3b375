//! A Gemini Live server that says what the script says.

use serde_json::{Value, json};

use super::{Delivery, Provider, arguments, raw, sound};
use crate::capabilities::{Capabilities, TurnEnd};
use crate::road::Outgoing;
use crate::script::statement::{ProviderAction, ScriptCall};

#[derive(Debug)]
pub(super) struct FakeGemini {
    row: Capabilities,
    /// An answer is being made.
    is_speaking: bool,
    handles: u64,
    /// Calls that it is still writing: they arrive whole.
    written: Vec<ScriptCall>,
}

impl FakeGemini {
    pub(super) fn new(row: &Capabilities) -> Self {
        Self { row: row.clone(), is_speaking: false, handles: 0, written: Vec::new() }
    }

    fn answer(&self, text: &str, ms: u64) -> Vec<Delivery> {
        let mime = format!("audio/pcm;rate={}", self.row.output_rate);
        let data = sound(ms, self.row.output_rate);
        let audio = json!({ "inlineData": { "mimeType": mime, "data": data } });
        vec![
            content(json!({ "outputTranscription": { "text": text } })),
            content(json!({ "modelTurn": { "role": "model", "parts": [audio] } })),
        ]
    }

    fn complete(&mut self) -> Vec<Delivery> {
        self.is_speaking = false;
        let mut done = json!({ "turnComplete": true });
        if self.row.turn_end == TurnEnd::Idle {
            done["interactionStatus"] = json!("IDLE");
        }
        self.handles += 1;
        let handle = format!("handle-{}", self.handles);
        vec![
            content(json!({ "generationComplete": true })),
            content(done),
            Delivery::Message(json!({
                "sessionResumptionUpdate": { "newHandle": handle, "resumable": true },
            })),
        ]
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the content is written in its place")]
fn content(content: Value) -> Delivery {
    Delivery::Message(json!({ "serverContent": content }))
}

fn tool_call(calls: &[ScriptCall]) -> Delivery {
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| json!({ "id": call.id.0, "name": call.tool, "args": arguments(&call.arguments) }))
        .collect();
    Delivery::Message(json!({ "toolCall": { "functionCalls": calls } }))
}

impl Provider for FakeGemini {
    fn connect(&mut self) {
        self.is_speaking = false;
    }

    fn sent(&mut self, outgoing: &Outgoing) -> Vec<Delivery> {
        let Outgoing::Message(message) = outgoing else { return Vec::new() };
        if message.get("setup").is_some() {
            return vec![Delivery::Message(json!({ "setupComplete": {} }))];
        }
        let interrupts = message.pointer("/realtimeInput/activityStart").is_some();
        if interrupts && std::mem::take(&mut self.is_speaking) {
            self.written.clear();
            return vec![
                content(json!({ "interrupted": true })),
                content(json!({ "turnComplete": true })),
            ];
        }
        Vec::new()
    }

    fn act(&mut self, action: &ProviderAction) -> Vec<Delivery> {
        match action {
            ProviderAction::Says { text, ms, calls } => {
                let mut out = self.answer(text, *ms);
                match calls.is_empty() {
                    true => out.extend(self.complete()),
                    false => {
                        out.push(content(json!({ "generationComplete": true })));
                        out.push(tool_call(calls));
                    }
                }
                out
            }
            ProviderAction::Begins { text, ms } => {
                self.is_speaking = true;
                self.answer(text, *ms)
            }
            ProviderAction::Ends if self.written.is_empty() => self.complete(),
            ProviderAction::Ends => {
                let calls = std::mem::take(&mut self.written);
                vec![content(json!({ "generationComplete": true })), tool_call(&calls)]
            }
            ProviderAction::WritesCall { call } => {
                self.written.push(call.clone());
                Vec::new()
            }
            ProviderAction::Calls { calls } => vec![tool_call(calls)],
            ProviderAction::BreaksOff => vec![content(json!({
                "turnComplete": true, "turnCompleteReason": "MALFORMED_FUNCTION_CALL",
            }))],
            ProviderAction::Withdraws { call } => {
                vec![Delivery::Message(json!({ "toolCallCancellation": { "ids": [call.0] } }))]
            }
            ProviderAction::GoesAway { ms_left } => {
                let left = format!("{}s", ms_left / 1_000);
                vec![Delivery::Message(json!({ "goAway": { "timeLeft": left } }))]
            }
            ProviderAction::Sends { text } => vec![raw(text)],
        }
    }

    fn transcript(&mut self, text: &str, is_final: bool) -> Vec<Delivery> {
        vec![match is_final {
            true => content(json!({ "inputTranscription": { "text": text, "finished": true } })),
            false => content(json!({ "interimInputTranscription": { "text": text } })),
        }]
    }
}
