//! Messages that we send.

use contract::CallId;
use serde_json::{Value, json};

use crate::capabilities::{CallBehavior, Capabilities};
use crate::event::Speaking;
use crate::road::Setup;
use crate::road::pcm;
use crate::road::tools::WireTools;
use crate::transcript::{Line, Speaker};

/// For the model, after an interruption by a noise.
pub(super) const GO_ON: &str =
    "(The user made a sound but said nothing. Go on from where you were interrupted.)";

/// For the model, after a call that it could not write.
pub(super) const CALL_AGAIN: &str = "(Your last tool call could not be read and was not made. \
                                     Make it again, or answer without it.)";

pub(super) fn setup(
    model: &Capabilities,
    setup: &Setup,
    tools: &WireTools,
    handle: Option<&str>,
) -> Value {
    let mut generation = json!({ "responseModalities": ["AUDIO"] });
    if let Some(voice) = &setup.voice {
        generation["speechConfig"] =
            json!({ "voiceConfig": { "prebuiltVoiceConfig": { "voiceName": voice } } });
    }
    if let Some(level) = &model.thinking_level {
        generation["thinkingConfig"] = json!({ "thinkingLevel": level.to_uppercase() });
    }
    let mut resumption = json!({});
    if let Some(handle) = handle {
        resumption["handle"] = json!(handle);
    }
    let mut body = json!({
        "model": format!("models/{}", model.name),
        "generationConfig": generation,
        "systemInstruction": { "parts": [{ "text": setup.instructions }] },
        "sessionResumption": resumption,
        "contextWindowCompression": { "slidingWindow": {} },
        "inputAudioTranscription": {},
        "outputAudioTranscription": {},
        "realtimeInputConfig": {
            "automaticActivityDetection": { "disabled": true },
            "activityHandling": "START_OF_ACTIVITY_INTERRUPTS",
        },
        "historyConfig": { "initialHistoryInClientContent": true },
    });
    let declarations = declarations(model, tools);
    if !declarations.is_empty() {
        body["tools"] = json!([{ "functionDeclarations": declarations }]);
    }
    json!({ "setup": body })
}

/// Every declaration says whether the model waits: the default differs from model to model.
fn declarations(model: &Capabilities, tools: &WireTools) -> Vec<Value> {
    let behavior = match model.calls {
        CallBehavior::Blocking => "BLOCKING",
        CallBehavior::NonBlocking => "NON_BLOCKING",
    };
    let mut declarations = tools.entries();
    declarations.iter_mut().for_each(|one| one["behavior"] = json!(behavior));
    declarations
}

/// What was said before, as the first content.
pub(super) fn history(lines: &[Line]) -> Option<Value> {
    let turn = |line: &Line| {
        let role = match line.speaker {
            Speaker::User => "user",
            Speaker::Assistant | Speaker::Host => "model",
        };
        json!({ "role": role, "parts": [{ "text": line.text }] })
    };
    let turns: Vec<Value> = lines.iter().map(turn).collect();
    let content = json!({ "clientContent": { "turns": turns, "turnComplete": true } });
    (!lines.is_empty()).then_some(content)
}

/// Text of the person, which the model answers.
pub(super) fn text(text: &str) -> Value {
    json!({ "realtimeInput": { "text": text } })
}

/// Text that asks for no answer.
pub(super) fn context(text: &str) -> Value {
    let turns = json!([{ "role": "user", "parts": [{ "text": text }] }]);
    json!({ "clientContent": { "turns": turns, "turnComplete": false } })
}

pub(super) fn activity_start() -> Value {
    json!({ "realtimeInput": { "activityStart": {} } })
}

pub(super) fn activity_end() -> Value {
    json!({ "realtimeInput": { "activityEnd": {} } })
}

pub(super) fn audio(samples: &[i16], rate: u32) -> Value {
    let mime = format!("audio/pcm;rate={rate}");
    json!({ "realtimeInput": { "audio": { "data": pcm::encode(samples), "mimeType": mime } } })
}

/// The result of a call. `scheduling` counts for calls that do not block, and stands in both
/// places because the documents disagree; `willContinue` closes the call.
pub(super) fn tool_response(
    model: &Capabilities,
    call: &CallId,
    name: &str,
    content: &Value,
    failed: bool,
    speaking: Speaking,
) -> Value {
    let mut body = match failed {
        true => json!({ "error": content }),
        false => json!({ "output": content }),
    };
    let mut response = json!({ "id": call.0, "name": name });
    if model.calls == CallBehavior::NonBlocking {
        let scheduling = match speaking {
            Speaking::Speaks => "WHEN_IDLE",
            Speaking::Silent => "SILENT",
        };
        body["scheduling"] = json!(scheduling);
        response["scheduling"] = json!(scheduling);
        response["willContinue"] = json!(false);
    }
    response["response"] = body;
    json!({ "toolResponse": { "functionResponses": [response] } })
}
