//! The road of OpenAI Realtime, and of servers that speak its protocol.
//!
//! We write the names of the general release and read those of the beta as well. The server
//! detects speech and does nothing else: turns, interruptions and responses are ours. A call
//! starts only after its response is complete, because interrupted responses have calls too.

mod answers;
mod frames;
mod pending_call;

use std::collections::BTreeMap;

use policy::Timestamp;
use serde_json::Value;

use crate::capabilities::Capabilities;
use crate::command::{ListenTo, Respond, RoadCommand};
use crate::config::{RespondsTo, RoadFacts, SpeechBy, Transcribes, TurnsBy};
use crate::event::Context;
use crate::input::Input;
use crate::road::notes::{Notes, note};
use crate::road::tools::WireTools;
use crate::road::{Incoming, Outgoing, Road, RoadEvent, Setup};
use answers::Answers;

#[derive(Debug)]
pub struct Realtime {
    model: Capabilities,
    tools: WireTools,
    notes: Notes,
    connections: u32,
    is_ready: bool,
    listen: ListenTo,
    /// Words of the person so far, by item.
    partials: BTreeMap<String, String>,
    answers: Answers,
}

impl Realtime {
    pub fn new(model: Capabilities) -> Self {
        Self {
            answers: Answers::new(model.output_rate),
            model,
            tools: WireTools::default(),
            notes: Notes::default(),
            connections: 0,
            is_ready: false,
            listen: ListenTo::Model,
            partials: BTreeMap::new(),
        }
    }
}

impl Road for Realtime {
    fn facts(&self) -> RoadFacts {
        RoadFacts {
            speech: SpeechBy::Provider,
            responds_to: RespondsTo::Audio,
            turns: TurnsBy::Us,
            transcribes: Transcribes::Everything,
        }
    }

    fn detects_speech(&self) -> bool {
        true
    }

    fn open(&mut self, _now: Timestamp, setup: &Setup) -> Vec<RoadEvent> {
        self.connections += 1;
        self.is_ready = false;
        self.partials.clear();
        self.answers = Answers::new(self.model.output_rate);
        self.tools = WireTools::compile(&setup.tools, "openai-realtime");
        let update = frames::session_update(&self.model, setup, &self.tools);
        let history = setup.history.iter().map(frames::history_item);
        std::iter::once(update).chain(history).map(send).collect()
    }

    fn receive(&mut self, now: Timestamp, incoming: Incoming<'_>) -> Vec<RoadEvent> {
        match incoming {
            Incoming::Message(text) => match serde_json::from_str::<Value>(text) {
                Ok(message) => self.message(now, &message),
                Err(_) => self.notes.once("a message that is not JSON").into_iter().collect(),
            },
            Incoming::Turn(_) => Vec::new(),
            Incoming::Closed => {
                self.is_ready = false;
                vec![Input::ConnectionLost.into()]
            }
        }
    }

    fn send(&mut self, _now: Timestamp, command: &RoadCommand) -> Vec<Outgoing> {
        let messages = match command {
            RoadCommand::Listen(to) => {
                self.listen = *to;
                let clears = *to == ListenTo::Off;
                if clears { vec![frames::clear_input()] } else { Vec::new() }
            }
            RoadCommand::UserTurn { .. } => Vec::new(),
            RoadCommand::Respond(respond) => self.respond(respond),
            RoadCommand::Continue => self.answers.want_response().into_iter().collect(),
            RoadCommand::Cancel { answer } => {
                self.answers.cancel(answer.as_ref()).into_iter().collect()
            }
            RoadCommand::Truncate { answer, heard_ms, .. } => {
                self.answers.truncate(answer, *heard_ms).into_iter().collect()
            }
            RoadCommand::AnswerCall { call, content, failed, .. } => {
                vec![frames::call_output(call, content, *failed)]
            }
            RoadCommand::Inform { text } => vec![frames::system_message(text)],
        };
        messages.into_iter().map(Outgoing::Message).collect()
    }

    fn hear(&mut self, samples: &[i16]) -> Vec<Outgoing> {
        match self.listen {
            ListenTo::Model | ListenTo::Us => vec![Outgoing::Message(frames::audio(samples))],
            ListenTo::Off => Vec::new(),
        }
    }

    fn deadline(&self) -> Option<Timestamp> {
        self.answers.deadline()
    }

    fn tick(&mut self, now: Timestamp) -> Vec<RoadEvent> {
        self.answers.late_calls(now, &self.tools)
    }
}

impl Realtime {
    fn respond(&mut self, respond: &Respond) -> Vec<Value> {
        let mut messages: Vec<Value> =
            respond.pending.iter().map(|text| frames::user_message(text)).collect();
        if respond.go_on {
            messages.push(frames::system_message(frames::GO_ON));
        }
        messages.extend(self.answers.want_response());
        messages
    }

    fn message(&mut self, now: Timestamp, message: &Value) -> Vec<RoadEvent> {
        let text = |field: &str| message.get(field).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "session.updated" => self.ready(),
            "input_audio_buffer.speech_started" => vec![Input::SpeechStarted.into()],
            "input_audio_buffer.speech_stopped" => vec![Input::SpeechEnded.into()],
            "conversation.item.input_audio_transcription.delta" => {
                let words = self.partials.entry(text("item_id").to_owned()).or_default();
                words.push_str(text("delta"));
                vec![Input::Partial { text: words.clone() }.into()]
            }
            "conversation.item.input_audio_transcription.completed" => {
                self.partials.remove(text("item_id"));
                vec![Input::Said { speech: None, text: text("transcript").to_owned() }.into()]
            }
            "conversation.item.input_audio_transcription.failed" => {
                let words = self.partials.remove(text("item_id")).unwrap_or_default();
                let said = Input::Said { speech: None, text: words };
                vec![note("the provider could not write down what was said"), said.into()]
            }
            "error" => self.error(message),
            kind if kind.starts_with("response.") => {
                match self.answers.message(now, kind, message, &self.tools) {
                    Some(events) => events,
                    None => self.notes.once(kind).into_iter().collect(),
                }
            }
            kind if frames::IGNORED.iter().any(|known| kind.starts_with(known)) => Vec::new(),
            kind => self.notes.once(kind).into_iter().collect(),
        }
    }

    /// The first answer to our settings.
    fn ready(&mut self) -> Vec<RoadEvent> {
        if self.is_ready {
            return Vec::new();
        }
        self.is_ready = true;
        // There is no way to resume: the provider knows the items that we sent again.
        match self.connections {
            1 => vec![Input::Ready.into()],
            _ => vec![Input::ConnectionRestored { context: Context::Fresh }.into()],
        }
    }

    fn error(&mut self, message: &Value) -> Vec<RoadEvent> {
        let part = |name: &str| {
            message.pointer(&format!("/error/{name}")).and_then(Value::as_str).unwrap_or_default()
        };
        match part("code") {
            "conversation_already_has_active_response" => {
                self.answers.queue_response();
                Vec::new()
            }
            // The response ended before our cancel arrived.
            "response_cancel_not_active" => Vec::new(),
            _ => {
                let mut events = vec![note(format!("the provider reports: {}", part("message")))];
                if part("event_id").starts_with(frames::RESPOND_ID) {
                    self.answers.response_refused();
                    events.push(Input::TurnDone.into());
                }
                events
            }
        }
    }
}

pub(super) fn send(message: Value) -> RoadEvent {
    RoadEvent::Send(Outgoing::Message(message))
}

#[cfg(test)]
mod tests;
