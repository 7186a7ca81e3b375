//! What is recorded of a session. The whole state is made from these events, in this order.
//!
//! The words are written to disk: they may be added to, and never change their meaning. Times
//! are the caller's. [`VoiceEvent::is_arrival`] tells pieces that only arrive, and differ from
//! road to road, from what was decided about them, which does not.

mod ask;
mod audio;
mod call;

use contract::CallId;
use policy::Timestamp;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::ids::{SpeechId, TurnNumber};
use crate::transcript::Line;

pub use ask::{AskAbout, AskEvent, EndingEvent};
pub use audio::{AnswerEnd, AudioEvent, Piece, Purpose};
pub use call::{
    AnswerKind, Asker, CallAnswer, CallEvent, CallOutcome, CallResult, CancelReason, Speaking,
    Waits,
};

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    pub at: Timestamp,
    #[serde(flatten)]
    pub event: VoiceEvent,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum VoiceEvent {
    Session(SessionEvent),
    User(UserEvent),
    Turn(TurnEvent),
    Audio(AudioEvent),
    Call(CallEvent),
    Ask(AskEvent),
    Ending(EndingEvent),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum SessionEvent {
    Opened(Box<Opened>),
    /// The provider takes audio.
    Ready,
    ConnectionLost,
    ConnectionRestored {
        context: Context,
    },
    /// The provider closes this connection soon.
    GoingAway {
        by: Timestamp,
    },
    /// A new connection was asked for.
    Reconnecting,
    /// For people: something unexpected that did not stop the session.
    Noted {
        text: String,
    },
    /// A tool's message for the client was passed on.
    Forwarded {
        call: CallId,
    },
    Ended {
        cause: String,
    },
}

/// How a session began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    pub config: Config,
    /// The text conversation so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Line>,
    /// Messages that are delivered with the first turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
}

/// What the provider still knows after a reconnect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Context {
    Kept,
    /// Only the history that we sent again.
    Fresh,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum UserEvent {
    SpeechStarted {
        speech: SpeechId,
    },
    /// Words so far; each partial replaces the one before.
    Partial {
        speech: SpeechId,
        text: String,
    },
    /// It is more than a noise or a sign of listening: the person wants the turn.
    Confirmed {
        speech: SpeechId,
    },
    SpeechEnded {
        speech: SpeechId,
    },
    /// The final transcript.
    Said {
        speech: SpeechId,
        text: String,
    },
    /// A noise or a sign of listening; nothing follows from it.
    Ignored {
        speech: SpeechId,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TurnEvent {
    /// The model is asked to answer.
    Requested {
        turn: TurnNumber,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pending: Vec<String>,
    },
    /// The same turn once more: its answer was lost before anything was heard.
    RequestedAgain {
        turn: TurnNumber,
    },
    /// The results of calls are there, and the model goes on.
    Continued,
    Interrupted,
    /// The provider has said everything of this turn.
    Done,
    /// The model did not begin to answer in time.
    NoAnswer,
}

macro_rules! groups {
    ($($group:ident($event:ident);)+) => {
        $(impl From<$event> for VoiceEvent {
            fn from(event: $event) -> Self {
                VoiceEvent::$group(event)
            }
        })+
    };
}

groups! {
    Session(SessionEvent);
    User(UserEvent);
    Turn(TurnEvent);
    Audio(AudioEvent);
    Call(CallEvent);
    Ask(AskEvent);
    Ending(EndingEvent);
}

impl VoiceEvent {
    /// Whether this is only a piece that arrived: text, audio, a playback position.
    pub fn is_arrival(&self) -> bool {
        match self {
            VoiceEvent::Audio(event) => matches!(event, AudioEvent::Arrived { .. }),
            VoiceEvent::User(event) => matches!(event, UserEvent::Partial { .. }),
            VoiceEvent::Turn(event) => matches!(event, TurnEvent::Done),
            VoiceEvent::Session(_)
            | VoiceEvent::Call(_)
            | VoiceEvent::Ask(_)
            | VoiceEvent::Ending(_) => false,
        }
    }
}
