//! Other servers' tools in: pinned, limited, under our policy.
//!
//! In: what the operator configured ([`Neighbour`]) and what a person approved ([`Pins`]).
//! Out: tools for the registry ([`adopt`]) and a host that runs them ([`Neighbours`]).
//!
//! Must hold: a definition that nobody approved is never offered and never called; what a
//! server says about its tools decides at most whether a person is asked; nothing it sends
//! is larger, slower or more than our limits.

mod adopt;
mod clean;
mod connect;
mod definition;
mod ear;
mod host;
mod in_order;
mod line;
mod line_fault;
mod lines_limit;
mod listing;
mod neighbour;
mod oauth;
mod pins;
mod questions;
mod reads;
mod runner;
mod unreachable;

pub use adopt::{Adopted, IMPORTED, adopt};
pub use definition::Definition;
pub use host::{Neighbours, keep_seen, seen};
pub use line::Line;
pub use line_fault::{LineFault, NotInstalled};
pub use listing::Listing;
pub use neighbour::{
    Asking, BadNeighbour, Effect, Formats, Limits, Neighbour, NeighbourName, Questions, Reach,
    ServerProgram,
};
pub use oauth::{
    Grant, Login, LoginFault, LoginFile, LoginState, OAuth, Redirect, keeps_tokens_private,
};
pub use pins::{PIN_FILE, PinFault, Pins, Shift};
