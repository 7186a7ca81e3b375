//! The hosts from outside: real children, real sandbox, real engine; only the far side of the
//! services is made up.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    clippy::disallowed_methods,
    reason = "a test stops at the first thing that is not as it should be, and reads well"
)]

mod conformance;
mod corpus;
mod far_side;
mod hostile;
mod keeper;
mod old_kernels;
mod orphans;
mod prelude;
mod python;
mod samples;
mod sandbox;
mod stage;
mod supervisor;
