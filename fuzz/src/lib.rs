//! Random input for everything that reads what others wrote.
//!
//! In: the name of a target and a seed. Out: nothing, or a [`Finding`] with the input that
//! caused it. Must hold: the same seed gives the same inputs on every machine; a target fails
//! only by returning why or by panicking, and both are findings.
//!
//! Start at [`TARGETS`]. `cargo run -p fuzz -- --minutes 5` runs them for longer than the
//! tests do.

mod mutate;
mod run;
mod targets;

pub use run::{Finding, Limit, run, try_input};
pub use targets::{TARGETS, Target, target};
