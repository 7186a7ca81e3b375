//! Model providers on this machine, for tests: as strict as the real ones.
//!
//! [`FakeProvider`] is a server for all four wires that refuses what the real ones
//! refuse; [`FakeVoice`] is one for speech models, behind a WebSocket. [`rules`] is a second
//! opinion on which tools a provider would refuse, written from the facts alone. [`scenarios`]
//! are recorded answers with their meaning.

#![cfg_attr(test, allow(clippy::wildcard_enum_match_arm, reason = "tests look at one case"))]

mod provider;
mod voice;

pub mod rules;
pub mod scenarios;

mod gate;

pub use gate::Gate;
pub use provider::{
    Blocked, Cut, FakeProvider, Fault, Item, Pieces, Quirk, RecordedRequest, Source, Step, Turn,
};
pub use voice::{FakeVoice, VoiceHandshake, VoiceMessage, VoiceStep, VoiceWire};
