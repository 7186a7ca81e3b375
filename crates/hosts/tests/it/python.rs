//! The Python host from outside: real interpreters in the real sandbox.

mod context;
mod discovery;
mod failures;
mod ghostpad;
mod handlers;
mod harness;
mod hostile;
mod isolation;
mod semantics;
mod speed;
mod worker_lifetime;
