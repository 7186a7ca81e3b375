//! Python modules as a registry reads them, with a real Python.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "tests panic on failure, and start Python"
)]

mod modules;
mod python_reader;
mod seed;
