//! The hosts from outside: real children, sandbox and engine; only the services are fake.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    clippy::disallowed_methods,
    reason = "tests panic on failure"
)]

mod conformance;
mod corpus;
mod failures;
mod fake_services;
mod harness;
mod hostile;
mod old_kernels;
mod orphans;
mod prelude;
mod python;
mod samples;
mod sandbox;
mod stdio_child;
