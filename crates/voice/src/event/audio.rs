//! Answers and our own words: as they arrive, and as they are played.

use serde::{Deserialize, Serialize};

use crate::ids::{AnswerId, UtteranceId};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AudioEvent {
    AnswerStarted {
        utterance: UtteranceId,
        answer: AnswerId,
    },
    /// An answer that was not requested, or was already given up.
    AnswerRefused {
        answer: AnswerId,
    },
    /// Words of our own.
    OwnSpeech {
        utterance: UtteranceId,
        purpose: Purpose,
        text: String,
    },
    /// A piece of an utterance, or news about it.
    Arrived {
        utterance: UtteranceId,
        #[serde(flatten)]
        piece: Piece,
    },
    Started {
        utterance: UtteranceId,
    },
    Paused {
        utterance: UtteranceId,
    },
    Resumed {
        utterance: UtteranceId,
    },
    /// Played to the end.
    Heard {
        utterance: UtteranceId,
    },
    Cut {
        utterance: UtteranceId,
        heard_ms: u64,
        heard: String,
    },
    /// Never played.
    Dropped {
        utterance: UtteranceId,
    },
    /// Shown as text, not played.
    Suppressed {
        utterance: UtteranceId,
    },
    /// The page stopped reporting; what it reported last counts.
    Stalled {
        utterance: UtteranceId,
        heard_ms: u64,
        heard: String,
    },
    /// A short tone: something is being done.
    Tone,
}

/// What comes in pieces, differently on each road.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "piece", rename_all = "snake_case")]
pub enum Piece {
    Text {
        text: String,
        /// When all text so far has been spoken, if the provider says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until_ms: Option<u64>,
    },
    /// More audio is on its way to the page.
    Audio { sentence: u32, ms: u64 },
    /// All audio of a sentence is there; of our own speech only.
    SentenceReady { sentence: u32 },
    /// Neither text nor provider's audio will come any more.
    Ended { end: AnswerEnd },
    /// So much was played.
    Played { ms: u64 },
}

/// What our own words are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    Filler,
    /// A read-back or a question of a form.
    Question,
    Farewell,
    Notice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerEnd {
    Completed,
    /// Cancelled by us or by the provider.
    Cancelled,
    Failed,
    /// The connection was lost.
    Lost,
}
