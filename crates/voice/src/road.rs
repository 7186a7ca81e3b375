//! Roads translate between a session and a provider's protocol. No sockets here.
//!
//! In: a provider's messages, events of our own text turn, commands of the session. Out: inputs
//! for the session, audio for the page, messages for the provider. Must hold: a message that a
//! road does not know is noted and never fatal; a call that cannot be read is answered.
//!
//! Start at [`Road`]; the four roads are `realtime`, `live`, `gemini` and `cascade`.

pub(crate) mod cascade;
pub(crate) mod gemini;
pub(crate) mod live;
pub(crate) mod notes;
pub(crate) mod pcm;
pub(crate) mod realtime;
pub(crate) mod text_turn;
pub(crate) mod tools;

use contract::ToolOffer;
use policy::Timestamp;
use serde_json::Value;

use crate::capabilities::{Capabilities, RoadKind};
use crate::command::RoadCommand;
use crate::config::RoadFacts;
use crate::ids::AnswerId;
use crate::input::Input;
use crate::transcript::Line;
use crate::words::language::Language;

pub use cascade::Cascade;
pub use gemini::Gemini;
pub use live::Live;
pub use realtime::Realtime;
pub use text_turn::{TextTurnEnd, TextTurnEvent, TextTurnRequest};

/// Translates between a session and one provider.
pub trait Road {
    /// What the orchestrator must know about this road.
    fn facts(&self) -> RoadFacts;

    /// Whether the provider tells when the person speaks; otherwise our own detector does.
    fn detects_speech(&self) -> bool {
        false
    }

    /// Begins a connection. `Input::Ready`, or `ConnectionRestored` on a later one, follows when
    /// the provider takes audio.
    fn open(&mut self, now: Timestamp, setup: &Setup) -> Vec<RoadEvent>;

    /// Takes something from outside.
    fn receive(&mut self, now: Timestamp, incoming: Incoming<'_>) -> Vec<RoadEvent>;

    /// Translates a command of the session.
    fn send(&mut self, now: Timestamp, command: &RoadCommand) -> Vec<Outgoing>;

    /// Wraps audio of the person, at the road's input rate.
    fn hear(&mut self, samples: &[i16]) -> Vec<Outgoing>;

    /// When the road wants a [`Road::tick`].
    fn deadline(&self) -> Option<Timestamp> {
        None
    }

    fn tick(&mut self, _now: Timestamp) -> Vec<RoadEvent> {
        Vec::new()
    }
}

/// The road of a model.
pub fn road(capabilities: &Capabilities) -> Box<dyn Road + Send> {
    match capabilities.road {
        RoadKind::Realtime => Box::new(Realtime::new(capabilities.clone())),
        RoadKind::Live => Box::new(Live::new(capabilities.clone())),
        RoadKind::Gemini => Box::new(Gemini::new(capabilities.clone())),
        RoadKind::Cascade => Box::new(Cascade::new(capabilities.clone())),
    }
}

/// What a connection begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    pub instructions: String,
    pub tools: Vec<ToolOffer>,
    /// What was said before, oldest first.
    pub history: Vec<Line>,
    pub languages: Vec<Language>,
    /// The provider's name for a voice.
    pub voice: Option<String>,
    /// The provider's name for its recogniser, where it is a model of its own.
    pub transcription_model: Option<String>,
}

/// What comes to a road from outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming<'a> {
    /// A text message of the provider's socket.
    Message(&'a str),
    /// From our own text turn.
    Turn(TextTurnEvent),
    /// The connection is gone.
    Closed,
}

/// What a road makes of it.
#[derive(Debug, Clone, PartialEq)]
pub enum RoadEvent {
    Input(Input),
    /// Audio of an answer for the page: PCM, 16 bits, mono, at the road's output rate.
    Audio {
        answer: AnswerId,
        pcm: Vec<u8>,
    },
    Send(Outgoing),
}

/// What a road wants sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Outgoing {
    /// A JSON message for the provider's socket.
    Message(Value),
    /// For our own text turn.
    Turn(TextTurnRequest),
}

impl From<Input> for RoadEvent {
    fn from(input: Input) -> Self {
        RoadEvent::Input(input)
    }
}

#[cfg(test)]
pub(crate) mod test_setup;
