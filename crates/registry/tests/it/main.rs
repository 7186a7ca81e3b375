//! Python modules as a registry reads them, with a real Python on the far side.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test stops at the first thing that is not as it should be, and starts Python"
)]

mod modules;
mod python_reader;
mod seed;
