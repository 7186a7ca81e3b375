//! The far side of every wire, for tests: nothing of ours is faked here.
//!
//! [`provider::FakeProvider`] is a server on this machine that speaks all four wires and
//! refuses what the real ones refuse. [`script::ScriptedModel`] is a model that says what
//! the test wrote. [`scenarios`] are recorded answers with what they mean. [`sdk`] holds
//! request bodies against the providers' own Python types; [`agui`] runs AG-UI's own client.
//! [`packages`] finds the programs of others that set-up has installed.
//! [`chaos`] kills a real server with writes and chats in flight.
//! [`notion::FakeNotion`] is a workspace of Notion's, and [`web::Web`] any other server.
//!
//! [`provider_rules`] is a second opinion on what a provider would refuse, written from the
//! facts alone. [`corpus`] is a collection of schemas that broke other people's transformers.

#![cfg_attr(test, allow(clippy::wildcard_enum_match_arm, reason = "tests look at one case"))]

pub mod agui;
pub mod chaos;
pub mod corpus;
pub mod notion;
pub mod packages;
pub mod provider;
pub mod provider_rules;
pub mod scenarios;
pub mod script;
pub mod sdk;
pub mod web;

mod gate;
mod quiet;

pub use gate::Gate;
