//! Compiles the schemas of contracts for every provider, and checks arguments.
//!
//! In: JSON Schema and JSON. Out: the wire schema of one target, the plan for decoding, a
//! report of every difference; and checked arguments, or complaints that a model can act on.
//! Must hold: no file, no socket, no clock; the same input gives the same bytes; a wire schema
//! is never narrower than the contract.
//!
//! Start at [`compile`] for requests and at [`Arguments`] for calls. The modules are in
//! reading order: a schema is normalised, becomes a graph, is compiled for a target, and gets
//! a plan; then arguments are checked.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod normalise;
mod schema;

mod graph;

mod model;
mod target;

mod compile;
mod lower;
mod output;
mod passthrough;

mod loss;
mod plan;
mod repair;

mod arguments;

pub use arguments::complaint::Complaint;
pub use arguments::{Arguments, CheckedArguments, Rejection, SchemaFault, UnknownArguments};
pub use compile::{
    CompiledSet, CompiledTool, Enforcement, RefusedTool, Strictness, ToolSet, ToolSource, compile,
};
pub use loss::{Loss, LossKind};
pub use model::{
    ForcedChoice, ModelFacts, PrefixBinding, Sampling, StrictMode, StructuredOutput, Thinking,
    model, models,
};
pub use normalise::{Normalised, normalise};
pub use output::{CompiledOutput, compile_output};
pub use plan::{DecodeFault, Plan, PlanFault};
pub use repair::repair_plan;
pub use schema::equality::same_value;
pub use schema::formats::formats_as_notes;
pub use schema::from_type::parameters_of;
pub use schema::{SubSchemas, is_pattern, schema_complaints};
pub use target::{Target, target, targets};

#[cfg(test)]
mod tests;
