//! The asking: models at providers, spoken to in their own protocols.
//!
//! In: a [`contract::Request`] in words that no provider owns. Out: a [`contract::Reply`]
//! with canonical tool names and arguments. Must hold: everything but `line` and what is
//! built on it is pure; a key is never printed; what a model does not accept is not sent.
//!
//! Start at [`Client`]. The modules stand in the order in which a request meets them.

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
mod list_models;

pub use batch::{BatchId, BatchRequest, BatchResult, BatchState, Batches};
pub use client::Client;
pub use contract::Secret;
pub use facts::{Abilities, OUTPUT_LIMITS_AS_OF, abilities, facts};
pub use http::{Certificates, HttpClient, HttpFault, HttpRequest, HttpResponse, Limits};
pub use list_models::{ListedModel, list_models};
pub use prepare::{PreparedRequest, Preparer};
pub use price::{Cost, PRICES_AS_OF, PriceTier, cost};
pub use provider::{Family, Key, Provider, TokensField};
pub use retry::{Clock, SystemClock, backoff};
pub use salvage::salvage;
pub use secret::redact;
