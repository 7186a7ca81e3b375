//! Intents: what a tool asks of the surface, such as ending the call or staying silent.
//!
//! In: the `intents` list of a handler's response. Out: known intents, and a fault for each
//! other entry. An unknown type is only a warning, because the tool may be newer than this
//! program; a known type with wrong content is an error.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::UnknownWord;
use crate::contract::words;

/// One request of a tool to its surface. Never shown to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields)]
pub enum Intent {
    EndVoiceSession { after: After },
    SuppressAudio { value: bool },
    SuppressTranscript { value: bool },
    SetPendingMessage { message: String },
}

words! {
    /// The types of intent, as a handler writes them.
    IntentType {
        EndVoiceSession = "END_VOICE_SESSION",
        SuppressAudio = "SUPPRESS_AUDIO",
        SuppressTranscript = "SUPPRESS_TRANSCRIPT",
        SetPendingMessage = "SET_PENDING_MESSAGE",
    }
}

words! {
    /// When a voice session ends.
    After {
        Immediate = "immediate",
        CurrentTurn = "current_turn",
        FarewellSpoken = "farewell_spoken",
    }
}

/// Why an entry of `intents` is not an intent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntentFault {
    /// A warning: the intent is ignored, the response is valid.
    #[error("intent {index} has the unknown type `{found}`; it is ignored")]
    UnknownType { index: usize, found: String },
    /// An error: the response is refused.
    #[error("intent {index} (`{kind}`): {because}")]
    Malformed { index: usize, kind: String, because: String },
}

impl IntentFault {
    pub fn is_warning(&self) -> bool {
        match self {
            IntentFault::UnknownType { .. } => true,
            IntentFault::Malformed { .. } => false,
        }
    }
}

impl Intent {
    /// How many intents one response may have.
    pub const COUNT_MAX: usize = 16;

    pub fn kind(&self) -> IntentType {
        match self {
            Intent::EndVoiceSession { .. } => IntentType::EndVoiceSession,
            Intent::SuppressAudio { .. } => IntentType::SuppressAudio,
            Intent::SuppressTranscript { .. } => IntentType::SuppressTranscript,
            Intent::SetPendingMessage { .. } => IntentType::SetPendingMessage,
        }
    }

    /// Reads one entry of the `intents` list.
    pub fn from_entry(index: usize, entry: &Value) -> Result<Self, IntentFault> {
        let malformed = |kind: &str, because: String| IntentFault::Malformed {
            index,
            kind: kind.to_owned(),
            because,
        };
        let Value::Object(fields) = entry else {
            return Err(malformed("?", "an intent is an object with a `type`".to_owned()));
        };
        let Some(Value::String(kind)) = fields.get("type") else {
            return Err(malformed("?", "`type` is missing or not a string".to_owned()));
        };
        let known = kind
            .parse::<IntentType>()
            .map_err(|UnknownWord { found, .. }| IntentFault::UnknownType { index, found })?;
        let intent = match known {
            IntentType::EndVoiceSession => {
                after(fields).map(|after| Self::EndVoiceSession { after })
            }
            IntentType::SuppressAudio => flag(fields).map(|value| Self::SuppressAudio { value }),
            IntentType::SuppressTranscript => {
                flag(fields).map(|value| Self::SuppressTranscript { value })
            }
            IntentType::SetPendingMessage => {
                text(fields, "message").map(|message| Self::SetPendingMessage { message })
            }
        };
        intent.map_err(|because| malformed(kind, because))
    }
}

fn after(fields: &Map<String, Value>) -> Result<After, String> {
    match fields.get("after") {
        None => Ok(After::CurrentTurn),
        Some(Value::String(word)) => {
            word.parse().map_err(|unknown: UnknownWord| format!("`after`: {unknown}"))
        }
        Some(_) => Err("`after` must be a string".to_owned()),
    }
}

fn flag(fields: &Map<String, Value>) -> Result<bool, String> {
    match fields.get("value") {
        Some(Value::Bool(value)) => Ok(*value),
        _ => Err("`value` must be true or false".to_owned()),
    }
}

fn text(fields: &Map<String, Value>, name: &str) -> Result<String, String> {
    match fields.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => Err(format!("`{name}` must be a string")),
    }
}

#[cfg(test)]
mod tests;
