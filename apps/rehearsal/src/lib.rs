//! A model that needs no key: a small set of rules.
//!
//! In: a request as any model gets it. Out: calls of the tool that matches the message, with
//! arguments from the message; a question for what is missing; results as text. An author can
//! try a tool, its forms, approvals and streams without a network or a bill.
//!
//! Must hold: the same request at the same time gets the same answer; no value is invented;
//! every planned call fits its schema. Nothing here reads a file, a clock or a socket.
//!
//! Start at [`Rehearsal`], then `plan.rs`. The modules are in the order in which a message
//! passes through them.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod rehearsal;

mod conversation;
mod plan;

mod arguments;
mod text;

mod reply;

pub use rehearsal::Rehearsal;

#[cfg(test)]
mod tests;
