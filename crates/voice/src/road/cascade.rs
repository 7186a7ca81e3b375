//! The road of our own parts: speech to text, a text turn, text to speech.
//!
//! The detector finds speech, the session ends turns and cuts sentences, so all that is left here
//! is the text turn: one answer for each stretch of text between calls.

use policy::Timestamp;

use crate::capabilities::Capabilities;
use crate::command::{Respond, RoadCommand};
use crate::config::{RespondsTo, RoadFacts, SpeechBy, Transcribes, TurnsBy};
use crate::event::{AnswerEnd, Context};
use crate::ids::{AnswerId, TurnNumber};
use crate::input::Input;
use crate::road::text_turn::{TextTurnEnd, TextTurnEvent, TextTurnRequest};
use crate::road::tools::malformed;
use crate::road::{Incoming, Outgoing, Road, RoadEvent, Setup};

/// For the text model, after an interruption by a noise.
const GO_ON: &str =
    "(The user made a sound but said nothing. Go on from where you were interrupted.)";

#[derive(Debug)]
pub struct Cascade {
    connections: u32,
    answers: u64,
    /// The answer that is being written.
    open: Option<AnswerId>,
    /// A turn runs.
    is_running: bool,
}

impl Cascade {
    pub fn new(_model: Capabilities) -> Self {
        Self { connections: 0, answers: 0, open: None, is_running: false }
    }

    fn end_answer(&mut self, end: AnswerEnd) -> Option<RoadEvent> {
        let answer = self.open.take()?;
        Some(Input::AnswerEnded { answer, end }.into())
    }

    fn turn(&mut self, event: TextTurnEvent) -> Vec<RoadEvent> {
        // Ignore what a cancelled turn still says.
        if !self.is_running {
            return Vec::new();
        }
        match event {
            TextTurnEvent::Text(text) => {
                let mut events = Vec::new();
                let answer = match &self.open {
                    Some(answer) => answer.clone(),
                    None => {
                        self.answers += 1;
                        let answer = AnswerId(format!("answer-{}", self.answers));
                        self.open = Some(answer.clone());
                        events.push(Input::AnswerStarted { answer: answer.clone() }.into());
                        answer
                    }
                };
                events.push(Input::AnswerText { answer, text, until_ms: None }.into());
                events
            }
            TextTurnEvent::Call(call) => {
                let end = self.end_answer(AnswerEnd::Completed);
                end.into_iter().chain([Input::CallAsked { call }.into()]).collect()
            }
            TextTurnEvent::TornCall { call, tool, why } => {
                let end = self.end_answer(AnswerEnd::Completed);
                end.into_iter().chain([malformed(&call.0, &tool, &why).into()]).collect()
            }
            TextTurnEvent::Ended(how) => {
                self.is_running = false;
                let end = match how {
                    TextTurnEnd::Completed => AnswerEnd::Completed,
                    TextTurnEnd::Cancelled => AnswerEnd::Cancelled,
                    TextTurnEnd::Failed => AnswerEnd::Failed,
                };
                self.end_answer(end).into_iter().chain([Input::TurnDone.into()]).collect()
            }
        }
    }

    /// Results are there. A turn that runs goes on by itself; in another process there is none, and
    /// one begins from what it was told.
    fn go_on(&mut self) -> Vec<TextTurnRequest> {
        if self.is_running {
            return Vec::new();
        }
        self.is_running = true;
        vec![TextTurnRequest::Start { turn: TurnNumber::default(), messages: Vec::new() }]
    }

    fn start(&mut self, respond: &Respond) -> Vec<TextTurnRequest> {
        let mut messages = respond.pending.clone();
        messages.extend(respond.said.clone());
        if respond.go_on {
            messages.push(GO_ON.to_owned());
        }
        let cancel = self.is_running.then_some(TextTurnRequest::Cancel);
        self.is_running = true;
        self.open = None;
        let start = TextTurnRequest::Start { turn: respond.turn, messages };
        cancel.into_iter().chain([start]).collect()
    }
}

impl Road for Cascade {
    fn facts(&self) -> RoadFacts {
        RoadFacts {
            speech: SpeechBy::Us,
            responds_to: RespondsTo::Transcript,
            turns: TurnsBy::Us,
            transcribes: Transcribes::Nothing,
        }
    }

    fn open(&mut self, _now: Timestamp, _setup: &Setup) -> Vec<RoadEvent> {
        self.connections += 1;
        match self.connections {
            1 => vec![Input::Ready.into()],
            _ => vec![Input::ConnectionRestored { context: Context::Kept }.into()],
        }
    }

    fn receive(&mut self, _now: Timestamp, incoming: Incoming<'_>) -> Vec<RoadEvent> {
        match incoming {
            Incoming::Message(_) => Vec::new(),
            Incoming::Turn(event) => self.turn(event),
            Incoming::Closed => {
                self.is_running = false;
                self.open = None;
                vec![Input::ConnectionLost.into()]
            }
        }
    }

    fn send(&mut self, _now: Timestamp, command: &RoadCommand) -> Vec<Outgoing> {
        let requests = match command {
            RoadCommand::Listen(_) | RoadCommand::UserTurn { .. } => Vec::new(),
            RoadCommand::Continue => self.go_on(),
            RoadCommand::Respond(respond) => self.start(respond),
            RoadCommand::Cancel { .. } => {
                let was_running = std::mem::take(&mut self.is_running);
                self.open = None;
                was_running.then_some(TextTurnRequest::Cancel).into_iter().collect()
            }
            RoadCommand::Truncate { answer, heard, .. } => {
                let number = answer.0.rsplit('-').next().and_then(|number| number.parse().ok());
                let later = self.answers.saturating_sub(number.unwrap_or(self.answers));
                let later = u32::try_from(later).unwrap_or(u32::MAX);
                vec![TextTurnRequest::Truncate { heard: heard.clone(), later }]
            }
            RoadCommand::AnswerCall { call, content, failed, .. } => {
                let (call, content) = (call.clone(), content.clone());
                vec![TextTurnRequest::Answer { call, content, failed: *failed }]
            }
            RoadCommand::Inform { text } => vec![TextTurnRequest::Inform { text: text.clone() }],
        };
        requests.into_iter().map(Outgoing::Turn).collect()
    }

    fn hear(&mut self, _samples: &[i16]) -> Vec<Outgoing> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
