//! The far side of every wire, for tests: none of our own parts is faked here.
//!
//! [`script::ScriptedModel`] is a model that answers what the test wrote; for a provider behind
//! a socket see the crate `fake-providers`. [`notion::FakeNotion`] is a Notion workspace, and
//! [`web::Web`] any other server. [`sdk`] checks request bodies against the providers' own
//! Python types; [`agui`] runs AG-UI's own client. [`packages`] finds the third-party programs
//! that set-up has installed; [`postgres::PostgresServer`] runs one of them, and
//! [`proxy::Proxy`] disturbs its connections. [`chaos`] kills a
//! real server with writes and chats in flight. [`faulty_store::FaultyStore`] fails at one
//! operation. [`corpus`] is a collection of schemas that broke other transformers.
//! [`tool_folder`] writes the folder of a tool.

#![cfg_attr(test, allow(clippy::wildcard_enum_match_arm, reason = "tests look at one case"))]

pub mod faulty_store;
pub mod script;

pub mod notion;
pub mod web;

pub mod corpus;
pub mod tool_folder;

pub mod agui;
pub mod packages;
pub mod postgres;
pub mod proxy;
pub mod sdk;

pub mod chaos;

mod quiet;

pub use fake_providers::Gate;
