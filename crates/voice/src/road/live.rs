//! The road of OpenAI Live: a voice that listens while it speaks, in front of our own text turn.
//!
//! The model delegates work to us with nothing but an id. We answer with a text turn over what
//! was said since the last delegation, as commentary that the model speaks in its own words.
//! There are no turns, no cancel and no truncate: what is left of an answer that was interrupted
//! is passed over until the model is quiet.

mod delegation;
mod frames;

use policy::Timestamp;
use serde_json::Value;

use crate::capabilities::Capabilities;
use crate::command::{ListenTo, Respond, RoadCommand};
use crate::config::{RespondsTo, RoadFacts, SpeechBy, Transcribes, TurnsBy};
use crate::event::{AnswerEnd, Context};
use crate::ids::AnswerId;
use crate::input::Input;
use crate::road::notes::{Notes, note};
use crate::road::pcm::{self, Clock};
use crate::road::text_turn::TextTurnRequest;
use crate::road::{Incoming, Outgoing, Road, RoadEvent, Setup};
use delegation::Delegations;

/// Silence that ends an answer, or what the person says; pieces come every 200 ms.
const QUIET_MS: u64 = 800;

#[derive(Debug)]
pub struct Live {
    model: Capabilities,
    notes: Notes,
    connections: u32,
    answers: u64,
    open: Option<OpenAnswer>,
    /// The rest of an answer that was given up is passed over until the model is quiet.
    dropping: bool,
    /// How long the model's audio has been quiet.
    quiet: Clock,
    /// The person's words that are not final, and when the last came.
    words: String,
    words_at: Option<Timestamp>,
    delegations: Delegations,
}

#[derive(Debug)]
struct OpenAnswer {
    id: AnswerId,
    clock: Clock,
    /// Where the session's own clock was when it began.
    begins_ms: Option<u64>,
    /// Quiet audio since the last sound.
    held: Vec<u8>,
}

impl Live {
    pub fn new(model: Capabilities) -> Self {
        let quiet = Clock::new(model.output_rate);
        Self {
            model,
            notes: Notes::default(),
            connections: 0,
            answers: 0,
            open: None,
            dropping: false,
            quiet,
            words: String::new(),
            words_at: None,
            delegations: Delegations::default(),
        }
    }

    fn message(&mut self, now: Timestamp, message: &Value) -> Vec<RoadEvent> {
        let text = |field: &str| message.get(field).and_then(Value::as_str).unwrap_or_default();
        let number = |field: &str| message.get(field).and_then(Value::as_u64);
        match text("type") {
            "session.started" => vec![self.ready().into()],
            "session.output_audio.delta" => match pcm::decode(text("delta")) {
                Some(pcm) => self.audio(pcm),
                None => vec![note("audio of the provider is not base64")],
            },
            "session.output_transcript.delta" => {
                self.spoken_text(text("delta"), number("start_ms"), number("end_ms"))
            }
            "session.input_transcript.delta" => {
                self.words.push_str(text("delta"));
                self.words_at = Some(now);
                vec![Input::Partial { text: self.words.trim().to_owned() }.into()]
            }
            "session.delegation.created" => {
                let id = message.pointer("/delegation/id").and_then(Value::as_str);
                let open = self.words.clone();
                self.delegations.created(id.unwrap_or_default(), &open)
            }
            "session.closed" => {
                vec![note(format!("the provider ended the session: {}", text("reason")))]
            }
            "error" => {
                let why = message.pointer("/error/message").and_then(Value::as_str);
                vec![note(format!("the provider reports: {}", why.unwrap_or("an error")))]
            }
            kind if frames::IGNORED.contains(&kind) => Vec::new(),
            kind => self.notes.once(kind).into_iter().collect(),
        }
    }

    fn ready(&self) -> Input {
        match self.connections {
            1 => Input::Ready,
            // Calls are in our own text turn, which outlives connections.
            _ => Input::ConnectionRestored { context: Context::Kept },
        }
    }

    fn audio(&mut self, pcm: Vec<u8>) -> Vec<RoadEvent> {
        let is_loud = pcm::is_loud(&pcm);
        if is_loud {
            self.quiet = Clock::new(self.model.output_rate);
        } else {
            self.quiet.add(pcm.len());
        }
        let mut events = Vec::new();
        if is_loud {
            self.begin_answer(None, &mut events);
        }
        if let Some(open) = &mut self.open {
            open.held.extend(pcm);
            // Quiet audio is part of the answer only if more follows.
            if is_loud {
                let (answer, pcm) = (open.id.clone(), std::mem::take(&mut open.held));
                let ms = open.clock.add(pcm.len());
                events.push(RoadEvent::Audio { answer: answer.clone(), pcm });
                events.push(Input::AnswerAudio { answer, ms }.into());
            }
        }
        if self.quiet.ms() >= QUIET_MS {
            events.extend(self.end_answer());
        }
        events
    }

    fn begin_answer(&mut self, begins_ms: Option<u64>, events: &mut Vec<RoadEvent>) {
        if self.dropping {
            return;
        }
        if let Some(open) = &mut self.open {
            open.begins_ms = open.begins_ms.or(begins_ms);
            return;
        }
        events.extend(self.said());
        self.answers += 1;
        let id = AnswerId(format!("answer-{}-{}", self.connections, self.answers));
        events.push(Input::AnswerStarted { answer: id.clone() }.into());
        let clock = Clock::new(self.model.output_rate);
        self.open = Some(OpenAnswer { id, clock, begins_ms, held: Vec::new() });
    }

    fn spoken_text(&mut self, text: &str, start: Option<u64>, end: Option<u64>) -> Vec<RoadEvent> {
        let mut events = Vec::new();
        self.begin_answer(start, &mut events);
        if let Some(open) = &self.open {
            let until_ms = end.zip(open.begins_ms).map(|(end, begin)| end.saturating_sub(begin));
            let (answer, text) = (open.id.clone(), text.to_owned());
            self.delegations.assistant_said(&text);
            events.push(Input::AnswerText { answer, text, until_ms }.into());
        }
        events
    }

    fn end_answer(&mut self) -> Vec<RoadEvent> {
        self.dropping = false;
        let Some(open) = self.open.take() else { return Vec::new() };
        let mut events =
            vec![Input::AnswerEnded { answer: open.id, end: AnswerEnd::Completed }.into()];
        if !self.delegations.is_busy() {
            events.push(Input::TurnDone.into());
        }
        events
    }

    /// What the person said is final after a pause, or when the model answers.
    fn said(&mut self) -> Option<RoadEvent> {
        self.words_at = None;
        let text = std::mem::take(&mut self.words).trim().to_owned();
        if text.is_empty() {
            return None;
        }
        self.delegations.user_said(&text);
        Some(Input::Said { speech: None, text }.into())
    }

    fn respond(&mut self, respond: &Respond) -> Vec<Outgoing> {
        // The model hears the person and answers without a request; only text needs one.
        if respond.pending.is_empty() {
            return Vec::new();
        }
        self.delegations.start(respond.turn, respond.pending.clone())
    }
}

impl Road for Live {
    fn facts(&self) -> RoadFacts {
        RoadFacts {
            speech: SpeechBy::Provider,
            responds_to: RespondsTo::Audio,
            turns: TurnsBy::Provider,
            transcribes: Transcribes::NotAnswers,
        }
    }

    fn open(&mut self, _now: Timestamp, setup: &Setup) -> Vec<RoadEvent> {
        self.connections += 1;
        self.open = None;
        self.dropping = false;
        (self.words, self.words_at) = (String::new(), None);
        // A delegation is good on its own connection only.
        self.delegations.forget_ids();
        let message = frames::session_start(&self.model, setup);
        vec![RoadEvent::Send(Outgoing::Message(message))]
    }

    fn receive(&mut self, now: Timestamp, incoming: Incoming<'_>) -> Vec<RoadEvent> {
        match incoming {
            Incoming::Message(text) => match serde_json::from_str::<Value>(text) {
                Ok(message) => self.message(now, &message),
                Err(_) => self.notes.once("a message that is not JSON").into_iter().collect(),
            },
            Incoming::Turn(event) => self.delegations.turn(event),
            Incoming::Closed => vec![Input::ConnectionLost.into()],
        }
    }

    fn send(&mut self, _now: Timestamp, command: &RoadCommand) -> Vec<Outgoing> {
        match command {
            RoadCommand::Listen(ListenTo::Model) => vec![Outgoing::Message(frames::unmute())],
            RoadCommand::Listen(ListenTo::Us | ListenTo::Off) => {
                vec![Outgoing::Message(frames::mute())]
            }
            RoadCommand::Respond(respond) => self.respond(respond),
            RoadCommand::Cancel { .. } => {
                // Work that was delegated goes on.
                self.dropping = self.open.take().is_some();
                Vec::new()
            }
            RoadCommand::Truncate { heard, .. } => {
                self.delegations.truncate(heard);
                Vec::new()
            }
            RoadCommand::UserTurn { .. } => Vec::new(),
            RoadCommand::Continue => self.delegations.go_on(),
            RoadCommand::AnswerCall { call, content, failed, .. } => {
                let (call, content) = (call.clone(), content.clone());
                vec![Outgoing::Turn(TextTurnRequest::Answer { call, content, failed: *failed })]
            }
            RoadCommand::Inform { text } => {
                let thinking = Outgoing::Message(frames::thinking(text));
                vec![thinking, Outgoing::Turn(TextTurnRequest::Inform { text: text.clone() })]
            }
        }
    }

    fn hear(&mut self, samples: &[i16]) -> Vec<Outgoing> {
        vec![Outgoing::Message(frames::audio(samples))]
    }

    fn deadline(&self) -> Option<Timestamp> {
        self.words_at.map(|at| at.plus_ms(QUIET_MS))
    }

    fn tick(&mut self, now: Timestamp) -> Vec<RoadEvent> {
        match self.deadline().is_some_and(|due| due <= now) {
            true => self.said().into_iter().collect(),
            false => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
