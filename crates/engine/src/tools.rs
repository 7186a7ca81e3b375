//! Tools as the engine sees them: compiled once, filtered, switched off, refused.

pub(crate) mod builtin;
pub(crate) mod filter;
pub(crate) mod prepared;
pub(crate) mod refused;
pub(crate) mod switches;
