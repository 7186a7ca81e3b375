//! What a handler may ask of the program: keys, files, the network, secrets, the surface.
//!
//! In: a service's name and its arguments, as the handler's process sent them; both are
//! treated as hostile. Out: a value, or a fault with a code. One [`HandlerServices`] is made
//! for one run of one handler, with a [`Grant`] that says whose run it is.
//!
//! Must hold:
//! - a handler reaches what its contract's `capabilities` name, and changes something only if
//!   its `sideEffects` are `writes`; with `none` it can only speak: chunks, progress, audit,
//!   console (`service.rs`, one table);
//! - keys live below `tool-kv/<owner>/`, files below the project and a declared root, without
//!   following a link; neither leads to what the program keeps for itself;
//! - a connection goes to an address that was checked, on every hop;
//! - a secret that was handed out appears in no event, no fault, no key and no file;
//! - everything has a limit, in [`ServiceLimits`].
//!
//! Start at [`HandlerServices`], then `service.rs`.

mod ai;
mod arguments;
mod effects;
mod fault;
mod fetch;
mod files;
mod grant;
mod handler_services;
pub(crate) mod kept_keys;
mod kv;
mod limits;
mod lists;
mod messages;
mod meter;
mod personas;
mod placeholders;
mod redactor;
mod run;
mod secret;
mod service;
mod space;
mod surface;

pub use contract::Secret;
pub use effects::Touched;
pub use fault::Code;
pub use fetch::{
    BadNetwork, BadOpening, BadReply, Canned, CannedReply, Network, Opening, Reach, Resolver,
    SystemResolver,
};
pub use grant::Grant;
pub use handler_services::HandlerServices;
pub use kv::home as tool_keys;
pub use limits::ServiceLimits;
pub use placeholders::Names;
pub use secret::Secrets;
pub use space::{KeySpace, NoSpace};
pub use surface::{ConsoleLevel, HandlerEvent, Surface};

#[cfg(test)]
mod tests;
