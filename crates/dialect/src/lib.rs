//! The spelling of tools: what a contract's schema means, and how each provider writes it.
//!
//! In: JSON Schema and JSON. Out: what goes over one target's wire, the plan for the way
//! back, a report of every difference; and checked arguments, or complaints that a model
//! can act on. Must hold: no file, no socket, no clock; the same input gives the same
//! bytes; never narrower than the contract.
//!
//! Start at [`compile`] for the way out and at [`Arguments`] for the last word on the way
//! back. The modules stand in the order in which a schema meets them.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod arguments;
mod carry;
mod compile;
mod complaint;
mod equality;
mod fill;
mod formats;
mod from_type;
mod graph;
mod loss;
mod mend;
mod model;
mod normalise;
mod output;
mod pattern;
mod plan;
mod position;
mod schema;
mod shape;
mod target;
mod types;

pub use arguments::{Arguments, Checked, Rejection, SchemaFault, Unknown};
pub use compile::{
    CompiledSet, CompiledTool, Enforcement, RefusedTool, Strictness, ToolSet, ToolSource, compile,
};
pub use complaint::Complaint;
pub use equality::same_value;
pub use formats::formats_as_notes;
pub use from_type::parameters_of;
pub use loss::{Fate, Loss};
pub use mend::mending;
pub use model::{
    ForcedChoice, ModelFacts, PrefixBinding, Sampling, StrictMode, StructuredOutput, Thinking,
    model, models,
};
pub use normalise::{Normalised, normalise};
pub use output::{CompiledOutput, compile_output};
pub use plan::{DecodeFault, Plan, PlanFault};
pub use schema::{SubSchemas, is_pattern, schema_complaints};
pub use target::{Target, target, targets};

#[cfg(test)]
mod tests;
