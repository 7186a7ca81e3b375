//! Our own text turn behind a voice: what it is asked, and what it says.
//!
//! The cascade and the Live road let an ordinary turn in voice mode do the thinking. Its calls go
//! through the session, so that every road has the same rules.

use contract::{Call, CallId};
use serde_json::Value;

use crate::ids::TurnNumber;

/// What a text turn is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub enum TextTurnRequest {
    /// Answer these messages of the person.
    Start {
        turn: TurnNumber,
        messages: Vec<String>,
    },
    Cancel,
    /// Only this much of an answer was heard; the rest is not part of the conversation.
    Truncate {
        heard: String,
        /// How many answers came after it.
        later: u32,
    },
    /// The result of a call that the turn asked for.
    Answer {
        call: CallId,
        content: Value,
        failed: bool,
    },
    /// Context for the next request.
    Inform {
        text: String,
    },
}

/// What a text turn says.
#[derive(Debug, Clone, PartialEq)]
pub enum TextTurnEvent {
    Text(String),
    Call(Call),
    /// A call that broke off or is not JSON.
    TornCall {
        call: CallId,
        tool: String,
        why: String,
    },
    Ended(TextTurnEnd),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextTurnEnd {
    Completed,
    Cancelled,
    Failed,
}
