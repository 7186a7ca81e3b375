//! Messages that we send.

use serde_json::{Value, json};

use crate::capabilities::Capabilities;
use crate::road::Setup;
use crate::road::pcm;
use crate::transcript::{Line, Speaker};

/// Messages of the server that need no answer.
pub(super) const IGNORED: [&str; 11] = [
    "session.updated",
    "session.commentary.appended",
    "session.thinking.appended",
    "session.instructions.appended",
    "session.input_audio.muted",
    "session.input_audio.unmuted",
    "session.output_audio.fixture.playing",
    "session.output_audio.fixture.played",
    "session.usage.updated",
    "decision.event",
    "info",
];

/// The most messages of history that a session begins with.
const HISTORY_MAX: usize = 128;
/// Of the limit of 500 tokens, in any script: a token has two characters or more.
pub(super) const APPEND_CHARS_MAX: usize = 900;

pub(super) fn session_start(model: &Capabilities, setup: &Setup) -> Value {
    let skipped = setup.history.len().saturating_sub(HISTORY_MAX);
    let input: Vec<Value> = setup.history.iter().skip(skipped).map(message).collect();
    let mut audio = json!({ "format": { "type": "audio/pcm", "rate": model.output_rate } });
    if let Some(voice) = &setup.voice {
        audio["output"] = json!({ "voice": voice });
    }
    json!({
        "type": "session.start",
        "session": {
            "model": model.name,
            "instructions": setup.instructions,
            "input": input,
            "audio": audio,
            "delegation": { "type": "client" },
        },
    })
}

fn message(line: &Line) -> Value {
    let (role, kind) = match line.speaker {
        Speaker::User => ("user", "input_text"),
        Speaker::Assistant | Speaker::Host => ("assistant", "output_text"),
    };
    json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": line.text }] })
}

/// What the model may say to the person.
pub(super) fn commentary(text: &str, delegation: Option<&str>) -> Value {
    json!({ "type": "session.commentary.append", "content": text, "delegation_id": delegation })
}

/// What the model should know and not say.
pub(super) fn thinking(text: &str) -> Value {
    let text: String = text.chars().take(APPEND_CHARS_MAX).collect();
    json!({ "type": "session.thinking.append", "content": text, "delegation_id": null })
}

pub(super) fn mute() -> Value {
    json!({ "type": "session.input_audio.mute" })
}

pub(super) fn unmute() -> Value {
    json!({ "type": "session.input_audio.unmute" })
}

pub(super) fn audio(samples: &[i16]) -> Value {
    json!({ "type": "session.input_audio.append", "audio": pcm::encode(samples) })
}
