//! The spelling of tools: what a contract's schema means, and how each provider writes it.
//!
//! In: JSON Schema and JSON. Out: checked arguments, or faults a model can act on.
//! Must hold: no file, no socket, no clock; the same input gives the same bytes.
//!
//! Start at [`Arguments`].

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod arguments;
mod complaint;
mod fill;
mod schema;

pub use arguments::{Arguments, Checked, Rejection, SchemaFault, Unknown};
pub use complaint::Complaint;
pub use schema::{SubSchemas, is_pattern, schema_complaints};
