//! Providers that a script plays: what they answer to our messages, and how they spell what a
//! script has them do. They know nothing of the session.

mod cascade;
mod gemini;
mod live;
mod realtime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::statement::ProviderAction;
use crate::capabilities::{Capabilities, RoadKind};
use crate::road::{Outgoing, TextTurnEvent};

/// What comes from the far side.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Delivery {
    Message(Value),
    /// A message that is not JSON.
    Text(String),
    Turn(TextTurnEvent),
}

/// One provider.
pub(super) trait Provider {
    /// A new connection.
    fn connect(&mut self) {}

    /// The answer to something of ours.
    fn sent(&mut self, outgoing: &Outgoing) -> Vec<Delivery>;

    /// What a script has it do.
    fn act(&mut self, action: &ProviderAction) -> Vec<Delivery>;

    /// It hears the person begin and stop, if it detects speech.
    fn speech(&mut self, _is_start: bool) -> Vec<Delivery> {
        Vec::new()
    }

    /// Words of the person, so far or final.
    fn transcript(&mut self, text: &str, is_final: bool) -> Vec<Delivery>;
}

pub(super) fn provider(row: &Capabilities) -> Box<dyn Provider> {
    match row.road {
        RoadKind::Realtime => Box::new(realtime::FakeRealtime::new(row)),
        RoadKind::Live => Box::new(live::FakeLive::new(row)),
        RoadKind::Gemini => Box::new(gemini::FakeGemini::new(row)),
        RoadKind::Cascade => Box::new(cascade::FakeTextTurn::default()),
    }
}

/// A sound of this length, in base64: loud enough to count.
fn sound(ms: u64, rate: u32) -> String {
    pcm(ms, rate, 4_000)
}

fn silence(ms: u64, rate: u32) -> String {
    pcm(ms, rate, 0)
}

fn pcm(ms: u64, rate: u32, level: i16) -> String {
    let samples = usize::try_from(ms * u64::from(rate) / 1_000).unwrap_or_default();
    let bytes: Vec<u8> = level.to_le_bytes().repeat(samples);
    STANDARD.encode(bytes)
}

/// The arguments of a call, as far as they are JSON.
fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Raw text of a script.
fn raw(text: &str) -> Delivery {
    match serde_json::from_str(text) {
        Ok(message) => Delivery::Message(message),
        Err(_) => Delivery::Text(text.to_owned()),
    }
}
