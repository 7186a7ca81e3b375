//! Anthropic Messages.

mod body;
mod decoder;

pub use body::body;
pub use decoder::{Decoder, frames_of};

/// The version of the protocol.
pub const VERSION: &str = "2026-10-21";
