//! From the words of a message to the arguments of one tool.
//!
//! In: a tool's schema and a message. Out: arguments that fit the schema, and the missing fields.
//! Must hold: no value is invented. Start at [`fill::fill`].

pub(crate) mod fields;

pub(crate) mod fill;

pub(crate) mod dates;
pub(crate) mod moment;
pub(crate) mod value;

pub(crate) mod check;
pub(crate) mod looks;
