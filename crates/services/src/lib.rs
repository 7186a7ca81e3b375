//! The services that a handler can call: keys, files, the network, secrets, models, the surface.
//!
//! In: the name of a service and its arguments, as the handler's process sent them; both are
//! untrusted. Out: a value, or a fault with a code. One [`HandlerServices`] serves one run of
//! one handler, with a [`Grant`] that says for whom it runs.
//!
//! Must hold:
//! - a handler reaches only what the `capabilities` of its contract name, and changes something
//!   only if its `sideEffects` are `writes`; with `none` it can only report: chunks, progress,
//!   audit, console (the table in `permissions.rs`);
//! - keys stay below `tool-kv/<owner>/`, files below the project and a declared root, without
//!   following links; neither reaches the program's own data;
//! - every connection, on every hop, goes to an address that was checked;
//! - a secret that a handler received appears in no event, fault, key or file;
//! - everything has a limit, in [`ServiceLimits`].
//!
//! Start at [`HandlerServices`], then `permissions.rs`.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod ai;
mod attachments;
mod fault;
mod fetch;
mod files;
mod grant;
mod handler_services;
mod kv;
mod notices;
mod permissions;
mod personas;
mod secrets;
pub mod store_keys;
mod surface;

pub use fault::FaultCode;
pub use fetch::{
    AllowEntry, AllowEntryFault, FetchedPage, Network, NetworkAccess, Resolver, StubFault,
    StubReplies, StubReply, SystemResolver, TlsFault, fetch_page,
};
pub use grant::Grant;
pub use handler_services::HandlerServices;
pub use handler_services::effects::EffectLevel;
pub use handler_services::limits::ServiceLimits;
pub use kv::conversation_keys;
pub use kv::quota::{KeyQuota, QuotaFault};
pub use kv::tool_kv_prefix;
pub use notices::{Notice, NoticeFault, Notices};
pub use personas::persona::{
    DEFAULT_PERSONA, Persona, choose_personas, chosen_personas, keep_persona, names_in,
    personas_in, personas_of, remove_persona,
};
pub use personas::placeholders::PlaceholderNames;
pub use secrets::{NoSecrets, Secrets};
pub use store_keys::key_segment;
pub use surface::{ConsoleLevel, DropEvents, HandlerEvent, Surface};
