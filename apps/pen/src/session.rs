//! A drafting session: the request, the prompts for the model, and the log.
//!
//! In: one line from a person. Out: a [`request::Request`], the messages of [`prompt`] for each
//! step, and a [`SessionLog`] without secrets.

pub mod prompt;
pub mod request;

mod log;

pub use log::{EventKind, SessionLog, Sessions, logged};
