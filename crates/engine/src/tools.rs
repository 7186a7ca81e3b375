//! Tools as the engine sees them: compiled once, filtered, exposed to programs, switched off.

pub(crate) mod builtin;
pub(crate) mod exposed;
pub(crate) mod filter;
pub(crate) mod prepared;
pub(crate) mod refused;
pub(crate) mod switches;
