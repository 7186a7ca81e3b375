//! Messages that we send, in the names of the general release.

use contract::CallId;
use serde_json::{Value, json};

use crate::capabilities::Capabilities;
use crate::road::Setup;
use crate::road::pcm;
use crate::road::tools::WireTools;
use crate::transcript::{Line, Speaker};

/// Our requests for a response carry ids that begin so; errors name them.
pub(super) const RESPOND_ID: &str = "respond-";

/// For the model, after an interruption by a noise.
pub(super) const GO_ON: &str =
    "The user made a sound but said nothing. Go on from where you were interrupted.";

/// Messages of the server that need no answer, by the beginning of their type.
pub(super) const IGNORED: [&str; 7] = [
    "session.created",
    "conversation.created",
    "conversation.item.",
    "input_audio_buffer.",
    "output_audio_buffer.",
    "rate_limits.updated",
    "mcp_list_tools.",
];

/// The settings of a session. The server detects speech and decides nothing.
pub(super) fn session_update(model: &Capabilities, setup: &Setup, tools: &WireTools) -> Value {
    let mut transcription = json!({});
    if let Some(name) = &setup.transcription_model {
        transcription["model"] = json!(name);
    }
    // One language is a promise; several are left to the recogniser.
    if let [only] = setup.languages[..] {
        transcription["language"] = json!(only.code());
    }
    let mut output = json!({ "format": { "type": "audio/pcm", "rate": model.output_rate } });
    if let Some(voice) = &setup.voice {
        output["voice"] = json!(voice);
    }
    let mut session = json!({
        "type": "realtime",
        "model": model.name,
        "instructions": setup.instructions,
        "output_modalities": ["audio"],
        "tools": tools.entries(),
        "tool_choice": "auto",
        "audio": {
            "input": {
                "format": { "type": "audio/pcm", "rate": model.input_rate },
                "transcription": transcription,
                "turn_detection": {
                    "type": "server_vad",
                    "create_response": false,
                    "interrupt_response": false,
                },
            },
            "output": output,
        },
    });
    if model.parallel_calls {
        session["parallel_tool_calls"] = json!(true);
    }
    json!({ "type": "session.update", "session": session })
}

pub(super) fn history_item(line: &Line) -> Value {
    match line.speaker {
        Speaker::User => user_message(&line.text),
        Speaker::Assistant | Speaker::Host => {
            let content = json!([{ "type": "output_text", "text": line.text }]);
            item(json!({ "type": "message", "role": "assistant", "content": content }))
        }
    }
}

pub(super) fn user_message(text: &str) -> Value {
    let content = json!([{ "type": "input_text", "text": text }]);
    item(json!({ "type": "message", "role": "user", "content": content }))
}

pub(super) fn system_message(text: &str) -> Value {
    let content = json!([{ "type": "input_text", "text": text }]);
    item(json!({ "type": "message", "role": "system", "content": content }))
}

/// The result of a call; the wire takes it as text.
pub(super) fn call_output(call: &CallId, content: &Value, failed: bool) -> Value {
    let output = match (failed, content) {
        (true, error) => json!({ "error": error }).to_string(),
        (false, Value::String(text)) => text.clone(),
        (false, data) => data.to_string(),
    };
    item(json!({ "type": "function_call_output", "call_id": call.0, "output": output }))
}

#[expect(clippy::needless_pass_by_value, reason = "the item is written in its place")]
fn item(item: Value) -> Value {
    json!({ "type": "conversation.item.create", "item": item })
}

pub(super) fn create_response(number: u64) -> Value {
    json!({ "type": "response.create", "event_id": format!("{RESPOND_ID}{number}") })
}

pub(super) fn cancel(response: &str) -> Value {
    json!({ "type": "response.cancel", "response_id": response })
}

pub(super) fn truncate(item: &str, audio_end_ms: u64) -> Value {
    json!({
        "type": "conversation.item.truncate", "item_id": item, "content_index": 0,
        "audio_end_ms": audio_end_ms,
    })
}

pub(super) fn delete(item: &str) -> Value {
    json!({ "type": "conversation.item.delete", "item_id": item })
}

pub(super) fn audio(samples: &[i16]) -> Value {
    json!({ "type": "input_audio_buffer.append", "audio": pcm::encode(samples) })
}

pub(super) fn clear_input() -> Value {
    json!({ "type": "input_audio_buffer.clear" })
}
