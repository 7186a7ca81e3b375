//! Messages that the server sends; one may have several parts.

use contract::CallId;
use serde_json::Value;

use super::{Gemini, OpenAnswer, frames};
use crate::capabilities::TurnEnd;
use crate::event::{AnswerEnd, Context};
use crate::ids::AnswerId;
use crate::input::Input;
use crate::road::notes::note;
use crate::road::pcm::{self, Clock};
use crate::road::{Outgoing, RoadEvent};

/// Parts that need no answer.
const IGNORED: [&str; 3] = ["usageMetadata", "voiceActivity", "voiceActivityDetectionSignal"];

impl Gemini {
    pub(super) fn message(&mut self, message: &Value) -> Vec<RoadEvent> {
        let mut events = Vec::new();
        for (part, value) in message.as_object().into_iter().flatten() {
            match part.as_str() {
                "setupComplete" => events.extend(self.ready()),
                "serverContent" => events.extend(self.content(value)),
                "toolCall" => events.extend(self.tool_call(value)),
                "toolCallCancellation" => events.extend(self.cancellation(value)),
                "goAway" => {
                    let left = value.get("timeLeft").and_then(Value::as_str).unwrap_or_default();
                    events.push(Input::GoingAway { ms_left: milliseconds(left) }.into());
                }
                "sessionResumptionUpdate" => self.resumption(value),
                known if IGNORED.contains(&known) => {}
                unknown => events.extend(self.notes.once(unknown)),
            }
        }
        events
    }

    fn ready(&mut self) -> Vec<RoadEvent> {
        let history = frames::history(&std::mem::take(&mut self.history));
        self.is_ready = true;
        // A turn that began meanwhile begins here for the provider.
        let activity = self.in_activity.then(frames::activity_start);
        let unsent = std::mem::take(&mut self.unsent);
        let before = history.into_iter().chain(unsent).chain(activity);
        let before = before.map(|message| RoadEvent::Send(Outgoing::Message(message)));
        let context = if self.resumed { Context::Kept } else { Context::Fresh };
        let ready = match self.connections {
            1 => Input::Ready,
            _ => Input::ConnectionRestored { context },
        };
        before.chain([ready.into()]).collect()
    }

    fn content(&mut self, content: &Value) -> Vec<RoadEvent> {
        let mut events = Vec::new();
        let flag = |name: &str| content.get(name).and_then(Value::as_bool).unwrap_or_default();
        let text = |name: &str| content.pointer(&format!("/{name}/text")).and_then(Value::as_str);
        if let Some(words) = text("interimInputTranscription") {
            events.push(Input::Partial { text: words.to_owned() }.into());
        }
        if let Some(words) = text("inputTranscription") {
            self.words.push_str(words);
            events.push(Input::Partial { text: self.words.clone() }.into());
        }
        let finished = content.pointer("/inputTranscription/finished").and_then(Value::as_bool);
        if finished == Some(true) {
            events.extend(self.said());
        }
        if flag("interrupted") {
            events.extend(self.end_answer(AnswerEnd::Cancelled));
        }
        let parts = content.pointer("/modelTurn/parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            events.extend(self.part(part));
        }
        if let Some(words) = text("outputTranscription") {
            events.extend(self.spoken_text(words));
        }
        if flag("generationComplete") {
            events.extend(self.end_answer(AnswerEnd::Completed));
        }
        if flag("turnComplete") {
            events.extend(self.turn_complete(content));
        }
        events
    }

    /// What the person said becomes final when the model begins to answer.
    fn said(&mut self) -> Option<RoadEvent> {
        let text = std::mem::take(&mut self.words);
        (!text.is_empty())
            .then(|| Input::Said { speech: None, text: text.trim().to_owned() }.into())
    }

    fn part(&mut self, part: &Value) -> Vec<RoadEvent> {
        let is_thought = part.get("thought").and_then(Value::as_bool).unwrap_or_default();
        let data = part.pointer("/inlineData/data").and_then(Value::as_str);
        match data {
            Some(data) if !is_thought => match pcm::decode(data) {
                Some(pcm) => self.audio(pcm),
                None => vec![note("audio of the provider is not base64")],
            },
            // Text comes with its transcription; thoughts are not spoken.
            Some(_) | None => Vec::new(),
        }
    }

    /// The answer that is open, or a new one; none while an old one is passed over.
    fn answer(&mut self, events: &mut Vec<RoadEvent>) -> Option<&mut OpenAnswer> {
        if self.dropping {
            return None;
        }
        if self.open.is_none() {
            events.extend(self.said());
            self.answers += 1;
            self.has_answered = true;
            let id = AnswerId(format!("answer-{}-{}", self.connections, self.answers));
            events.push(Input::AnswerStarted { answer: id.clone() }.into());
            self.open = Some(OpenAnswer { id, clock: Clock::new(self.model.output_rate) });
        }
        self.open.as_mut()
    }

    fn audio(&mut self, pcm: Vec<u8>) -> Vec<RoadEvent> {
        let mut events = Vec::new();
        if let Some(open) = self.answer(&mut events) {
            let (answer, ms) = (open.id.clone(), open.clock.add(pcm.len()));
            events.push(RoadEvent::Audio { answer: answer.clone(), pcm });
            events.push(Input::AnswerAudio { answer, ms }.into());
        }
        events
    }

    fn spoken_text(&mut self, text: &str) -> Vec<RoadEvent> {
        let mut events = Vec::new();
        if let Some(open) = self.answer(&mut events) {
            let (answer, text) = (open.id.clone(), text.to_owned());
            events.push(Input::AnswerText { answer, text, until_ms: None }.into());
        }
        events
    }

    fn end_answer(&mut self, end: AnswerEnd) -> Option<RoadEvent> {
        // After this the provider speaks about something new.
        self.dropping = false;
        let open = self.open.take()?;
        Some(Input::AnswerEnded { answer: open.id, end }.into())
    }

    fn turn_complete(&mut self, content: &Value) -> Vec<RoadEvent> {
        let was_dropping = self.dropping;
        let mut events: Vec<RoadEvent> =
            self.end_answer(AnswerEnd::Completed).into_iter().collect();
        let reason = content.get("turnCompleteReason").and_then(Value::as_str).unwrap_or_default();
        if reason == "MALFORMED_FUNCTION_CALL" && !self.has_retried {
            self.has_retried = true;
            events.push(note("the provider could not write a call; it is asked again"));
            let again = frames::text(frames::CALL_AGAIN);
            events.push(RoadEvent::Send(Outgoing::Message(again)));
            return events;
        }
        let status = content.get("interactionStatus").and_then(Value::as_str);
        let is_end = match self.model.turn_end {
            TurnEnd::TurnComplete => true,
            TurnEnd::Idle => status == Some("IDLE"),
        };
        if is_end && self.calls.is_empty() && !was_dropping {
            events.push(Input::TurnDone.into());
        }
        events
    }

    fn tool_call(&mut self, value: &Value) -> Vec<RoadEvent> {
        let mut events: Vec<RoadEvent> = self.said().into_iter().collect();
        let calls = value.get("functionCalls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let text = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
            let args = call.get("args").cloned().unwrap_or_else(|| serde_json::json!({}));
            self.calls.insert(text("id").to_owned());
            events.push(self.tools.call(text("id"), text("name"), args).into());
        }
        events
    }

    fn cancellation(&mut self, value: &Value) -> Vec<RoadEvent> {
        let ids = value.get("ids").and_then(Value::as_array).into_iter().flatten();
        let ids: Vec<String> = ids.filter_map(Value::as_str).map(str::to_owned).collect();
        for id in &ids {
            self.calls.remove(id);
            self.withdrawn.insert(id.clone());
        }
        vec![Input::CallsWithdrawn { calls: ids.into_iter().map(CallId).collect() }.into()]
    }

    /// A handle counts from when it can be used; while a call runs there is none, and the last
    /// one stays.
    fn resumption(&mut self, value: &Value) {
        let is_usable = value.get("resumable").and_then(Value::as_bool).unwrap_or_default();
        let handle = value.get("newHandle").and_then(Value::as_str).filter(|one| !one.is_empty());
        if let Some(handle) = handle.filter(|_| is_usable) {
            self.handle = Some(handle.to_owned());
        }
    }
}

/// `50s`, `1.5s`.
fn milliseconds(duration: &str) -> u64 {
    let seconds = duration.trim_end_matches('s').parse::<f64>().unwrap_or_default();
    let ms = (seconds * 1_000.0).clamp(0.0, 3_600_000.0);
    std::time::Duration::try_from_secs_f64(ms / 1_000.0)
        .map_or(0, |duration| u64::try_from(duration.as_millis()).unwrap_or_default())
}
