//! How the stream spells a text that is being said: the answer, a notice, a thought.

use serde_json::json;

use crate::frame::Event;

/// A text begins.
pub(crate) fn start_of(kind: &'static str, key: &str) -> Vec<Event> {
    match kind {
        "thinking" => vec![
            Event::new("REASONING_START", json!({ "messageId": key })),
            Event::new("REASONING_MESSAGE_START", json!({ "messageId": key, "role": "reasoning" })),
        ],
        role => vec![Event::new("TEXT_MESSAGE_START", json!({ "messageId": key, "role": role }))],
    }
}

pub(crate) fn content_of(kind: &'static str, key: &str, text: &str) -> Event {
    let event = match kind {
        "thinking" => "REASONING_MESSAGE_CONTENT",
        _ => "TEXT_MESSAGE_CONTENT",
    };
    Event::new(event, json!({ "messageId": key, "delta": text }))
}

pub(crate) fn end_of(kind: &'static str, key: &str) -> Vec<Event> {
    let end = |event| Event::new(event, json!({ "messageId": key }));
    match kind {
        "thinking" => vec![end("REASONING_MESSAGE_END"), end("REASONING_END")],
        _ => vec![end("TEXT_MESSAGE_END")],
    }
}
