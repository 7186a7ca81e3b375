//! What a client sees of a session.

use contract::{Call, CallId};
use policy::{RequestId, Timestamp};
use serde_json::{Value, json};
use voice::{
    AnswerId, Asker, AudioEvent, CallEvent, LogEntry, Piece, SpeechId, UserEvent, UtteranceId,
    VoiceEvent, Waits,
};
use voice_session::ToClient;

use super::Shown;
use crate::outbox::Outbox;
use crate::protocol::Side;

fn recorded(event: impl Into<VoiceEvent>) -> ToClient {
    ToClient::Recorded(LogEntry { at: Timestamp(0), event: event.into() })
}

/// What a client is told about these, without numbers; audio as its length.
fn told(speaks: Side, messages: Vec<ToClient>) -> Vec<Value> {
    let (mut shown, mut outbox) = (Shown::new(speaks), Outbox::default());
    messages.into_iter().for_each(|message| shown.take(message, &mut outbox));
    let mut told = Vec::new();
    let mut sent = 0;
    while let Some(next) = outbox.after(sent) {
        sent = next.seq;
        let data = next.message.clone().into_data();
        let mut event: Value = serde_json::from_slice(&data).unwrap_or_else(|_| json!(data.len()));
        if let Some(fields) = event.as_object_mut() {
            fields.remove("seq");
        }
        told.push(event);
    }
    told
}

const U1: UtteranceId = UtteranceId(1);

fn answer_begins() -> Vec<ToClient> {
    let text = |text: &str| {
        let piece = Piece::Text { text: text.to_owned(), until_ms: None };
        recorded(AudioEvent::Arrived { utterance: U1, piece })
    };
    let answer = AnswerId("a".to_owned());
    vec![
        recorded(AudioEvent::AnswerStarted { utterance: U1, answer }),
        text("One. "),
        text("Two."),
        recorded(AudioEvent::Started { utterance: U1 }),
    ]
}

#[test]
fn words_of_the_model_end_as_what_was_heard_of_them() {
    let line = |text: Option<&str>, is_final: bool| match text {
        Some(text) => json!({"type": "words", "who": "assistant", "id": "u1", "text": text,
            "final": is_final}),
        None => json!({"type": "words", "who": "assistant", "id": "u1", "final": is_final}),
    };
    let check = |end: AudioEvent, expected: Value| {
        let mut messages = answer_begins();
        messages.push(recorded(end));
        let events = told(Side::Server, messages);
        let more = |text: &str| json!({"type": "more_words", "who": "assistant", "id": "u1", "text": text});
        let head = [more("One. "), more("Two."), json!({"type": "phase", "phase": "speaking"})];
        assert_eq!(events[..3], head);
        assert_eq!(events[3..], [expected, json!({"type": "phase", "phase": "listening"})]);
    };
    check(AudioEvent::Heard { utterance: U1 }, line(Some("One. Two."), true));
    let heard = "One.".to_owned();
    check(AudioEvent::Cut { utterance: U1, heard_ms: 500, heard }, line(Some("One."), true));
    check(AudioEvent::Dropped { utterance: U1 }, line(None, true));
}

#[test]
fn a_speech_without_words_is_taken_back() {
    let speech = SpeechId(1);
    let events = told(
        Side::Server,
        vec![
            recorded(UserEvent::SpeechStarted { speech }),
            recorded(UserEvent::Partial { speech, text: "mhm".to_owned() }),
            recorded(UserEvent::SpeechEnded { speech }),
            recorded(UserEvent::Ignored { speech }),
        ],
    );
    let words = json!({"type": "words", "who": "user", "id": "s1", "final": true});
    assert_eq!(events.last(), Some(&words));
}

#[test]
fn audio_is_cut_into_pieces_and_a_browser_gets_the_text_instead() {
    let messages = || {
        let text = "Hello there.".to_owned();
        vec![
            ToClient::Speak { utterance: U1, sentence: 0, text },
            ToClient::Audio { utterance: U1, samples: vec![0; 3_000] },
        ]
    };
    assert_eq!(told(Side::Server, messages()), [json!(8 + 4_800), json!(8 + 1_200)]);
    let samples = 12 * 65 * 24;
    let speak = json!({"type": "speak", "utterance": 1, "text": "Hello there.",
        "samples": samples});
    assert_eq!(told(Side::Browser, messages()), [speak]);
}

#[test]
fn an_approval_is_shown_until_it_is_answered() {
    let call = Call { id: CallId("c1".to_owned()), tool: "send".to_owned(), args: json!({}) };
    let request = RequestId("ask:1".to_owned());
    let waits = Waits::Approval {
        request: request.clone(),
        preview: "send it".to_owned(),
        expires_at: Timestamp(9),
    };
    let events = told(
        Side::Server,
        vec![
            recorded(CallEvent::Asked { call: call.clone(), after: None, by: Asker::Model }),
            recorded(CallEvent::Waits { call: call.id, waits }),
            recorded(voice::AskEvent::Approved),
            ToClient::HideButton(request),
        ],
    );
    let tool = |state: &str| json!({"type": "tool", "call": "c1", "tool": "send", "state": state});
    let approval = json!({"type": "approval", "request": "ask:1", "tool": "send",
        "preview": "send it", "preview_lines": [{"kind": "text", "text": "send it"}], "expires_at": 9});
    let done = json!({"type": "approval_done", "request": "ask:1"});
    assert_eq!(events, [tool("asked"), approval, tool("waiting"), done.clone(), done]);
}
