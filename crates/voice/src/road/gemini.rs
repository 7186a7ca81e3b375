//! The road of Gemini Live.
//!
//! Our own detector marks the person's turns (`activityStart`, `activityEnd`), so that a noise
//! never interrupts the model: the start is sent when speech is confirmed, with the audio from
//! before. A dropped connection goes on with the last handle.

mod frames;
mod messages;

use std::collections::{BTreeSet, VecDeque};

use contract::CallId;
use policy::Timestamp;
use serde_json::Value;

use crate::capabilities::{CallBehavior, Capabilities, ClientContent};
use crate::command::{ListenTo, Respond, RoadCommand};
use crate::config::{RespondsTo, RoadFacts, SpeechBy, Transcribes, TurnsBy};
use crate::event::Speaking;
use crate::ids::AnswerId;
use crate::input::Input;
use crate::road::notes::Notes;
use crate::road::pcm::Clock;
use crate::road::tools::WireTools;
use crate::road::{Incoming, Outgoing, Road, RoadEvent, Setup};
use crate::transcript::Line;

/// How much audio from before the confirmation of speech is sent.
const PRE_ROLL_MS: usize = 2_000;

/// How many messages wait for a lost connection.
const UNSENT_MAX: usize = 64;

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the connection")]
pub struct Gemini {
    model: Capabilities,
    tools: WireTools,
    notes: Notes,
    connections: u32,
    /// Where the next connection goes on.
    handle: Option<String>,
    /// Whether this connection went on with one.
    resumed: bool,
    /// Sent after the setup is complete.
    history: Vec<Line>,
    listen: ListenTo,
    /// The setup is complete.
    is_ready: bool,
    /// The person's turn is being sent, or will be as soon as the setup is complete.
    in_activity: bool,
    /// The latest audio that was not sent.
    pre_roll: VecDeque<i16>,
    /// The person's words that are not final.
    words: String,
    answers: u64,
    open: Option<OpenAnswer>,
    /// The rest of an answer that was given up is passed over.
    dropping: bool,
    /// Calls without a response.
    calls: BTreeSet<String>,
    /// Calls that the provider took back.
    withdrawn: BTreeSet<String>,
    /// Context that waits for the person's next turn.
    context: Vec<String>,
    /// Messages from while the connection was lost.
    unsent: Vec<Value>,
    has_answered: bool,
    /// A call that could not be read was asked for again in this turn.
    has_retried: bool,
}

#[derive(Debug)]
struct OpenAnswer {
    id: AnswerId,
    clock: Clock,
}

impl Gemini {
    pub fn new(model: Capabilities) -> Self {
        Self {
            model,
            tools: WireTools::default(),
            notes: Notes::default(),
            connections: 0,
            handle: None,
            resumed: false,
            history: Vec::new(),
            listen: ListenTo::Model,
            is_ready: false,
            in_activity: false,
            pre_roll: VecDeque::new(),
            words: String::new(),
            answers: 0,
            open: None,
            dropping: false,
            calls: BTreeSet::new(),
            withdrawn: BTreeSet::new(),
            context: Vec::new(),
            unsent: Vec::new(),
            has_answered: false,
            has_retried: false,
        }
    }

    fn respond(&mut self, respond: &Respond) -> Vec<Value> {
        self.has_retried = false;
        let mut texts: Vec<String> = std::mem::take(&mut self.context);
        texts.extend(respond.pending.iter().cloned());
        if respond.go_on {
            texts.push(frames::GO_ON.to_owned());
        }
        let was_active = std::mem::take(&mut self.in_activity);
        // Without audio the words are sent as text.
        if !was_active && texts.is_empty() {
            texts.extend(respond.said.clone());
        }
        // What comes from now on belongs to the new turn.
        self.dropping = false;
        let texts = texts.iter().map(|text| frames::text(text));
        let end = was_active.then(frames::activity_end);
        texts.chain(end).collect()
    }

    fn user_turn(&mut self) -> Vec<Value> {
        if self.in_activity || self.listen != ListenTo::Model {
            return Vec::new();
        }
        self.in_activity = true;
        // The start of the turn waits for the setup, and its audio for both.
        if !self.is_ready {
            return Vec::new();
        }
        let before: Vec<i16> = self.pre_roll.drain(..).collect();
        let audio = (!before.is_empty()).then(|| frames::audio(&before, self.model.input_rate));
        [frames::activity_start()].into_iter().chain(audio).collect()
    }

    fn answer_call(
        &mut self,
        call: &CallId,
        tool: &str,
        content: &Value,
        failed: bool,
        speaking: Speaking,
    ) -> Vec<Value> {
        self.calls.remove(&call.0);
        if self.withdrawn.remove(&call.0) {
            return Vec::new();
        }
        let name = self.tools.wire_name(tool);
        vec![frames::tool_response(&self.model, call, &name, content, failed, speaking)]
    }

    fn inform(&mut self, text: &str) -> Vec<Value> {
        let may_send = self.model.client_content == ClientContent::AnyTime || !self.has_answered;
        if may_send {
            return vec![frames::context(text)];
        }
        self.context.push(text.to_owned());
        Vec::new()
    }

    /// Some models close the connection if audio comes while they wait for a result.
    fn is_blocked(&self) -> bool {
        self.model.calls == CallBehavior::Blocking && !self.calls.is_empty()
    }
}

impl Road for Gemini {
    fn facts(&self) -> RoadFacts {
        RoadFacts {
            speech: SpeechBy::Provider,
            responds_to: RespondsTo::Audio,
            turns: TurnsBy::Us,
            transcribes: Transcribes::Turns,
        }
    }

    fn open(&mut self, _now: Timestamp, setup: &Setup) -> Vec<RoadEvent> {
        self.connections += 1;
        self.resumed = self.handle.is_some();
        self.tools = WireTools::compile(&setup.tools, "gemini-live");
        self.history = if self.resumed { Vec::new() } else { setup.history.clone() };
        self.is_ready = false;
        self.dropping = false;
        self.open = None;
        if !self.resumed {
            self.calls.clear();
            self.withdrawn.clear();
            self.unsent.clear();
            self.has_answered = false;
        }
        let handle = self.handle.as_deref();
        let message = frames::setup(&self.model, setup, &self.tools, handle);
        vec![RoadEvent::Send(Outgoing::Message(message))]
    }

    fn receive(&mut self, _now: Timestamp, incoming: Incoming<'_>) -> Vec<RoadEvent> {
        match incoming {
            Incoming::Message(text) => match serde_json::from_str::<Value>(text) {
                Ok(message) => self.message(&message),
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
                Vec::new()
            }
            RoadCommand::UserTurn { .. } => self.user_turn(),
            RoadCommand::Respond(respond) => self.respond(respond),
            RoadCommand::Cancel { .. } => {
                self.dropping = true;
                self.open = None;
                Vec::new()
            }
            RoadCommand::AnswerCall { call, tool, content, failed, speaking } => {
                self.answer_call(call, tool, content, *failed, *speaking)
            }
            // The protocol has no truncate, and the model continues after results without a request.
            RoadCommand::Truncate { .. } | RoadCommand::Continue => Vec::new(),
            RoadCommand::Inform { text } => self.inform(text),
        };
        if !self.is_ready {
            self.unsent.extend(messages);
            self.unsent.truncate(UNSENT_MAX);
            return Vec::new();
        }
        messages.into_iter().map(Outgoing::Message).collect()
    }

    fn hear(&mut self, samples: &[i16]) -> Vec<Outgoing> {
        if self.is_ready && self.in_activity && !self.is_blocked() {
            let held: Vec<i16> = self.pre_roll.drain(..).chain(samples.iter().copied()).collect();
            return vec![Outgoing::Message(frames::audio(&held, self.model.input_rate))];
        }
        let max = self.model.input_rate as usize * PRE_ROLL_MS / 1_000;
        self.pre_roll.extend(samples);
        let surplus = self.pre_roll.len().saturating_sub(max);
        self.pre_roll.drain(..surplus);
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
