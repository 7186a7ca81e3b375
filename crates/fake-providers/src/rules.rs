//! Whether a provider would accept a tool request.
//!
//! A second opinion, written only from the collected facts about the providers. It shares no code
//! with the compiler that lowers schemas, so that a mistake made there is not repeated here.
//!
//! Three questions, one answer type:
//!
//! - [`refusals`]: every way in which the provider would refuse this `tools` value;
//! - [`output_refusals`]: the same for a structured-output value;
//! - [`ignored`]: what the provider would accept and then drop or not enforce.
//!
//! Every `pointer` is a JSON pointer into the checked value.
//!
//! If the facts are missing or contradictory, a construct counts as accepted, unless it
//! can be avoided without loss; then it counts as refused. Each such place says `unproven`.
//!
//! Reading order: a target is parsed, its tools are read off the wire, each schema is walked by
//! keyword position, then one provider's rules check every visited place.

mod judge;

mod target;
mod wire;

mod refs;
mod walk;

mod providers;

mod check;
mod grammar;
mod pattern;
mod shape;

mod ignored;
mod refusal;

pub use judge::{ignored, output_refusals, refusals};
pub use refusal::Refusal;

#[cfg(test)]
mod tests;
