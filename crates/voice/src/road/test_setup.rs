//! What the tests of all roads begin with.

use contract::ToolOffer;
use policy::Timestamp;
use serde_json::{Value, json};

use crate::capabilities::capabilities;
use crate::input::Input;
use crate::road::{Incoming, Outgoing, Road, RoadEvent, Setup};
use crate::words::language::Language;

pub(crate) const NOW: Timestamp = Timestamp(0);

pub(crate) fn setup() -> Setup {
    let parameters = json!({
        "type": "object", "additionalProperties": false, "required": ["query"],
        "properties": { "query": { "type": "string" } },
    });
    let id = "kb_search".parse().unwrap();
    Setup {
        instructions: "Be brief.".to_owned(),
        tools: vec![ToolOffer { id, description: "Search.".to_owned(), parameters }],
        history: Vec::new(),
        languages: vec![Language::Uk],
        voice: Some("nova".to_owned()),
        transcription_model: Some("ear-1".to_owned()),
    }
}

pub(crate) fn model(name: &str) -> crate::capabilities::Capabilities {
    capabilities(name).unwrap().clone()
}

/// Gives the road a message of its provider.
#[expect(clippy::needless_pass_by_value, reason = "a test table reads best by value")]
pub(crate) fn receive(road: &mut dyn Road, message: Value) -> Vec<RoadEvent> {
    road.receive(NOW, Incoming::Message(&message.to_string()))
}

/// The inputs among the events.
pub(crate) fn inputs(events: &[RoadEvent]) -> Vec<Input> {
    let input = |event: &RoadEvent| match event {
        RoadEvent::Input(input) => Some(input.clone()),
        RoadEvent::Audio { .. } | RoadEvent::Send(_) => None,
    };
    events.iter().filter_map(input).collect()
}

/// The messages among what is sent.
pub(crate) fn messages(sent: &[Outgoing]) -> Vec<Value> {
    let message = |outgoing: &Outgoing| match outgoing {
        Outgoing::Message(message) => Some(message.clone()),
        Outgoing::Turn(_) => None,
    };
    sent.iter().filter_map(message).collect()
}

/// The messages that events send.
pub(crate) fn sent(events: &[RoadEvent]) -> Vec<Value> {
    let send = |event: &RoadEvent| match event {
        RoadEvent::Send(Outgoing::Message(message)) => Some(message.clone()),
        RoadEvent::Send(Outgoing::Turn(_)) | RoadEvent::Input(_) | RoadEvent::Audio { .. } => None,
    };
    events.iter().filter_map(send).collect()
}
