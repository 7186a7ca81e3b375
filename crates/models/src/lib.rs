//! Clients for model providers, in the providers' own protocols.
//!
//! In: a provider-independent [`contract::Request`]. Out: a [`contract::Reply`] with canonical
//! tool names and arguments. Must hold: only `http` and the modules built on it do I/O; a key is
//! never printed; options that a model does not accept are not sent.
//!
//! Start at [`Client`]. The modules are in reading order: the provider, facts and prices, the
//! request, the wires, then the client, batches, embeddings and lists of models.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod provider;
mod secret;

mod facts;
mod price;

mod merge_patch;
mod messages;
mod prepare;
mod structured;
mod tools;

pub mod wire;

mod client;
mod fault;
mod http;
mod rejected_tools;
mod retry;

mod salvage;

mod batch;
mod embeddings;
mod list_models;

pub use batch::{BatchId, BatchRequest, BatchResult, BatchState, Batches};
pub use client::Client;
pub use contract::Secret;
pub use embeddings::{EMBEDDED_TEXTS_MAX, embed};
pub use facts::{Abilities, OUTPUT_LIMITS_AS_OF, abilities, facts};
pub use http::{
    Certificates, HttpClient, HttpFault, HttpRequest, HttpResponse, Limits, tls_settings,
};
pub use list_models::{ListedModel, ListedPrice, SaidFacts, list_models};
pub use prepare::{PreparedRequest, Preparer};
pub use price::{Cost, PRICES_AS_OF, PriceTier, cost, list_price};
pub use provider::{Family, Key, Provider, TokensField};
pub use retry::{Clock, SystemClock, backoff};
pub use salvage::salvage;
pub use secret::redact;
