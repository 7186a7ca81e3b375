//! What a session wants done, in order. A record comes before what follows from it.

use contract::{Call, CallId, HandlerAnswer};
use policy::{ApprovalChoice, RequestId, Timestamp};
use serde_json::Value;

use crate::event::{Asker, CancelReason, LogEntry, Speaking};
use crate::ids::{AnswerId, SpeechId, TurnNumber, UtteranceId};
use crate::transcript::Line;

#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Append this to the log.
    Record(LogEntry),

    // For the page.
    /// Play the audio of this utterance as it comes.
    Play {
        utterance: UtteranceId,
    },
    /// Fade out and hold the rest; report the position.
    Pause {
        utterance: UtteranceId,
        fade_ms: u64,
    },
    Resume {
        utterance: UtteranceId,
    },
    /// Throw away what is left of it.
    Cut {
        utterance: UtteranceId,
    },
    Tone,
    ShowButton {
        request: RequestId,
    },
    HideButton {
        request: RequestId,
    },
    /// A tool's message for the client.
    Forward {
        message: Value,
    },

    // For our own speech services.
    Speak {
        utterance: UtteranceId,
        sentence: u32,
        text: String,
    },
    Transcribe {
        speech: SpeechId,
    },

    /// For the provider.
    Road(RoadCommand),

    // For the engine.
    /// Settle the call. The same call twice is the same effect: the ledger knows it.
    RunCall {
        call: Call,
        by: Asker,
    },
    CancelCall {
        call: CallId,
        why: CancelReason,
    },
    AnswerApproval {
        request: RequestId,
        choice: ApprovalChoice,
    },
    AnswerForm {
        call: CallId,
        name: String,
        answer: HandlerAnswer,
    },

    /// Open the connection anew before this time.
    Reconnect {
        by: Timestamp,
    },
    /// The session is over. Given exactly once.
    End(EndReport),
}

/// A command for the provider, independent of its protocol. A [`crate::Road`] translates it.
#[derive(Debug, Clone, PartialEq)]
pub enum RoadCommand {
    Listen(ListenTo),
    /// The person has taken the turn: what they say is for the model.
    UserTurn {
        speech: SpeechId,
    },
    Respond(Respond),
    /// Stop an answer, or whatever is being made if none has begun.
    Cancel {
        answer: Option<AnswerId>,
    },
    /// Only this much of an answer was heard.
    Truncate {
        answer: AnswerId,
        heard_ms: u64,
        heard: String,
    },
    AnswerCall {
        call: CallId,
        tool: String,
        content: Value,
        failed: bool,
        speaking: Speaking,
    },
    /// Every call has its answer: go on.
    Continue,
    /// Context that asks for no answer.
    Inform {
        text: String,
    },
}

/// Who the microphone is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenTo {
    Model,
    /// Answers to our own questions.
    Us,
    /// The session ends with its turn, and new speech is ignored.
    Off,
}

/// A request for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respond {
    pub turn: TurnNumber,
    /// What was said, as far as it is known.
    pub said: Option<String>,
    /// Messages that come before it.
    pub pending: Vec<String>,
    /// Nothing was said, and the model should go on from what was heard.
    pub go_on: bool,
}

/// How a session ended, for the conversation it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct EndReport {
    pub cause: String,
    /// What people may see of the session.
    pub transcript: Vec<Line>,
    /// Messages for the next turn, in text or voice.
    pub pending: Vec<String>,
}
